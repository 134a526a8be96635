// Element types: 16-bit floats are stored as such and computed in float.
#pragma once
#if !defined(__CUDACC_RTC__)
#include <stdint.h>
#include <string.h>
#endif

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define ONNXGRID_HD __host__ __device__ inline
#else
#define ONNXGRID_HD inline
#endif

namespace onnxgrid {

struct half_t { uint16_t bits; };
struct bfloat_t { uint16_t bits; };

#if !defined(__CUDACC_RTC__)
namespace {

inline float float_from_bits(uint32_t bits) { float value; memcpy(&value, &bits, 4); return value; }
inline uint32_t bits_of_float(float value) { uint32_t bits; memcpy(&bits, &value, 4); return bits; }

inline float to_float(half_t h) {
  const uint32_t sign = uint32_t(h.bits & 0x8000u) << 16;
  uint32_t exponent = (h.bits >> 10) & 31u, mantissa = h.bits & 1023u;
  if (exponent == 31u) return float_from_bits(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0u) {
    const float magnitude = float(mantissa) * 5.9604644775390625e-8f;  // 2^-24: subnormal halves
    return sign ? -magnitude : magnitude;
  }
  return float_from_bits(sign | ((exponent + 112u) << 23) | (mantissa << 13));
}

inline half_t to_half(float value) {  // round to nearest, ties to even
  const uint32_t bits = bits_of_float(value), sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return half_t{uint16_t(sign | 0x7e00u)};
  if (magnitude >= 0x477ff000u) return half_t{uint16_t(sign | 0x7c00u)};
  if (magnitude < 0x38800000u) {  // below 2^-14: let a float addition round at 2^-24
    const float shifted = float_from_bits(magnitude) + 0.5f;
    return half_t{uint16_t(sign | (bits_of_float(shifted) - 0x3f000000u))};
  }
  const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return half_t{uint16_t(sign | ((rounded - 0x38000000u) >> 13))};
}

inline float to_float(bfloat_t b) { return float_from_bits(uint32_t(b.bits) << 16); }

inline bfloat_t to_bfloat(float value) {
  const uint32_t bits = bits_of_float(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return bfloat_t{uint16_t((bits >> 16) | 0x40u)};
  return bfloat_t{uint16_t((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}

// How an element is read and written, and the type its arithmetic uses.
template <typename T> struct Element;
template <> struct Element<float> {
  using Acc = float;
  static float read(float v) { return v; }
  static float write(float v) { return v; }
};
template <> struct Element<double> {
  using Acc = double;
  static double read(double v) { return v; }
  static double write(double v) { return v; }
};
template <> struct Element<half_t> {
  using Acc = float;
  static float read(half_t v) { return to_float(v); }
  static half_t write(float v) { return to_half(v); }
};
template <> struct Element<bfloat_t> {
  using Acc = float;
  static float read(bfloat_t v) { return to_float(v); }
  static bfloat_t write(float v) { return to_bfloat(v); }
};

}  // namespace
#endif
}  // namespace onnxgrid
