// Gradients in plain C++, deterministic for any number of threads: no two tasks write the same element.
//
// The derivative of a position follows PyTorch: 0 where clipping acts (bounds included), the sign of the
// reflection, and nothing through the padding of single bicubic taps. Nearest has no gradient for the grid.
#pragma once
#include "grid.h"
#include "taps.h"

namespace onnxgrid {
namespace {

constexpr int64_t kGradientChannels = 8;  // channels that share one pass over the coordinates

template <typename A> A position_slope(A c, const Axis<A>& axis, const onnxgrid_problem& p) {
  A slope = axis.scale;
  if (p.mode == ONNXGRID_BICUBIC || p.padding == ONNXGRID_ZEROS) return slope;
  A v = p.rank == 2 ? unnormalize_4d(c, axis) : unnormalize_5d(c, axis, p.align_corners);
  if (p.padding == ONNXGRID_REFLECTION) {
    const A span = axis.double_span / 2, distance = v - axis.low;
    if (!(span > 0)) return 0;
    if (distance < 0) slope = -slope;
    if (fmod(floor(fabs(distance) / span), A(2)) != 0) slope = -slope;
    v = p.rank == 2 ? reflect_4d(v, axis) : reflect_5d(v, axis);
  }
  return (v > 0 && v < axis.last) ? slope : A(0);
}

// d weight / d position for every tap and axis; taps are laid out as find_taps() lays them out.
template <typename A>
void tap_slopes(const onnxgrid_problem& p, const Axes<A>& axes, const A* c, A (*slopes)[16]) {
  const Axis<A>* axis[3] = {&axes.x, &axes.y, &axes.z};
  A weight[3][4], slope[3][4];
  const bool cubic = p.mode == ONNXGRID_BICUBIC;
  for (int i = 0; i < p.rank; ++i) {
    const A v = cubic ? unnormalize_4d(c[i], *axis[i])
                      : source_position(c[i], *axis[i], p.rank, p.padding, p.align_corners);
    const A t = v - floor(v);
    if (cubic) {
      cubic_weights<A>(t, weight[i]);
      cubic_slopes<A>(t, slope[i]);
    } else {
      weight[i][0] = 1 - t;
      weight[i][1] = t;
      slope[i][0] = -1;
      slope[i][1] = 1;
    }
  }
  const int count = cubic ? 16 : 1 << p.rank, shift = cubic ? 2 : 1;
  for (int t = 0; t < count; ++t)
    for (int i = 0; i < p.rank; ++i) {
      A product = 1;
      for (int k = 0; k < p.rank; ++k) {
        const int at = (t >> (k * shift)) & ((1 << shift) - 1);
        product *= k == i ? slope[k][at] : weight[k][at];
      }
      slopes[i][t] = product;
    }
}

template <typename T, typename G> void grid_gradient(const onnxgrid_gradient& g, int64_t begin, int64_t end) {
  using A = typename Element<T>::Acc;
  const onnxgrid_problem& p = g.forward;
  const int64_t rows = p.out[0] * p.out[1];
  const Axes<A> axes(p);
  const Axis<A>* axis[3] = {&axes.x, &axes.y, &axes.z};
  Coordinates<G> coordinates(p);
  Taps<A> taps;
  A slopes[3][16];
  for (int64_t r = begin; r < end; ++r) {
    const int64_t n = r / rows, row = r % rows;
    const T* x = static_cast<const T*>(p.x) + n * p.x_stride[0];
    const T* dy = static_cast<const T*>(g.grad_y) + n * p.y_stride[0] + (row / p.out[1]) * p.y_stride[2] +
                  (row % p.out[1]) * p.y_stride[3];
    G* to = static_cast<G*>(g.grad_grid) + r * p.out[2] * p.rank;
    coordinates.select(n, row);
    for (int64_t w = 0; w < p.out[2]; ++w, dy += p.y_stride[4], to += p.rank) {
      typename Coordinates<G>::A raw[3] = {};
      coordinates.read(w, raw);
      const A c[3] = {A(raw[0]), A(raw[1]), p.rank == 3 ? A(raw[2]) : A(0)};
      A sum[3] = {0, 0, 0};
      if (p.mode != ONNXGRID_NEAREST) {
        find_taps(p, axes, c, &taps);
        tap_slopes(p, axes, c, slopes);
        for (int t = 0; t < taps.count; ++t) {
          if (taps.offset[t] < 0) continue;
          A dot = 0;
          for (int64_t k = 0; k < p.channels; ++k)
            dot += A(Element<T>::read(x[taps.offset[t] + k * p.x_stride[1]])) * A(Element<T>::read(dy[k * p.y_stride[1]]));
          for (int i = 0; i < p.rank; ++i) sum[i] += slopes[i][t] * dot;
        }
      }
      for (int i = 0; i < p.rank; ++i)
        to[i] = Element<G>::write(p.mode == ONNXGRID_NEAREST ? A(0) : sum[i] * position_slope(c[i], *axis[i], p));
    }
  }
}

template <typename T, typename G> void input_gradient(const onnxgrid_gradient& g, int64_t begin, int64_t end) {
  using A = typename Element<T>::Acc;
  onnxgrid_problem p = g.forward;
  for (int i = 0; i < 5; ++i) p.x_stride[i] = g.grad_x_stride[i];  // taps then address grad_x
  const Axes<A> axes(p);
  Coordinates<G> coordinates(p);
  Taps<A> taps;
  const int64_t groups = (p.channels + kGradientChannels - 1) / kGradientChannels;
  for (int64_t task = begin; task < end; ++task) {
    const int64_t n = task / groups, first = task % groups * kGradientChannels;
    const int64_t count = p.channels - first < kGradientChannels ? p.channels - first : kGradientChannels;
    A* dx = static_cast<A*>(g.grad_x) + n * p.x_stride[0] + first * p.x_stride[1];
    for (int64_t row = 0; row < p.out[0] * p.out[1]; ++row) {
      const T* dy = static_cast<const T*>(g.grad_y) + n * p.y_stride[0] + first * p.y_stride[1] +
                    (row / p.out[1]) * p.y_stride[2] + (row % p.out[1]) * p.y_stride[3];
      coordinates.select(n, row);
      for (int64_t w = 0; w < p.out[2]; ++w, dy += p.y_stride[4]) {
        typename Coordinates<G>::A raw[3] = {};
        coordinates.read(w, raw);
        const A c[3] = {A(raw[0]), A(raw[1]), p.rank == 3 ? A(raw[2]) : A(0)};
        find_taps(p, axes, c, &taps);
        for (int64_t k = 0; k < count; ++k) {
          const A gradient = Element<T>::read(dy[k * p.y_stride[1]]);
          for (int t = 0; t < taps.count; ++t)
            if (taps.offset[t] >= 0) dx[k * p.x_stride[1] + taps.offset[t]] += gradient * taps.weight[t];
        }
      }
    }
  }
}

inline int64_t gradient_tasks(const onnxgrid_gradient& g, int input_half) {
  const onnxgrid_problem& p = g.forward;
  if (p.out[0] * p.out[1] * p.out[2] == 0) return 0;
  if (input_half) return g.grad_x ? p.batch * ((p.channels + kGradientChannels - 1) / kGradientChannels) : 0;
  return g.grad_grid ? p.batch * p.out[0] * p.out[1] : 0;
}

template <typename T, typename G>
void run_gradient_typed(const onnxgrid_gradient& g, int input_half, int64_t begin, int64_t end) {
  if (input_half)
    input_gradient<T, G>(g, begin, end);
  else
    grid_gradient<T, G>(g, begin, end);
}

inline void run_gradient(const onnxgrid_gradient& g, int input_half, int64_t begin, int64_t end) {
  const bool wide = g.forward.grid_dtype == ONNXGRID_F32;
  switch (g.forward.dtype) {
    case ONNXGRID_F32: return run_gradient_typed<float, float>(g, input_half, begin, end);
    case ONNXGRID_F64: return run_gradient_typed<double, double>(g, input_half, begin, end);
    case ONNXGRID_F16:
      return wide ? run_gradient_typed<half_t, float>(g, input_half, begin, end)
                  : run_gradient_typed<half_t, half_t>(g, input_half, begin, end);
    default:
      return wide ? run_gradient_typed<bfloat_t, float>(g, input_half, begin, end)
                  : run_gradient_typed<bfloat_t, bfloat_t>(g, input_half, begin, end);
  }
}

}  // namespace
}  // namespace onnxgrid
