// One instruction set's forward sampler: tiles for planar float tensors, plain C++ for everything else.
#pragma once
#include "channels.h"
#include "packed.h"
#include "plain.h"
#include "tile_taps.h"

namespace onnxgrid {
namespace {

// Planar float32 with a window that fits and offsets that 32-bit lanes can hold.
inline bool is_tiled(const onnxgrid_problem& p) {
  if (p.dtype != ONNXGRID_F32 || p.grid_dtype != ONNXGRID_F32) return false;
  if (p.x_stride[4] != 1 || p.y_stride[4] != 1) return false;
  const int64_t window = p.mode == ONNXGRID_BICUBIC ? 4 : 2;
  if (p.in[2] < window || (p.mode == ONNXGRID_BICUBIC && p.in[1] < window)) return false;
  const int64_t limit = int64_t(1) << 30;
  if (p.x_stride[3] >= limit || p.x_stride[2] >= limit || p.out[2] >= (1 << 24)) return false;
  return (p.in[0] - 1) * p.x_stride[2] + (p.in[1] - 1) * p.x_stride[3] + p.in[2] < limit;
}

inline void run_tile(const onnxgrid_problem& p, const Plan& plan, const Axes<float>& axes, int64_t task, Tile* tile) {
  const int64_t group = task % plan.channel_groups;
  task /= plan.channel_groups;
  const int64_t across = task % plan.tiles_across;
  task /= plan.tiles_across;
  const int64_t down = task % plan.tiles_down, n = task / plan.tiles_down;
  place_tile(p, plan, n, down, across, tile);
  if (p.mode == ONNXGRID_NEAREST)
    fill_nearest(p, axes, tile);
  else if (p.mode == ONNXGRID_BICUBIC)
    fill_cubic(p, axes, tile);
  else if (p.rank == 2)
    fill_linear_2d(p, axes, tile);
  else
    fill_linear_3d(p, axes, tile);
  const int64_t first = group * plan.group_channels;
  const int64_t last = first + plan.group_channels < p.channels ? first + plan.group_channels : p.channels;
  const float* src = static_cast<const float*>(p.x) + n * p.x_stride[0] + first * p.x_stride[1];
  float* dst = static_cast<float*>(p.y) + n * p.y_stride[0] + first * p.y_stride[1];
  for (int i = 0; i < tile->rows * tile->padded; i += kLanes) prefetch(src, dst, *tile, i, 0, Ahead{0, 0});
  for (int64_t c = first; c < last; ++c, src += p.x_stride[1], dst += p.y_stride[1]) {
    const Ahead ahead = {c + 1 < last ? p.x_stride[1] : 0, c + 1 < last ? p.y_stride[1] : 0};
    if (p.mode == ONNXGRID_NEAREST)
      run_nearest(*tile, ahead, src, dst);
    else if (p.mode == ONNXGRID_BICUBIC)
      run_cubic(p, *tile, ahead, src, dst);
    else
      run_linear(p, *tile, ahead, src, dst);
  }
}

inline int64_t count_tasks(const onnxgrid_problem& p) {
  if (p.batch == 0 || p.channels == 0 || p.out[0] * p.out[1] * p.out[2] == 0) return 0;
  if (!is_tiled(p)) return p.batch * p.out[0] * p.out[1];
  return is_scattered(p, Axes<float>(p)) ? packed_tasks(p) : make_plan(p).tasks(p.batch);
}

inline void run_tasks(const onnxgrid_problem& p, int64_t begin, int64_t end) {
  if (!is_tiled(p)) return run_plain(p, begin, end);
  const Axes<float> axes(p);
  if (is_scattered(p, axes)) return run_packed(p, axes, begin, end);
  const Plan plan = make_plan(p);
  Tile tile;
  for (int64_t task = begin; task < end; ++task) run_tile(p, plan, axes, task, &tile);
}

}  // namespace
}  // namespace onnxgrid
