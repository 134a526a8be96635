// Coordinates of a tile -> source index, weights and validity, kLanes pixels at a time.
//
// Every group reads a 2-wide (linear) or 4-wide (cubic) window that lies in the image. Where taps fall outside,
// the window is moved in, each weight goes to the window pixel that its (padded) tap names, and `bits` say
// which window pixels are read at all: a pixel nobody names may hold an infinity.
#pragma once
#include "taps.h"
#include "tile.h"

namespace onnxgrid {
namespace {

inline vf pad_4d(vf v, const Axis<float>& axis, int padding) {
  if (padding == ONNXGRID_ZEROS) return v;
  if (padding == ONNXGRID_REFLECTION) {
    if (!(axis.double_span > 0)) return vf{};
    v = (vf)((vi)(v - axis.low) & 0x7fffffff);
    const vf extra = fma_of(trunc_of(v / axis.double_span), splat(-axis.double_span), v);
    const vf mirrored = axis.double_span - extra;
    v = select(extra < mirrored, extra, mirrored) + axis.low;
  }
  v = select(v > 0, v, vf{});
  return select(v < axis.last, v, splat(axis.last));
}

inline vf positions(const onnxgrid_problem& p, const Axis<float>& axis, const float* coordinates) {
  const vf c = load<vf>(coordinates);
  if (p.rank == 2) return pad_4d(fma_of(c + 1.0f, splat(axis.scale), splat(-axis.shift)), axis, p.padding);
  // 5-D rules: near coordinates agree with the 4-D formula, the rest goes one by one.
  const vf v = p.align_corners ? (c + 1.0f) / 2.0f * axis.last : ((c + 1.0f) * axis.size - 1.0f) / 2.0f;
  if (all((v > -1e5f) & (v < 1e5f))) return pad_4d(v, axis, p.padding);
  vf out;
  for (int i = 0; i < kLanes; ++i) out[i] = source_position(c[i], axis, p.rank, p.padding, p.align_corners);
  return out;
}

// The linear taps of one axis, window moved inside.
struct LinearAxis {
  vi base;                 // first pixel of the window
  vf weight_a, weight_b;   // of pixels base and base + 1
  vi has_a, has_b;
  vi inside;
};

inline LinearAxis linear_axis(vf v, const Axis<float>& axis, int64_t size) {
  LinearAxis out;
  const vf first = floor_of(v);
  const vf w1 = v - first, w0 = 1.0f - w1;
  const float last_base = size > 1 ? axis.last - 1.0f : 0.0f;
  out.inside = (first >= 0.0f) & (first <= last_base) & (size > 1 ? splat_int(-1) : vi{});
  if (all(out.inside)) {
    out.base = to_int(first);
    out.weight_a = w0;
    out.weight_b = w1;
    out.has_a = out.has_b = splat_int(-1);
    return out;
  }
  vf near = select(first > -2.0f, first, splat(-2.0f));  // NaN and far coordinates become outside
  near = select(near < axis.size, near, splat(axis.size));
  vf base = select(near > 0.0f, near, vf{});
  base = select(base < last_base, base, splat(last_base));
  const vi same = near == base, before = near == base - 1.0f, after = near == base + 1.0f;
  out.base = to_int(base);
  out.weight_a = select(before, w1, w0);
  out.weight_b = select(after, w0, w1);
  out.has_a = same | before;
  out.has_b = (same | after) & (size > 1 ? splat_int(-1) : vi{});
  return out;
}

inline void fill_linear_2d(const onnxgrid_problem& p, const Axes<float>& axes, Tile* tile) {
  const int32_t row_stride = int32_t(p.x_stride[3]);
  for (int i = 0; i < tile->rows * tile->padded; i += kLanes) {
    const LinearAxis x = linear_axis(positions(p, axes.x, tile->coordinate[0] + i), axes.x, p.in[2]);
    const LinearAxis y = linear_axis(positions(p, axes.y, tile->coordinate[1] + i), axes.y, p.in[1]);
    const bool inside = all(x.inside & y.inside);
    tile->inside[i / kLanes] = inside;
    store(tile->index + i, y.base * row_stride + x.base);
    store(tile->weight[0] + i, x.weight_a * y.weight_a);
    store(tile->weight[1] + i, x.weight_b * y.weight_a);
    store(tile->weight[2] + i, x.weight_a * y.weight_b);
    store(tile->weight[3] + i, x.weight_b * y.weight_b);
    if (!inside)
      store(tile->bits + i, (x.has_a & y.has_a & 1) | (x.has_b & y.has_a & 2) | (x.has_a & y.has_b & 4) |
                                (x.has_b & y.has_b & 8));
  }
}

inline void fill_linear_3d(const onnxgrid_problem& p, const Axes<float>& axes, Tile* tile) {
  const int32_t row_stride = int32_t(p.x_stride[3]), plane_stride = int32_t(p.x_stride[2]);
  for (int i = 0; i < tile->rows * tile->padded; i += kLanes) {
    const LinearAxis x = linear_axis(positions(p, axes.x, tile->coordinate[0] + i), axes.x, p.in[2]);
    const LinearAxis y = linear_axis(positions(p, axes.y, tile->coordinate[1] + i), axes.y, p.in[1]);
    const LinearAxis z = linear_axis(positions(p, axes.z, tile->coordinate[2] + i), axes.z, p.in[0]);
    const bool inside = all(x.inside & y.inside & z.inside);
    tile->inside[i / kLanes] = inside;
    store(tile->index + i, z.base * plane_stride + y.base * row_stride + x.base);
    store(tile->weight[0] + i, y.weight_a * z.weight_a);
    store(tile->weight[1] + i, y.weight_b * z.weight_a);
    store(tile->weight[2] + i, y.weight_a * z.weight_b);
    store(tile->weight[3] + i, y.weight_b * z.weight_b);
    store(tile->weight[4] + i, x.weight_a);
    store(tile->weight[5] + i, x.weight_b);
    if (!inside)
      store(tile->bits + i, (y.has_a & z.has_a & 1) | (y.has_b & z.has_a & 2) | (y.has_a & z.has_b & 4) |
                                (y.has_b & z.has_b & 8) | (x.has_a & 16) | (x.has_b & 32));
  }
}

inline void fill_nearest(const onnxgrid_problem& p, const Axes<float>& axes, Tile* tile) {
  const Axis<float>* axis[3] = {&axes.x, &axes.y, &axes.z};
  for (int i = 0; i < tile->rows * tile->padded; i += kLanes) {
    vi index = {}, inside = splat_int(-1);
    for (int k = 0; k < p.rank; ++k) {
      const vf v = rint_of(positions(p, *axis[k], tile->coordinate[k] + i));
      const vi valid = (v >= 0.0f) & (v <= axis[k]->last);
      inside &= valid;
      index += to_int(select(valid, v, vf{})) * int32_t(p.x_stride[4 - k]);
    }
    tile->inside[i / kLanes] = all(inside);
    store(tile->index + i, index);
    store(tile->bits + i, inside);
  }
}

// Cubic weights of one axis for one pixel whose window must move: w[j] belongs to pixel base + j.
inline int fold_cubic(float first, const float* w, const Axis<float>& axis, int64_t size, int padding, float* folded,
                      int* mask) {
  int64_t index[4], lowest = size - 4;
  for (int k = 0; k < 4; ++k) {
    index[k] = index_or_minus_one(onnxgrid::pad_4d(first + float(k - 1), axis, padding), axis);
    if (index[k] >= 0 && index[k] < lowest) lowest = index[k];
  }
  *mask = 0;
  // A NaN weight must reach the sum even when no tap exists, so unnamed pixels carry 0 * weight.
  for (int j = 0; j < 4; ++j) folded[j] = w[j] * 0.0f;
  for (int k = 0; k < 4; ++k) {
    if (index[k] < 0) continue;
    const int j = int(index[k] - lowest);
    folded[j] += w[k];
    *mask |= 1 << j;
  }
  return int(lowest);
}

// weight[0..3] hold the tile's x weights as [pixel][4], weight[4..7] its y weights.
inline void fill_cubic(const onnxgrid_problem& p, const Axes<float>& axes, Tile* tile) {
  float* wx = tile->weight[0];
  float* wy = tile->weight[4];
  for (int i = 0; i < tile->rows * tile->padded; i += kLanes) {
    const vf x = fma_of(load<vf>(tile->coordinate[0] + i) + 1.0f, splat(axes.x.scale), splat(-axes.x.shift));
    const vf y = fma_of(load<vf>(tile->coordinate[1] + i) + 1.0f, splat(axes.y.scale), splat(-axes.y.shift));
    const vf x0 = floor_of(x), y0 = floor_of(y);
    const vi inside = (x0 >= 1.0f) & (x0 <= axes.x.last - 2.0f) & (y0 >= 1.0f) & (y0 <= axes.y.last - 2.0f);
    const vf tx = x - x0, ty = y - y0;
    vf cx[4], cy[4];
    for (int axis = 0; axis < 2; ++axis) {
      const vf t = axis ? ty : tx, t0 = t + 1.0f, t2 = 1.0f - t, t3 = 2.0f - t;
      vf* w = axis ? cy : cx;
      w[0] = ((-0.75f * t0 + 3.75f) * t0 - 6.0f) * t0 + 3.0f;
      w[1] = (1.25f * t - 2.25f) * t * t + 1.0f;
      w[2] = (1.25f * t2 - 2.25f) * t2 * t2 + 1.0f;
      w[3] = ((-0.75f * t3 + 3.75f) * t3 - 6.0f) * t3 + 3.0f;
    }
    const vi base = to_int(select(inside, y0 - 1.0f, vf{})) * int32_t(p.x_stride[3]) +
                    to_int(select(inside, x0 - 1.0f, vf{}));
    store(tile->index + i, base);
    for (int j = 0; j < kLanes; ++j) {
      store(wx + 4 * (i + j), v4f{cx[0][j], cx[1][j], cx[2][j], cx[3][j]});
      store(wy + 4 * (i + j), v4f{cy[0][j], cy[1][j], cy[2][j], cy[3][j]});
    }
    tile->inside[i / kLanes] = all(inside);
    if (tile->inside[i / kLanes]) continue;
    for (int j = 0; j < kLanes; ++j) {
      if (inside[j]) {
        tile->bits[i + j] = 255;
        continue;
      }
      float w[4];
      int mask_x, mask_y;
      memcpy(w, wx + 4 * (i + j), sizeof w);
      const int bx = fold_cubic(x0[j], w, axes.x, p.in[2], p.padding, wx + 4 * (i + j), &mask_x);
      memcpy(w, wy + 4 * (i + j), sizeof w);
      const int by = fold_cubic(y0[j], w, axes.y, p.in[1], p.padding, wy + 4 * (i + j), &mask_y);
      tile->index[i + j] = by * int32_t(p.x_stride[3]) + bx;
      tile->bits[i + j] = mask_x | mask_y << 4;
    }
  }
}

}  // namespace
}  // namespace onnxgrid
