// Forward kernels: planar layouts (a thread per pixel, looping over a share of the channels) and layouts with
// adjacent channels (a thread per pixel and 16 bytes of channels). No atomics.
#pragma once
#include "device.h"

namespace onnxgrid {
namespace cuda {

struct Pixel {
  int64_t d, h, w;
};

ONNXGRID_DEVICE Pixel pixel_of(const onnxgrid_problem& p, int64_t i) {
  Pixel at;
  at.w = i % p.out[2];
  i /= p.out[2];
  at.h = i % p.out[1];
  at.d = i / p.out[1];
  return at;
}

// grid: (pixels, shares of channels, items); `channels` per share.
ONNXGRID_KERNEL forward_planar(onnxgrid_problem p, int64_t channels) {
  typedef typename Cell<T>::Acc A;
  const int64_t pixel = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (pixel >= p.out[0] * p.out[1] * p.out[2]) return;
  const Pixel at = pixel_of(p, pixel);
  const int64_t first = blockIdx.y * channels, left = p.channels - first, count = left < channels ? left : channels;
  for (int64_t n = blockIdx.z; n < p.batch; n += gridDim.z) {
    A c[3] = {0, 0, 0};
    coordinates<G, A>(p, n, at.d, at.h, at.w, c);
    Taps<A, Index, Count<kKind>::value> taps;
    find_taps<kKind, A, Index>(p, c, &taps);
    const T* x = (const T*)p.x + n * p.x_stride[0] + first * p.x_stride[1];
    T* y = (T*)p.y + n * p.y_stride[0] + first * p.y_stride[1] + at.d * p.y_stride[2] + at.h * p.y_stride[3] + at.w * p.y_stride[4];
    for (int64_t k = 0; k < count; ++k, x += p.x_stride[1], y += p.y_stride[1]) {
      A sum = 0;
#pragma unroll
      for (int t = 0; t < Count<kKind>::value; ++t) {
        const A value = taps.offset[t] < 0 ? A(0) : A(Cell<T>::read(x[taps.offset[t]]));
        sum = kKind == kNearest ? value : sum + taps.weight[t] * value;
      }
      *y = Cell<T>::write(sum);
    }
  }
}

// 16 bytes of adjacent channels.
template <typename T> struct alignas(16) Pack {
  static const int kSize = 16 / sizeof(T);
  T item[kSize];
};

// grid: (pixels × packs, 1, items). Channels are adjacent and a multiple of the pack in input and output.
ONNXGRID_KERNEL forward_adjacent(onnxgrid_problem p, int64_t packs) {
  typedef typename Cell<T>::Acc A;
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, pixel = i / packs, first = i % packs * Pack<T>::kSize;
  if (pixel >= p.out[0] * p.out[1] * p.out[2]) return;
  const Pixel at = pixel_of(p, pixel);
  for (int64_t n = blockIdx.z; n < p.batch; n += gridDim.z) {
    A c[3] = {0, 0, 0};
    coordinates<G, A>(p, n, at.d, at.h, at.w, c);
    Taps<A, Index, Count<kKind>::value> taps;
    find_taps<kKind, A, Index>(p, c, &taps);
    const T* x = (const T*)p.x + n * p.x_stride[0] + first;
    T* y = (T*)p.y + n * p.y_stride[0] + first + at.d * p.y_stride[2] + at.h * p.y_stride[3] + at.w * p.y_stride[4];
    A sum[Pack<T>::kSize];
    for (int k = 0; k < Pack<T>::kSize; ++k) sum[k] = 0;
#pragma unroll
    for (int t = 0; t < Count<kKind>::value; ++t) {
      Pack<T> pack = {};
      if (taps.offset[t] >= 0) pack = *(const Pack<T>*)(x + taps.offset[t]);
      for (int k = 0; k < Pack<T>::kSize; ++k) {
        const A value = A(Cell<T>::read(pack.item[k]));
        sum[k] = kKind == kNearest ? value : sum[k] + taps.weight[t] * value;
      }
    }
    Pack<T> out;
    for (int k = 0; k < Pack<T>::kSize; ++k) out.item[k] = Cell<T>::write(sum[k]);
    *(Pack<T>*)y = out;
  }
}

// affine_grid: y is the contiguous grid (N, out..., rank).
ONNXGRID_KERNEL affine_grid(onnxgrid_problem p, int64_t) {
  typedef typename Cell<G>::Acc A;
  const int64_t pixels = p.out[0] * p.out[1] * p.out[2], pixel = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (pixel >= pixels) return;
  const Pixel at = pixel_of(p, pixel);
  for (int64_t n = blockIdx.z; n < p.batch; n += gridDim.z) {
    A c[3] = {0, 0, 0};
    coordinates<G, A>(p, n, at.d, at.h, at.w, c);
    G* y = (G*)p.y + (n * pixels + pixel) * p.rank;
    for (int i = 0; i < p.rank; ++i) y[i] = Cell<G>::write(c[i]);
  }
}

}  // namespace cuda
}  // namespace onnxgrid
