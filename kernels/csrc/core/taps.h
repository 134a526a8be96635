// The weighted source pixels ("taps") of one output pixel, for every mode, rank and padding.
#pragma once
#include "coords.h"

namespace onnxgrid {
namespace {

template <typename A> struct Taps {
  int count;
  int64_t offset[16];  // in elements from the first channel of the item; -1 is outside and reads as 0
  A weight[16];
};

template <typename A> struct Axes {
  Axis<A> x, y, z;
  explicit Axes(const onnxgrid_problem& p)
      : x(make_axis<A>(p.in[2], p.align_corners)),
        y(make_axis<A>(p.in[1], p.align_corners)),
        z(make_axis<A>(p.in[0], p.align_corners)) {}
};

template <typename A> void nearest_taps(const onnxgrid_problem& p, const Axes<A>& axes, const A* c, Taps<A>* taps) {
  const Axis<A>* axis[3] = {&axes.x, &axes.y, &axes.z};
  int64_t offset = 0;
  for (int i = 0; i < p.rank; ++i) {
    const A v = round_half_even(source_position(c[i], *axis[i], p.rank, p.padding, p.align_corners));
    const int64_t index = index_or_minus_one(v, *axis[i]);
    offset = (index < 0 || offset < 0) ? -1 : offset + index * p.x_stride[4 - i];
  }
  taps->count = 1;
  taps->offset[0] = offset;
  taps->weight[0] = 1;
}

template <typename A> void linear_taps(const onnxgrid_problem& p, const Axes<A>& axes, const A* c, Taps<A>* taps) {
  const Axis<A>* axis[3] = {&axes.x, &axes.y, &axes.z};
  int64_t index[3][2];
  A weight[3][2];
  for (int i = 0; i < p.rank; ++i) {
    const A v = source_position(c[i], *axis[i], p.rank, p.padding, p.align_corners);
    const A first = floor(v);
    weight[i][1] = v - first;
    weight[i][0] = 1 - weight[i][1];
    for (int k = 0; k < 2; ++k) {
      const int64_t at = index_or_minus_one(first + A(k), *axis[i]);
      index[i][k] = at < 0 ? -1 : at * p.x_stride[4 - i];
    }
  }
  taps->count = 1 << p.rank;
  for (int t = 0; t < taps->count; ++t) {
    int64_t offset = 0;
    A w = 1;
    for (int i = 0; i < p.rank; ++i) {
      const int k = (t >> i) & 1;
      w *= weight[i][k];
      offset = (offset < 0 || index[i][k] < 0) ? -1 : offset + index[i][k];
    }
    taps->offset[t] = offset;
    taps->weight[t] = w;
  }
}

template <typename A> void cubic_taps(const onnxgrid_problem& p, const Axes<A>& axes, const A* c, Taps<A>* taps) {
  const Axis<A>* axis[2] = {&axes.x, &axes.y};
  int64_t index[2][4];
  A weight[2][4];
  for (int i = 0; i < 2; ++i) {
    const A v = unnormalize_4d(c[i], *axis[i]), first = floor(v);
    cubic_weights<A>(v - first, weight[i]);
    for (int k = 0; k < 4; ++k) {
      const int64_t at = index_or_minus_one(pad_4d(first + A(k - 1), *axis[i], p.padding), *axis[i]);
      index[i][k] = at < 0 ? -1 : at * p.x_stride[4 - i];
    }
  }
  taps->count = 16;
  for (int t = 0; t < 16; ++t) {
    const int64_t a = index[0][t & 3], b = index[1][t >> 2];
    taps->offset[t] = (a < 0 || b < 0) ? -1 : a + b;
    taps->weight[t] = weight[0][t & 3] * weight[1][t >> 2];
  }
}

template <typename A> void find_taps(const onnxgrid_problem& p, const Axes<A>& axes, const A* c, Taps<A>* taps) {
  if (p.mode == ONNXGRID_NEAREST) return nearest_taps(p, axes, c, taps);
  if (p.mode == ONNXGRID_BICUBIC) return cubic_taps(p, axes, c, taps);
  return linear_taps(p, axes, c, taps);
}

}  // namespace
}  // namespace onnxgrid
