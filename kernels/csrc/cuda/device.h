// Element types and coordinates on the device; also compiled as plain C++ by the tests, one thread at a time.
//
// Rules of PyTorch's CUDA code: those of its 5-D CPU kernel for every rank, except that clipping turns NaN into 0.
#pragma once
#include "../core/coords.h"

#if defined(ONNXGRID_EMULATE)
#define ONNXGRID_DEVICE inline
#define ONNXGRID_KERNEL template <typename T, typename G, int kKind, typename Index> void
#else
#define ONNXGRID_DEVICE __device__ __forceinline__
#define ONNXGRID_KERNEL template <typename T, typename G, int kKind, typename Index> __global__ void
#endif

namespace onnxgrid {
namespace cuda {

// What a kernel is specialised for.
enum Kind { kLinear2 = 0, kNearest = 1, kCubic2 = 2, kLinear3 = 3 };

template <typename T> struct Cell;
template <> struct Cell<float> {
  typedef float Acc;
  static ONNXGRID_DEVICE float read(float v) { return v; }
  static ONNXGRID_DEVICE float write(float v) { return v; }
};
template <> struct Cell<double> {
  typedef double Acc;
  static ONNXGRID_DEVICE double read(double v) { return v; }
  static ONNXGRID_DEVICE double write(double v) { return v; }
};
template <> struct Cell<half_t> {
  typedef float Acc;
#if defined(ONNXGRID_EMULATE)
  static float read(half_t v) { return to_float(v); }
  static half_t write(float v) { return to_half(v); }
#else
  static ONNXGRID_DEVICE float read(half_t v) {
    float out;
    asm("cvt.f32.f16 %0, %1;" : "=f"(out) : "h"(v.bits));
    return out;
  }
  static ONNXGRID_DEVICE half_t write(float v) {
    half_t out;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(out.bits) : "f"(v));
    return out;
  }
#endif
};
template <> struct Cell<bfloat_t> {
  typedef float Acc;
#if defined(ONNXGRID_EMULATE)
  static float read(bfloat_t v) { return to_float(v); }
  static bfloat_t write(float v) { return to_bfloat(v); }
#else
  static ONNXGRID_DEVICE float read(bfloat_t v) { return __uint_as_float((unsigned int)v.bits << 16); }
  static ONNXGRID_DEVICE bfloat_t write(float v) {
    const unsigned int bits = __float_as_uint(v);
    bfloat_t out;
    out.bits = (bits & 0x7fffffffu) > 0x7f800000u ? (unsigned short)((bits >> 16) | 0x40u)
                                                  : (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
    return out;
  }
#endif
};

template <typename A> ONNXGRID_DEVICE A pad(A v, const Axis<A>& axis, int padding) {
  if (padding == ONNXGRID_REFLECTION) v = reflect_5d(v, axis);
  if (padding != ONNXGRID_ZEROS) v = clip_4d(v, axis);
  return (v > A(-2147483648.0) && v < A(2147483646.0)) ? v : A(-100);
}

template <typename A> ONNXGRID_DEVICE A position(A c, const Axis<A>& axis, const onnxgrid_problem& p) {
  return pad(unnormalize_5d(c, axis, p.align_corners), axis, p.padding);
}

// The normalised coordinates of output pixel (d, h, w) of item n.
template <typename G, typename A>
ONNXGRID_DEVICE void coordinates(const onnxgrid_problem& p, int64_t n, int64_t d, int64_t h, int64_t w, A* c) {
  if (!p.theta) {
    const G* item = (const G*)p.grid + n * p.grid_stride[0] + d * p.grid_stride[1] + h * p.grid_stride[2] + w * p.grid_stride[3];
    for (int i = 0; i < p.rank; ++i) c[i] = A(Cell<G>::read(item[i * p.grid_stride[4]]));
    return;
  }
  const G* theta = (const G*)p.theta + n * p.theta_stride[0];
  const A x = base_coordinate<A>(w, p.out[2], p.grid_align_corners);
  const A y = base_coordinate<A>(h, p.out[1], p.grid_align_corners);
  const A z = p.rank == 3 ? base_coordinate<A>(d, p.out[0], p.grid_align_corners) : A(0);
  for (int i = 0; i < p.rank; ++i) {
    const G* line = theta + i * p.theta_stride[1];
    A sum = A(Cell<G>::read(line[0])) * x + A(Cell<G>::read(line[p.theta_stride[2]])) * y;
    if (p.rank == 3) sum += A(Cell<G>::read(line[2 * p.theta_stride[2]])) * z;
    c[i] = sum + A(Cell<G>::read(line[p.rank * p.theta_stride[2]]));
  }
}

// The taps of one pixel: offsets into a channel (negative: outside, reads as 0) and weights.
template <typename A, typename Index, int kCount> struct Taps {
  Index offset[kCount];
  A weight[kCount];
};

template <int kKind> struct Count { static const int value = kKind == kNearest ? 1 : kKind == kLinear2 ? 4 : kKind == kLinear3 ? 8 : 16; };

template <typename A, typename Index, int kRank, int kCount>
ONNXGRID_DEVICE void linear_taps(const onnxgrid_problem& p, const A* c, Taps<A, Index, kCount>* taps, A (*fraction)[2]) {
  Index index[kRank][2];
  for (int i = 0; i < kRank; ++i) {
    const Axis<A> axis = make_axis<A>(p.in[2 - i], p.align_corners);
    const A v = position(c[i], axis, p), first = floor(v);
    fraction[i][1] = v - first;
    fraction[i][0] = 1 - fraction[i][1];
    for (int k = 0; k < 2; ++k) {
      const int64_t at = index_or_minus_one(first + A(k), axis);
      index[i][k] = at < 0 ? Index(-1) : Index(at * p.x_stride[4 - i]);
    }
  }
  for (int t = 0; t < kCount; ++t) {
    Index offset = 0;
    A weight = 1;
    for (int i = 0; i < kRank; ++i) {
      const Index at = index[i][(t >> i) & 1];
      offset = (offset < 0 || at < 0) ? Index(-1) : offset + at;
      weight *= fraction[i][(t >> i) & 1];
    }
    taps->offset[t] = offset;
    taps->weight[t] = weight;
  }
}

template <typename A, typename Index, int kCount>
ONNXGRID_DEVICE void nearest_taps(const onnxgrid_problem& p, const A* c, Taps<A, Index, kCount>* taps) {
  Index offset = 0;
  for (int i = 0; i < p.rank; ++i) {
    const Axis<A> axis = make_axis<A>(p.in[2 - i], p.align_corners);
    const int64_t at = index_or_minus_one(round_half_even(position(c[i], axis, p)), axis);
    offset = (at < 0 || offset < 0) ? Index(-1) : offset + Index(at * p.x_stride[4 - i]);
  }
  taps->offset[0] = offset;
  taps->weight[0] = 1;
}

template <typename A, typename Index, int kCount>
ONNXGRID_DEVICE void cubic_taps(const onnxgrid_problem& p, const A* c, Taps<A, Index, kCount>* taps, A (*weight)[4], A (*slope)[4]) {
  Index index[2][4];
  for (int i = 0; i < 2; ++i) {
    const Axis<A> axis = make_axis<A>(p.in[2 - i], p.align_corners);
    const A v = unnormalize_5d(c[i], axis, p.align_corners), first = floor(v);
    cubic_weights<A>(v - first, weight[i]);
    if (slope) cubic_slopes<A>(v - first, slope[i]);
    for (int k = 0; k < 4; ++k) {
      const int64_t at = index_or_minus_one(pad(first + A(k - 1), axis, p.padding), axis);
      index[i][k] = at < 0 ? Index(-1) : Index(at * p.x_stride[4 - i]);
    }
  }
  for (int t = 0; t < kCount; ++t) {
    const Index a = index[0][t & 3], b = index[1][(t >> 2) & 3];
    taps->offset[t] = (a < 0 || b < 0) ? Index(-1) : a + b;
    taps->weight[t] = weight[0][t & 3] * weight[1][(t >> 2) & 3];
  }
}

template <int kKind, typename A, typename Index>
ONNXGRID_DEVICE void find_taps(const onnxgrid_problem& p, const A* c, Taps<A, Index, Count<kKind>::value>* taps) {
  A linear[3][2], cubic[2][4];
  if (kKind == kNearest) nearest_taps(p, c, taps);
  if (kKind == kLinear2) linear_taps<A, Index, 2>(p, c, taps, linear);
  if (kKind == kLinear3) linear_taps<A, Index, 3>(p, c, taps, linear);
  if (kKind == kCubic2) cubic_taps(p, c, taps, cubic, (A(*)[4])0);
}

}  // namespace cuda
}  // namespace onnxgrid
