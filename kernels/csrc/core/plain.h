// Forward sampling in plain C++: every dtype, rank, mode and stride. The vector kernels are measured against it.
#pragma once
#include "grid.h"
#include "taps.h"

namespace onnxgrid {
namespace {

// Channels that lie side by side: taps outside, channels inside, so that the compiler vectorises.
template <typename T, typename A>
void blend_adjacent(const T* x, T* y, int64_t channels, const Taps<A>& taps) {
  constexpr int kChunk = 64;
  for (int64_t c0 = 0; c0 < channels; c0 += kChunk) {
    const int n = int(channels - c0 < kChunk ? channels - c0 : kChunk);
    A sum[kChunk] = {};
    for (int t = 0; t < taps.count; ++t) {
      const A w = taps.weight[t];
      if (taps.offset[t] < 0) {
        for (int j = 0; j < n; ++j) sum[j] += w * 0;  // keeps a NaN weight visible, as PyTorch does
        continue;
      }
      const T* from = x + taps.offset[t] + c0;
      for (int j = 0; j < n; ++j) sum[j] += w * Element<T>::read(from[j]);
    }
    for (int j = 0; j < n; ++j) y[c0 + j] = Element<T>::write(sum[j]);
  }
}

template <typename T, typename A>
void blend_strided(const T* x, T* y, const onnxgrid_problem& p, const Taps<A>& taps) {
  for (int64_t c = 0; c < p.channels; ++c, x += p.x_stride[1], y += p.y_stride[1]) {
    A sum = 0;
    for (int t = 0; t < taps.count; ++t)
      sum += taps.weight[t] * (taps.offset[t] < 0 ? A(0) : A(Element<T>::read(x[taps.offset[t]])));
    *y = Element<T>::write(sum);
  }
}

template <typename T>
void copy_nearest(const T* x, T* y, const onnxgrid_problem& p, int64_t offset) {
  for (int64_t c = 0; c < p.channels; ++c, x += p.x_stride[1], y += p.y_stride[1])
    *y = offset < 0 ? Element<T>::write(0) : x[offset];
}

// Rows [begin, end) of the output, counted over batch, depth and height.
template <typename T, typename G> void run_plain_typed(const onnxgrid_problem& p, int64_t begin, int64_t end) {
  using A = typename Element<T>::Acc;
  const int64_t rows = p.out[0] * p.out[1];
  const Axes<A> axes(p);
  Coordinates<G> coordinates(p);
  Taps<A> taps;
  for (int64_t r = begin; r < end; ++r) {
    const int64_t n = r / rows, row = r % rows;
    const T* x = static_cast<const T*>(p.x) + n * p.x_stride[0];
    T* y = static_cast<T*>(p.y) + n * p.y_stride[0] + (row / p.out[1]) * p.y_stride[2] + (row % p.out[1]) * p.y_stride[3];
    coordinates.select(n, row);
    for (int64_t w = 0; w < p.out[2]; ++w, y += p.y_stride[4]) {
      typename Coordinates<G>::A raw[3] = {};
      coordinates.read(w, raw);
      const A c[3] = {A(raw[0]), A(raw[1]), p.rank == 3 ? A(raw[2]) : A(0)};
      find_taps(p, axes, c, &taps);
      if (p.mode == ONNXGRID_NEAREST)
        copy_nearest(x, y, p, taps.offset[0]);
      else if (p.x_stride[1] == 1 && p.y_stride[1] == 1)
        blend_adjacent(x, y, p.channels, taps);
      else
        blend_strided(x, y, p, taps);
    }
  }
}

inline void run_plain(const onnxgrid_problem& p, int64_t begin, int64_t end) {
  const bool wide = p.grid_dtype == ONNXGRID_F32;
  switch (p.dtype) {
    case ONNXGRID_F32: return run_plain_typed<float, float>(p, begin, end);
    case ONNXGRID_F64: return run_plain_typed<double, double>(p, begin, end);
    case ONNXGRID_F16:
      return wide ? run_plain_typed<half_t, float>(p, begin, end) : run_plain_typed<half_t, half_t>(p, begin, end);
    default:
      return wide ? run_plain_typed<bfloat_t, float>(p, begin, end) : run_plain_typed<bfloat_t, bfloat_t>(p, begin, end);
  }
}

}  // namespace
}  // namespace onnxgrid
