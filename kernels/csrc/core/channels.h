// The inner loops: one channel of one tile. Index and weights were computed once for all channels.
#pragma once
#include "tile.h"

namespace onnxgrid {
namespace {

inline void store_some(float* to, vf value, int count) {
  if (count >= kLanes) return store(to, value);
  float lanes[kLanes];
  store(lanes, value);
  for (int i = 0; i < count; ++i) to[i] = lanes[i];
}

inline vi tap(vi bits, int32_t flag) { return (bits & flag) != 0; }

// Two rows of a bilinear window, kLanes pixels.
template <bool kInside>
inline vf linear_2d(const float* src, const float* below, const Tile& tile, int i) {
  vf a, b, c, d;
  load_pairs(src, tile.index + i, &a, &b);
  load_pairs(below, tile.index + i, &c, &d);
  if (!kInside) {
    const vi bits = load<vi>(tile.bits + i);
    a = keep(tap(bits, 1), a);
    b = keep(tap(bits, 2), b);
    c = keep(tap(bits, 4), c);
    d = keep(tap(bits, 8), d);
  }
  const vf top = fma_of(b, load<vf>(tile.weight[1] + i), a * load<vf>(tile.weight[0] + i));
  return fma_of(d, load<vf>(tile.weight[3] + i), fma_of(c, load<vf>(tile.weight[2] + i), top));
}

template <bool kInside>
inline vf linear_3d(const float* src, const Tile& tile, int i, int64_t row_step, int64_t plane_step) {
  const vf left_weight = load<vf>(tile.weight[4] + i), right_weight = load<vf>(tile.weight[5] + i);
  vf sum = {};
  for (int r = 0; r < 4; ++r) {
    vf left, right;
    load_pairs(src + (r & 1) * row_step + (r >> 1) * plane_step, tile.index + i, &left, &right);
    if (!kInside) {
      const vi bits = load<vi>(tile.bits + i), row = tap(bits, 1 << r);
      left = keep(row & tap(bits, 16), left);
      right = keep(row & tap(bits, 32), right);
    }
    sum = fma_of(fma_of(right, right_weight, left * left_weight), load<vf>(tile.weight[r] + i), sum);
  }
  return sum;
}

// One pixel of a bicubic window: the four columns, already summed over rows and weighted, not yet added up.
inline v4f cubic_columns(const float* src, const Tile& tile, int i, int64_t row_stride) {
  const float* at = src + tile.index[i];
  const float* wy = tile.weight[4] + 4 * i;
  v4f sum = load<v4f>(at) * wy[0];
  for (int r = 1; r < 4; ++r) sum = fma_of_four(load<v4f>(at + r * row_stride), wy[r], sum);
  return sum * load<v4f>(tile.weight[0] + 4 * i);
}

inline v4f cubic_columns_masked(const float* src, const Tile& tile, int i, int64_t row_stride) {
  const float* at = src + tile.index[i];
  const float* wy = tile.weight[4] + 4 * i;
  const int32_t bits = tile.bits[i];
  const v4i columns = ((v4i{1, 2, 4, 8} & bits) != 0);
  v4f sum = {};
  for (int r = 0; r < 4; ++r) {
    const v4i row = columns & ((bits >> (4 + r)) & 1 ? v4i{-1, -1, -1, -1} : v4i{});
    sum = fma_of_four(keep(row, load<v4f>(at + r * row_stride)), wy[r], sum);
  }
  return sum * load<v4f>(tile.weight[0] + 4 * i);
}

// Where the same pixels of the next channel are read and written. Asking for them one channel early hides most
// of the memory's latency, which no hardware prefetcher can on a rotated walk.
struct Ahead {
  int64_t in, out;
};

inline void prefetch(const float* src, const float* to, const Tile& tile, int i, int64_t row_step, Ahead ahead) {
  __builtin_prefetch(src + ahead.in + tile.index[i]);
  __builtin_prefetch(src + ahead.in + row_step + tile.index[i + kLanes - 1]);
  __builtin_prefetch(to + ahead.out, 1);
}

// A stretch of full groups of lanes, all inside or all not: the loop that the time goes into.
template <bool kInside>
inline void stretch_2d(const float* src, const Tile& tile, int i, int end, int64_t row_step, Ahead ahead, float* to) {
  const float* below = src + row_step;
  for (; i < end; i += kLanes, to += kLanes) {
    prefetch(src, to, tile, i, row_step, ahead);
    store(to, linear_2d<kInside>(src, below, tile, i));
  }
}

template <bool kInside>
inline void stretch_3d(const float* src, const Tile& tile, int i, int end, int64_t row_step, int64_t plane_step,
                       Ahead ahead, float* to) {
  for (; i < end; i += kLanes, to += kLanes) {
    prefetch(src, to, tile, i, row_step + plane_step, ahead);
    store(to, linear_3d<kInside>(src, tile, i, row_step, plane_step));
  }
}

inline void run_linear(const onnxgrid_problem& p, const Tile& tile, Ahead ahead, const float* src, float* dst) {
  const int64_t row_step = p.in[1] > 1 ? p.x_stride[3] : 0, plane_step = p.in[0] > 1 ? p.x_stride[2] : 0;
  const int full = tile.columns / kLanes * kLanes;
  for (int r = 0; r < tile.rows; ++r) {
    float* to = dst + tile.out_offset[r];
    const int row = r * tile.padded;
    for (int c = 0; c < full;) {
      const bool inside = tile.inside[(row + c) / kLanes];
      int stop = c + kLanes;
      while (stop < full && tile.inside[(row + stop) / kLanes] == inside) stop += kLanes;
      if (p.rank == 2)
        (inside ? stretch_2d<true> : stretch_2d<false>)(src, tile, row + c, row + stop, row_step, ahead, to + c);
      else
        (inside ? stretch_3d<true> : stretch_3d<false>)(src, tile, row + c, row + stop, row_step, plane_step, ahead,
                                                        to + c);
      c = stop;
    }
    if (full == tile.columns) continue;
    const int i = row + full;
    const bool inside = tile.inside[i / kLanes];
    const vf last = p.rank == 2 ? (inside ? linear_2d<true> : linear_2d<false>)(src, src + row_step, tile, i)
                                : (inside ? linear_3d<true> : linear_3d<false>)(src, tile, i, row_step, plane_step);
    store_some(to + full, last, tile.columns - full);
  }
}

inline void run_cubic(const onnxgrid_problem& p, const Tile& tile, Ahead ahead, const float* src, float* dst) {
  const int64_t stride = p.x_stride[3];
  for (int r = 0; r < tile.rows; ++r) {
    float* to = dst + tile.out_offset[r];
    for (int c = 0; c < tile.columns; c += 4) {
      const int i = r * tile.padded + c;
      if (c % kLanes == 0) prefetch(src, to + c, tile, i, 3 * stride, ahead);
      v4f value;
      if (tile.inside[i / kLanes])
        value = sums_of(cubic_columns(src, tile, i, stride), cubic_columns(src, tile, i + 1, stride),
                        cubic_columns(src, tile, i + 2, stride), cubic_columns(src, tile, i + 3, stride));
      else
        value = sums_of(cubic_columns_masked(src, tile, i, stride), cubic_columns_masked(src, tile, i + 1, stride),
                        cubic_columns_masked(src, tile, i + 2, stride), cubic_columns_masked(src, tile, i + 3, stride));
      if (tile.columns - c >= 4) {
        store(to + c, value);
      } else {
        for (int k = 0; k < tile.columns - c; ++k) to[c + k] = value[k];
      }
    }
  }
}

inline void run_nearest(const Tile& tile, Ahead ahead, const float* src, float* dst) {
  for (int r = 0; r < tile.rows; ++r) {
    float* to = dst + tile.out_offset[r];
    for (int c = 0; c < tile.columns; c += kLanes) {
      const int i = r * tile.padded + c;
      prefetch(src, to + c, tile, i, 0, ahead);
      vf value = load_each(src, tile.index + i);
      if (!tile.inside[i / kLanes]) value = keep(load<vi>(tile.bits + i), value);
      store_some(to + c, value, tile.columns - c);
    }
  }
}

}  // namespace
}  // namespace onnxgrid
