// Grids that jump about: eight channels of the whole image are interleaved first, so that one jump through memory
// serves eight channels and the two pixels of a window row lie in one or two cache lines.
#pragma once
#include <stdlib.h>

#include "channels.h"
#include "tile_taps.h"

namespace onnxgrid {
namespace {

constexpr int kPack = 8;
typedef float v8f __attribute__((vector_size(32)));
typedef int32_t v8i __attribute__((vector_size(32)));

// Memory that a thread keeps between calls.
class Scratch {
 public:
  ~Scratch() { free(data_); }
  float* reserve(int64_t floats) {
    if (floats <= size_) return data_;
    free(data_);
    void* made = nullptr;
    size_ = posix_memalign(&made, 64, size_t(floats) * sizeof(float)) ? 0 : floats;
    data_ = size_ ? static_cast<float*>(made) : nullptr;
    return data_;
  }

 private:
  float* data_ = nullptr;
  int64_t size_ = 0;
};

inline void transpose(v8f* r) {
  v8f a[8], b[8];
  for (int i = 0; i < 4; ++i) {
    a[2 * i] = __builtin_shuffle(r[2 * i], r[2 * i + 1], v8i{0, 8, 1, 9, 4, 12, 5, 13});
    a[2 * i + 1] = __builtin_shuffle(r[2 * i], r[2 * i + 1], v8i{2, 10, 3, 11, 6, 14, 7, 15});
  }
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 2; ++k) {
      b[4 * i + 2 * k] = __builtin_shuffle(a[4 * i + k], a[4 * i + 2 + k], v8i{0, 1, 8, 9, 4, 5, 12, 13});
      b[4 * i + 2 * k + 1] = __builtin_shuffle(a[4 * i + k], a[4 * i + 2 + k], v8i{2, 3, 10, 11, 6, 7, 14, 15});
    }
  for (int k = 0; k < 4; ++k) {
    r[k] = __builtin_shuffle(b[k], b[4 + k], v8i{0, 1, 2, 3, 8, 9, 10, 11});
    r[4 + k] = __builtin_shuffle(b[k], b[4 + k], v8i{4, 5, 6, 7, 12, 13, 14, 15});
  }
}

// Mean distance in the source between neighbours of the output, over a sample of item 0.
inline bool is_scattered(const onnxgrid_problem& p, const Axes<float>& axes) {
  const int64_t pixels = p.in[1] * p.in[2];
  if (p.rank != 2 || p.channels < kPack || pixels < 8192 || pixels > (1 << 20) || p.out[2] < 9) return false;
  Coordinates<float> from(p);
  float distance = 0;
  int count = 0;
  for (int s = 0; s < 8; ++s) {
    from.select(0, p.out[1] * s / 8);
    float last[2] = {0, 0};
    for (int i = 0; i < 9; ++i) {
      float c[3];
      from.read((p.out[2] - 9) * s / 8 + i, c);
      const float at[2] = {c[0] * axes.x.scale, c[1] * axes.y.scale};
      const float step = fabsf(at[0] - last[0]) + fabsf(at[1] - last[1]);
      if (i && step < 1e6f) {
        distance += step < 64 ? step : 64;
        ++count;
      }
      last[0] = at[0];
      last[1] = at[1];
    }
  }
  return count > 0 && distance > 8.0f * float(count);
}

// Channels [0, count) from `src` as [pixel][8]; the channels beyond count repeat the last one.
inline void pack(const onnxgrid_problem& p, const float* src, int count, float* to) {
  for (int64_t row = 0; row < p.in[1]; ++row, to += p.in[2] * kPack) {
    const float* from[kPack];
    for (int k = 0; k < kPack; ++k) from[k] = src + row * p.x_stride[3] + (k < count ? k : count - 1) * p.x_stride[1];
    int64_t x = 0;
    for (; x + kPack <= p.in[2]; x += kPack) {
      v8f block[kPack];
      for (int k = 0; k < kPack; ++k) block[k] = load<v8f>(from[k] + x);
      transpose(block);
      for (int k = 0; k < kPack; ++k) store(to + (x + k) * kPack, block[k]);
    }
    for (; x < p.in[2]; ++x)
      for (int k = 0; k < kPack; ++k) to[x * kPack + k] = from[k][x];
  }
}

inline v8f fma_of_eight(v8f a, float b, v8f c) {
#if defined(__FMA__)
  return (v8f)_mm256_fmadd_ps((__m256)a, _mm256_set1_ps(b), (__m256)c);
#else
  return a * b + c;
#endif
}

// Eight channels of pixel i of the tile.
inline v8f sample_packed(const onnxgrid_problem& p, const Tile& tile, int i, const float* packed) {
  const float* at = packed + int64_t(tile.index[i]) * kPack;
  const int32_t bits = tile.inside[i / kLanes] ? -1 : tile.bits[i];
  if (p.mode == ONNXGRID_NEAREST) return bits ? load<v8f>(at) : v8f{};
  v8f sum = {};
  if (p.mode == ONNXGRID_BILINEAR) {
    const int64_t below = p.in[1] > 1 ? p.in[2] * kPack : 0;
    const float* taps[4] = {at, at + kPack, at + below, at + below + kPack};
    // A tap that does not exist reads as 0, which still shows a NaN weight.
    for (int t = 0; t < 4; ++t) sum = fma_of_eight((bits >> t) & 1 ? load<v8f>(taps[t]) : v8f{}, tile.weight[t][i], sum);
    return sum;
  }
  const float* wx = tile.weight[0] + 4 * i;
  const float* wy = tile.weight[4] + 4 * i;
  for (int r = 0; r < 4; ++r) {
    v8f row = {};
    for (int c = 0; c < 4; ++c) {
      const bool exists = (bits >> c) & (bits >> (4 + r)) & 1;
      row = fma_of_eight(exists ? load<v8f>(at + (r * p.in[2] + c) * kPack) : v8f{}, wx[c], row);
    }
    sum = fma_of_eight(row, wy[r], sum);
  }
  return sum;
}

inline void run_packed_tile(const onnxgrid_problem& p, const Tile& tile, const float* packed, int channels, float* dst) {
  const int64_t below = p.in[1] > 1 ? p.in[2] * kPack : 0;
  for (int r = 0; r < tile.rows; ++r) {
    for (int c = 0; c < tile.columns; c += kPack) {
      v8f block[kPack];
      const int row = r * tile.padded, count = tile.columns - c < kPack ? tile.columns - c : kPack;
      for (int k = 0; k < kPack; ++k) {
        const int i = row + c + (k < count ? k : 0), ahead = i + 16 < tile.rows * tile.padded ? i + 16 : i;
        __builtin_prefetch(packed + int64_t(tile.index[ahead]) * kPack);
        if (p.mode != ONNXGRID_NEAREST) __builtin_prefetch(packed + int64_t(tile.index[ahead]) * kPack + below);
        block[k] = sample_packed(p, tile, i, packed);
      }
      transpose(block);
      float* to = dst + tile.out_offset[r] + c;
      for (int k = 0; k < channels; ++k, to += p.y_stride[1]) {
        if (count == kPack)
          store(to, block[k]);
        else
          for (int j = 0; j < count; ++j) to[j] = block[k][j];
      }
    }
  }
}

inline int64_t packed_tasks(const onnxgrid_problem& p) { return p.batch * ((p.channels + kPack - 1) / kPack); }

inline void run_packed(const onnxgrid_problem& p, const Axes<float>& axes, int64_t begin, int64_t end) {
  static thread_local Scratch scratch;
  float* packed = scratch.reserve(p.in[1] * p.in[2] * kPack);
  if (!packed) abort();
  onnxgrid_problem q = p;  // as the packed image is laid out; its few channels make the plan take whole rows
  q.x_stride[3] = p.in[2];
  q.channels = kPack;
  const Plan plan = make_plan(q);
  const int64_t groups = (p.channels + kPack - 1) / kPack;
  Tile tile;
  for (int64_t task = begin; task < end; ++task) {
    const int64_t n = task / groups, first = task % groups * kPack;
    const int channels = int(p.channels - first < kPack ? p.channels - first : kPack);
    pack(p, static_cast<const float*>(p.x) + n * p.x_stride[0] + first * p.x_stride[1], channels, packed);
    float* dst = static_cast<float*>(p.y) + n * p.y_stride[0] + first * p.y_stride[1];
    for (int64_t t = 0; t < plan.tiles_down * plan.tiles_across; ++t) {
      place_tile(q, plan, n, t / plan.tiles_across, t % plan.tiles_across, &tile);
      if (p.mode == ONNXGRID_NEAREST)
        fill_nearest(q, axes, &tile);
      else if (p.mode == ONNXGRID_BICUBIC)
        fill_cubic(q, axes, &tile);
      else
        fill_linear_2d(q, axes, &tile);
      run_packed_tile(q, tile, packed, channels, dst);
    }
  }
}

}  // namespace
}  // namespace onnxgrid
