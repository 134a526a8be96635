// Backward kernels. The gradient of the grid needs no atomics; that of the input is added atomically, or, where a
// deterministic result is asked for, by one thread per channel that walks the pixels in order.
#pragma once
#include "forward.h"

namespace onnxgrid {
namespace cuda {

// d position / d coordinate, with PyTorch's zero where clipping acts.
template <typename A> ONNXGRID_DEVICE A position_slope(A c, const Axis<A>& axis, const onnxgrid_problem& p) {
  A slope = axis.scale;
  if (p.mode == ONNXGRID_BICUBIC || p.padding == ONNXGRID_ZEROS) return slope;
  A v = unnormalize_5d(c, axis, p.align_corners);
  if (p.padding == ONNXGRID_REFLECTION) {
    const A span = axis.double_span / 2, distance = v - axis.low;
    if (!(span > 0)) return 0;
    if (distance < 0) slope = -slope;
    if (fmod(floor(fabs(distance) / span), A(2)) != 0) slope = -slope;
    v = reflect_5d(v, axis);
  }
  return (v > 0 && v < axis.last) ? slope : A(0);
}

// d weight of tap t / d position along `axis`.
template <int kKind, typename A>
ONNXGRID_DEVICE A tap_slope(int t, int axis, const A (*linear)[2], const A (*weight)[4], const A (*slope)[4]) {
  if (kKind == kCubic2) {
    const int a = t & 3, b = (t >> 2) & 3;
    return axis == 0 ? slope[0][a] * weight[1][b] : weight[0][a] * slope[1][b];
  }
  A product = ((t >> axis) & 1) ? A(1) : A(-1);
  for (int k = 0; k < (kKind == kLinear3 ? 3 : 2); ++k)
    if (k != axis) product *= linear[k][(t >> k) & 1];
  return product;
}

// grid: (pixels, 1, items). grad_x, when given, receives atomic additions.
ONNXGRID_KERNEL gradient(onnxgrid_gradient g, int64_t) {
  typedef typename Cell<T>::Acc A;
  const onnxgrid_problem& p = g.forward;
  const int64_t pixels = p.out[0] * p.out[1] * p.out[2], pixel = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (pixel >= pixels) return;
  const Pixel at = pixel_of(p, pixel);
  onnxgrid_problem target = p;
  for (int i = 0; i < 5; ++i) target.x_stride[i] = g.grad_x_stride[i];
  for (int64_t n = blockIdx.z; n < p.batch; n += gridDim.z) {
    A c[3] = {0, 0, 0}, linear[3][2], weight[2][4], slope[2][4], sum[3] = {0, 0, 0};
    coordinates<G, A>(p, n, at.d, at.h, at.w, c);
    Taps<A, Index, Count<kKind>::value> taps, into;
    find_taps<kKind, A, Index>(target, c, &into);
    if (kKind == kNearest) nearest_taps(p, c, &taps);
    if (kKind == kLinear2) linear_taps<A, Index, 2>(p, c, &taps, linear);
    if (kKind == kLinear3) linear_taps<A, Index, 3>(p, c, &taps, linear);
    if (kKind == kCubic2) cubic_taps(p, c, &taps, weight, slope);
    const T* x = (const T*)p.x + n * p.x_stride[0];
    A* dx = g.grad_x ? (A*)g.grad_x + n * g.grad_x_stride[0] : (A*)0;
    const T* dy = (const T*)g.grad_y + n * p.y_stride[0] + at.d * p.y_stride[2] + at.h * p.y_stride[3] + at.w * p.y_stride[4];
    for (int64_t k = 0; k < p.channels; ++k, x += p.x_stride[1], dy += p.y_stride[1]) {
      const A grad = A(Cell<T>::read(*dy));
#pragma unroll
      for (int t = 0; t < Count<kKind>::value; ++t) {
        if (taps.offset[t] < 0) continue;
        if (dx) atomicAdd(dx + k * g.grad_x_stride[1] + into.offset[t], grad * taps.weight[t]);
        if (g.grad_grid && kKind != kNearest) {
          const A value = A(Cell<T>::read(x[taps.offset[t]])) * grad;
          for (int i = 0; i < (kKind == kLinear3 ? 3 : 2); ++i) sum[i] += value * tap_slope<kKind, A>(t, i, linear, weight, slope);
        }
      }
    }
    if (!g.grad_grid) continue;
    G* to = (G*)g.grad_grid + (n * pixels + pixel) * p.rank;
    for (int i = 0; i < p.rank; ++i) {
      const Axis<A> axis = make_axis<A>(p.in[2 - i], p.align_corners);
      to[i] = Cell<G>::write(kKind == kNearest ? A(0) : sum[i] * position_slope(c[i], axis, p));
    }
  }
}

// grid: (items × channels, 1, 1). The additions to one element happen in the order of the pixels.
ONNXGRID_KERNEL input_gradient_in_order(onnxgrid_gradient g, int64_t) {
  typedef typename Cell<T>::Acc A;
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  onnxgrid_problem p = g.forward;
  if (i >= p.batch * p.channels) return;
  for (int k = 0; k < 5; ++k) p.x_stride[k] = g.grad_x_stride[k];
  const int64_t n = i / p.channels, channel = i % p.channels, pixels = p.out[0] * p.out[1] * p.out[2];
  A* dx = (A*)g.grad_x + n * p.x_stride[0] + channel * p.x_stride[1];
  const T* dy = (const T*)g.grad_y + n * p.y_stride[0] + channel * p.y_stride[1];
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    const Pixel at = pixel_of(p, pixel);
    A c[3] = {0, 0, 0};
    coordinates<G, A>(p, n, at.d, at.h, at.w, c);
    Taps<A, Index, Count<kKind>::value> taps;
    find_taps<kKind, A, Index>(p, c, &taps);
    const A grad = A(Cell<T>::read(dy[at.d * p.y_stride[2] + at.h * p.y_stride[3] + at.w * p.y_stride[4]]));
#pragma unroll
    for (int t = 0; t < Count<kKind>::value; ++t)
      if (taps.offset[t] >= 0) dx[taps.offset[t]] += grad * taps.weight[t];
  }
}

}  // namespace cuda
}  // namespace onnxgrid
