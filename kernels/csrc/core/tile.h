// A tile of output pixels: shape, coordinates, and the source index and weights every channel shares.
#pragma once
#include "grid.h"
#include "lanes.h"

namespace onnxgrid {
namespace {

constexpr int kTilePixels = 512;  // a multiple of every lane count; the scratch below stays near 20 KiB
constexpr int kTileRows = 64;

// How the output is cut. Rows count depth and height together; a flat plan sees one long row.
struct Plan {
  bool flat;
  int64_t rows, columns;          // of one batch item
  int64_t tile_rows, tile_columns;
  int64_t tiles_down, tiles_across;
  int64_t channel_groups, group_channels;

  int64_t tasks(int64_t batch) const { return batch * tiles_down * tiles_across * channel_groups; }
};

inline Plan make_plan(const onnxgrid_problem& p) {
  Plan plan;
  const int64_t rows = p.out[0] * p.out[1], width = p.out[2];
  const bool rows_adjoin = p.y_stride[3] == width && (p.out[0] == 1 || p.y_stride[2] == p.out[1] * width);
  plan.flat = rows_adjoin && width < 48 && width % 16 != 0;
  plan.rows = plan.flat ? 1 : rows;
  plan.columns = plan.flat ? rows * width : width;
  // Few channels: whole rows, which memory likes best. Many: blocks, whose source stays in the first cache level
  // while all channels pass over it.
  const int64_t widest = p.channels <= 8 ? kTilePixels : 32;
  plan.tile_columns = plan.flat ? kTilePixels : (width >= widest ? widest : (width + 15) / 16 * 16);
  plan.tile_rows = plan.flat ? 1 : kTilePixels / plan.tile_columns;
  if (plan.tile_rows > kTileRows) plan.tile_rows = kTileRows;
  plan.tiles_down = (plan.rows + plan.tile_rows - 1) / plan.tile_rows;
  plan.tiles_across = (plan.columns + plan.tile_columns - 1) / plan.tile_columns;
  // Few tiles and many channels: share the channels out too, in groups that still repay the coordinates.
  const int64_t tiles = p.batch * plan.tiles_down * plan.tiles_across;
  int64_t groups = tiles > 0 && tiles < 64 ? (64 + tiles - 1) / tiles : 1;
  const int64_t most = p.channels / 32 > 1 ? p.channels / 32 : 1;
  if (groups > most) groups = most;
  plan.group_channels = (p.channels + groups - 1) / groups;
  plan.channel_groups = plan.group_channels ? (p.channels + plan.group_channels - 1) / plan.group_channels : 1;
  return plan;
}

struct Tile {
  int rows;                        // in use
  int columns;                     // pixels per row
  int padded;                      // columns rounded up to the lane count
  int64_t out_offset[kTileRows];   // of each row's first pixel, within a channel
  bool inside[kTilePixels / 4];    // per group of lanes: every tap lies in the image
  alignas(64) int32_t index[kTilePixels];
  alignas(64) int32_t bits[kTilePixels];   // which taps exist, where `inside` is false
  alignas(64) float weight[8][kTilePixels];
  alignas(64) float coordinate[3][kTilePixels];
};

inline void read_row(const onnxgrid_problem& p, const Coordinates<float>& from, int64_t first, int count,
                     float* const* to) {
  if (!p.theta && p.rank == 2 && p.grid_stride[4] == 1 && p.grid_stride[3] == 2) {
    const float* row = from.row() + first * 2;
    int i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      __builtin_prefetch(row + 2 * (i + count));  // the tile to the right comes next
      vf x, y;
      load_interleaved(row + 2 * i, &x, &y);
      store(to[0] + i, x);
      store(to[1] + i, y);
    }
    for (; i < count; ++i) {
      to[0][i] = row[2 * i];
      to[1][i] = row[2 * i + 1];
    }
    return;
  }
  if (p.theta) {
    const int64_t size = p.out[2];
    const float step = size > 1 ? 2.0f / float(size - 1) : 0.0f;
    const float shrink = p.grid_align_corners ? 1.0f : float(size - 1) / float(size);
    const vf middle = splat(float(size / 2));
    int i = 0;
    for (; size > 1 && i + kLanes <= count; i += kLanes) {
      const vf at = iota() + float(first + i);
      const vf base = select(at < middle, step * at - 1.0f, 1.0f - step * (float(size - 1) - at)) * shrink;
      for (int k = 0; k < p.rank; ++k) store(to[k] + i, fma_of(splat(from.slope(k)), base, splat(from.offset(k))));
    }
    for (; i < count; ++i) {
      float c[3];
      from.read(first + i, c);
      for (int k = 0; k < p.rank; ++k) to[k][i] = c[k];
    }
    return;
  }
  for (int i = 0; i < count; ++i) {
    float c[3];
    from.read(first + i, c);
    for (int k = 0; k < p.rank; ++k) to[k][i] = c[k];
  }
}

// Fills shape, output offsets and coordinates; the unused lanes of a row repeat coordinate 0.
inline void place_tile(const onnxgrid_problem& p, const Plan& plan, int64_t n, int64_t down, int64_t across, Tile* tile) {
  const int64_t row0 = down * plan.tile_rows, column0 = across * plan.tile_columns;
  const int64_t rows = plan.rows - row0 < plan.tile_rows ? plan.rows - row0 : plan.tile_rows;
  const int64_t columns = plan.columns - column0 < plan.tile_columns ? plan.columns - column0 : plan.tile_columns;
  tile->rows = int(rows);
  tile->columns = int(columns);
  tile->padded = int((columns + kLanes - 1) / kLanes * kLanes);
  Coordinates<float> from(p);
  for (int r = 0; r < tile->rows; ++r) {
    const int at = r * tile->padded;
    float* to[3] = {tile->coordinate[0] + at, tile->coordinate[1] + at, tile->coordinate[2] + at};
    if (plan.flat) {
      tile->out_offset[r] = column0;
      for (int64_t done = 0; done < columns;) {
        const int64_t row = (column0 + done) / p.out[2], first = (column0 + done) % p.out[2];
        const int64_t left = p.out[2] - first, count = columns - done < left ? columns - done : left;
        from.select(n, row);
        float* const part[3] = {to[0] + done, to[1] + done, to[2] + done};
        read_row(p, from, first, int(count), part);
        done += count;
      }
    } else {
      const int64_t row = row0 + r;
      tile->out_offset[r] = (row / p.out[1]) * p.y_stride[2] + (row % p.out[1]) * p.y_stride[3] + column0;
      from.select(n, row);
      read_row(p, from, column0, tile->columns, to);
    }
    for (int i = tile->columns; i < tile->padded; ++i)
      for (int k = 0; k < p.rank; ++k) to[k][i] = 0;
  }
}

}  // namespace
}  // namespace onnxgrid
