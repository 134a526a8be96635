// A vector of floats of the width this translation unit is compiled for, on the compiler's own vector types.
//
// ONNXGRID_LANES is 4 (any processor), 8 (AVX2) or 16 (AVX-512). Everything here has internal linkage, so
// that no function compiled for one instruction set can be linked into another. Contraction is off in the build:
// where a fused multiply-add is wanted it is written, because PyTorch's 5-D coordinates are computed without.
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#ifndef ONNXGRID_LANES
#define ONNXGRID_LANES 4
#endif

namespace onnxgrid {
namespace {

constexpr int kLanes = ONNXGRID_LANES;
typedef float vf __attribute__((vector_size(4 * ONNXGRID_LANES)));
typedef int32_t vi __attribute__((vector_size(4 * ONNXGRID_LANES)));
typedef float v4f __attribute__((vector_size(16)));
typedef int32_t v4i __attribute__((vector_size(16)));

inline vf splat(float v) { return v - vf{}; }
inline vi splat_int(int32_t v) { return v - vi{}; }
template <typename V, typename T> inline V load(const T* from) { V v; memcpy(&v, from, sizeof v); return v; }
template <typename V, typename T> inline void store(T* to, V v) { memcpy(to, &v, sizeof v); }

inline vf select(vi mask, vf a, vf b) { return mask ? a : b; }
inline vi select(vi mask, vi a, vi b) { return mask ? a : b; }
inline vf keep(vi mask, vf v) { return (vf)((vi)v & mask); }  // 0 where the mask is off, whatever v holds
#if ONNXGRID_LANES != 4
inline v4f keep(v4i mask, v4f v) { return (v4f)((v4i)v & mask); }
#endif

inline vf iota() {
  vf v;
  for (int i = 0; i < kLanes; ++i) v[i] = float(i);
  return v;
}

#if defined(__AVX512F__) && ONNXGRID_LANES == 16
inline vf fma_of(vf a, vf b, vf c) { return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }
inline vf floor_of(vf v) { return (vf)_mm512_roundscale_ps((__m512)v, 0x09); }
inline vf trunc_of(vf v) { return (vf)_mm512_roundscale_ps((__m512)v, 0x0b); }
inline vf rint_of(vf v) { return (vf)_mm512_roundscale_ps((__m512)v, 0x08); }
inline bool all(vi mask) { return _mm512_movepi32_mask((__m512i)mask) == 0xffff; }
#elif defined(__AVX2__) && ONNXGRID_LANES == 8
inline vf fma_of(vf a, vf b, vf c) { return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c); }
inline vf floor_of(vf v) { return (vf)_mm256_round_ps((__m256)v, 0x09); }
inline vf trunc_of(vf v) { return (vf)_mm256_round_ps((__m256)v, 0x0b); }
inline vf rint_of(vf v) { return (vf)_mm256_round_ps((__m256)v, 0x08); }
inline bool all(vi mask) { return _mm256_movemask_ps((__m256)mask) == 0xff; }
#else
inline vf fma_of(vf a, vf b, vf c) { return a * b + c; }
inline vf floor_of(vf v) { for (int i = 0; i < kLanes; ++i) v[i] = floorf(v[i]); return v; }
inline vf trunc_of(vf v) { for (int i = 0; i < kLanes; ++i) v[i] = truncf(v[i]); return v; }
inline vf rint_of(vf v) { for (int i = 0; i < kLanes; ++i) v[i] = rintf(v[i]); return v; }
inline bool all(vi mask) {
  int32_t every = -1;
  for (int i = 0; i < kLanes; ++i) every &= mask[i];
  return every != 0;
}
#endif

#if defined(__FMA__)
inline v4f fma_of_four(v4f a, float b, v4f c) { return (v4f)_mm_fmadd_ps((__m128)a, _mm_set1_ps(b), (__m128)c); }
#else
inline v4f fma_of_four(v4f a, float b, v4f c) { return a * b + c; }
#endif

inline vi to_int(vf v) { return __builtin_convertvector(v, vi); }

// Two neighbouring floats at src[index], src[index + 1] for every lane: one 8-byte load each.
#if defined(__AVX512F__) && ONNXGRID_LANES == 16
inline void load_pairs(const float* src, const int32_t* index, vf* left, vf* right) {
  const __m512 low = _mm512_castpd_ps(_mm512_i32gather_pd(_mm256_loadu_si256((const __m256i*)index), src, 4));
  const __m512 high = _mm512_castpd_ps(_mm512_i32gather_pd(_mm256_loadu_si256((const __m256i*)(index + 8)), src, 4));
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  *left = (vf)_mm512_permutex2var_ps(low, even, high);
  *right = (vf)_mm512_permutex2var_ps(low, odd, high);
}
#elif defined(__AVX2__) && ONNXGRID_LANES == 8
inline __m128 two_pairs(const float* a, const float* b) {
  double low, high;  // memcpy: floats at any address may be read as 8 bytes only so
  memcpy(&low, a, 8);
  memcpy(&high, b, 8);
  return _mm_castpd_ps(_mm_set_pd(high, low));
}
inline void load_pairs(const float* src, const int32_t* i, vf* left, vf* right) {
  const __m256 even = _mm256_insertf128_ps(_mm256_castps128_ps256(two_pairs(src + i[0], src + i[1])),
                                           two_pairs(src + i[4], src + i[5]), 1);
  const __m256 odd = _mm256_insertf128_ps(_mm256_castps128_ps256(two_pairs(src + i[2], src + i[3])),
                                          two_pairs(src + i[6], src + i[7]), 1);
  *left = (vf)_mm256_shuffle_ps(even, odd, 0x88);
  *right = (vf)_mm256_shuffle_ps(even, odd, 0xdd);
}
#else
inline void load_pairs(const float* src, const int32_t* index, vf* left, vf* right) {
  for (int i = 0; i < kLanes; ++i) {
    (*left)[i] = src[index[i]];
    (*right)[i] = src[index[i] + 1];
  }
}
#endif

// src[index] for every lane. Written out for 8 lanes: plain loads beat the processor's gather.
inline vf load_each(const float* src, const int32_t* i) {
#if ONNXGRID_LANES == 8
  return vf{src[i[0]], src[i[1]], src[i[2]], src[i[3]], src[i[4]], src[i[5]], src[i[6]], src[i[7]]};
#else
  vf v;
  for (int k = 0; k < kLanes; ++k) v[k] = src[i[k]];
  return v;
#endif
}

// x components and y components of kLanes interleaved pairs.
inline void load_interleaved(const float* from, vf* x, vf* y) {
#if ONNXGRID_LANES == 8
  const vf a = load<vf>(from), b = load<vf>(from + 8);
  *x = __builtin_shuffle(a, b, vi{0, 2, 4, 6, 8, 10, 12, 14});
  *y = __builtin_shuffle(a, b, vi{1, 3, 5, 7, 9, 11, 13, 15});
#else
  for (int i = 0; i < kLanes; ++i) {
    (*x)[i] = from[2 * i];
    (*y)[i] = from[2 * i + 1];
  }
#endif
}

// The four horizontal sums of four 4-vectors.
inline v4f sums_of(v4f a, v4f b, v4f c, v4f d) {
  const v4f ab = __builtin_shuffle(a, b, v4i{0, 4, 2, 6}) + __builtin_shuffle(a, b, v4i{1, 5, 3, 7});
  const v4f cd = __builtin_shuffle(c, d, v4i{0, 4, 2, 6}) + __builtin_shuffle(c, d, v4i{1, 5, 3, 7});
  return __builtin_shuffle(ab, cd, v4i{0, 1, 4, 5}) + __builtin_shuffle(ab, cd, v4i{2, 3, 6, 7});
}

}  // namespace
}  // namespace onnxgrid
