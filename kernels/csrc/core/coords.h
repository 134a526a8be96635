// From a normalised coordinate to a source position, as torch.nn.functional.grid_sample defines it.
//
// PyTorch's CPU code has two rule sets that differ for non-finite and for very far coordinates, and in the
// last bit elsewhere: 4-D inputs (its vectorised kernel) and 5-D inputs (its scalar kernel). Both are kept,
// measured on PyTorch 1.8 and 2.9: a NaN with border padding is column 0 in 4-D and the last one in 5-D.
// Formulas: align_corners ? (c + 1) / 2 * (size - 1) : ((c + 1) * size - 1) / 2, reflection about the
// pixel centres (align_corners) or the pixel edges, then clipping.
#pragma once
#if !defined(__CUDACC_RTC__)
#include <math.h>
#endif

#include "api.h"
#include "numeric.h"

namespace onnxgrid {
namespace {

// One spatial axis: what unnormalising, reflecting and clipping need.
template <typename A> struct Axis {
  A size, scale, shift, low, double_span, last;
};

template <typename A> ONNXGRID_HD Axis<A> make_axis(int64_t size, int align_corners) {
  Axis<A> axis;
  axis.size = A(size);
  axis.last = A(size - 1);
  axis.scale = align_corners ? A(size - 1) / 2 : A(size) / 2;
  axis.shift = align_corners ? A(0) : A(0.5);
  axis.low = align_corners ? A(0) : A(-0.5);
  axis.double_span = align_corners ? A(2) * A(size - 1) : A(2) * A(size);
  return axis;
}

// ---- 4-D rules -------------------------------------------------------------------------------------------

template <typename A> ONNXGRID_HD A unnormalize_4d(A c, const Axis<A>& axis) { return (c + 1) * axis.scale - axis.shift; }

template <typename A> ONNXGRID_HD A clip_4d(A v, const Axis<A>& axis) {  // NaN becomes 0
  v = v > 0 ? v : A(0);
  return v < axis.last ? v : axis.last;
}

template <typename A> ONNXGRID_HD A reflect_4d(A v, const Axis<A>& axis) {
  if (!(axis.double_span > 0)) return 0;
  v = fabs(v - axis.low);
  const A extra = v - trunc(v / axis.double_span) * axis.double_span;
  const A mirrored = axis.double_span - extra;
  return (extra < mirrored ? extra : mirrored) + axis.low;
}

template <typename A> ONNXGRID_HD A pad_4d(A v, const Axis<A>& axis, int padding) {
  if (padding == ONNXGRID_ZEROS) return v;
  if (padding == ONNXGRID_REFLECTION) v = reflect_4d(v, axis);
  return clip_4d(v, axis);
}

// ---- 5-D rules -------------------------------------------------------------------------------------------

template <typename A> ONNXGRID_HD A unnormalize_5d(A c, const Axis<A>& axis, int align_corners) {
  return align_corners ? ((c + 1) / 2) * axis.last : ((c + 1) * axis.size - 1) / 2;
}

template <typename A> ONNXGRID_HD A clip_5d(A v, const Axis<A>& axis) {  // NaN becomes the last index
  v = v < 0 ? A(0) : v;
  return v < axis.last ? v : axis.last;
}

template <typename A> ONNXGRID_HD A reflect_5d(A v, const Axis<A>& axis) {
  const A span = axis.double_span / 2;
  if (!(span > 0)) return 0;
  v = fabs(v - axis.low);
  const A extra = fmod(v, span), flips = floor(v / span);
  const bool odd = flips < A(2147483648.0) && fmod(flips, A(2)) != 0;  // PyTorch counts flips in an int
  return odd ? span - extra + axis.low : extra + axis.low;
}

template <typename A> ONNXGRID_HD A pad_5d(A v, const Axis<A>& axis, int padding) {
  if (padding == ONNXGRID_REFLECTION) v = reflect_5d(v, axis);
  if (padding != ONNXGRID_ZEROS) v = clip_5d(v, axis);
  // PyTorch's rule for what no int can hold: a position that is outside of every image.
  return (v > A(-2147483648.0) && v < A(2147483646.0)) ? v : A(-100);
}

// ---- shared ----------------------------------------------------------------------------------------------

template <typename A>
ONNXGRID_HD A source_position(A c, const Axis<A>& axis, int rank, int padding, int align_corners) {
  return rank == 2 ? pad_4d(unnormalize_4d(c, axis), axis, padding)
                   : pad_5d(unnormalize_5d(c, axis, align_corners), axis, padding);
}

template <typename A> ONNXGRID_HD A round_half_even(A v) { return rint(v); }

// The index an integer-valued position names, or -1 when it is outside (or not a number).
template <typename A> ONNXGRID_HD int64_t index_or_minus_one(A v, const Axis<A>& axis) {
  return (v >= 0 && v <= axis.last) ? int64_t(v) : int64_t(-1);
}

// Cubic convolution with A = -0.75 (Keys 1981), the four weights of a fraction t in [0, 1].
template <typename A> ONNXGRID_HD void cubic_weights(A t, A* w) {
  const A a = A(-0.75);
  const A t0 = t + 1, t2 = 1 - t, t3 = 2 - t;
  w[0] = ((a * t0 - 5 * a) * t0 + 8 * a) * t0 - 4 * a;
  w[1] = ((a + 2) * t - (a + 3)) * t * t + 1;
  w[2] = ((a + 2) * t2 - (a + 3)) * t2 * t2 + 1;
  w[3] = ((a * t3 - 5 * a) * t3 + 8 * a) * t3 - 4 * a;
}

// d/dt of the four weights.
template <typename A> ONNXGRID_HD void cubic_slopes(A t, A* s) {
  const A a = A(-0.75);
  const A t0 = t + 1, t2 = 1 - t, t3 = 2 - t;
  s[0] = (3 * a * t0 - 10 * a) * t0 + 8 * a;
  s[1] = (3 * (a + 2) * t - 2 * (a + 3)) * t;
  s[2] = -(3 * (a + 2) * t2 - 2 * (a + 3)) * t2;
  s[3] = -((3 * a * t3 - 10 * a) * t3 + 8 * a);
}

// Base coordinate i of `size` of an affine grid: PyTorch's linspace from -1 to 1, shrunk to pixel centres
// unless align_corners; 0 for a single pixel.
template <typename A> ONNXGRID_HD A base_coordinate(int64_t i, int64_t size, int align_corners) {
  if (size <= 1) return 0;
  const A step = A(2) / A(size - 1);
  const A c = i < size / 2 ? A(-1) + step * A(i) : A(1) - step * A(size - 1 - i);
  return align_corners ? c : c * A(size - 1) / A(size);
}

}  // namespace
}  // namespace onnxgrid
