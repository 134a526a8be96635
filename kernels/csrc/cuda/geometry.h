// How a problem is laid out over blocks and threads: shared by the compiled and the run-time compiled kernels.
#pragma once
#include "api.h"

namespace onnxgrid {
namespace cuda {

constexpr int kThreads = 256;

struct Launch {
  const char* kernel;      // forward_planar, forward_adjacent, affine_grid, gradient, input_gradient_in_order
  int kind;                // Kind
  bool wide;               // 64-bit offsets; only the planar forward kernel has narrow ones too
  unsigned grid[3];
  int64_t parameter;       // channels per share, or packs
};

inline int kind_of(const onnxgrid_problem& p) {
  if (p.mode == ONNXGRID_NEAREST) return 1;
  if (p.mode == ONNXGRID_BICUBIC) return 2;
  return p.rank == 3 ? 3 : 0;
}

inline int64_t element_size(int dtype) { return dtype == ONNXGRID_F64 ? 8 : dtype == ONNXGRID_F32 ? 4 : 2; }

inline bool needs_wide(const onnxgrid_problem& p, const int64_t* stride) {
  int64_t last = 0;
  for (int i = 0; i < 3; ++i) last += (p.in[i] - 1) * (stride[2 + i] < 0 ? -stride[2 + i] : stride[2 + i]);
  return last >= (int64_t(1) << 31) - 1;
}

inline unsigned blocks(int64_t threads) { return unsigned((threads + kThreads - 1) / kThreads); }
inline unsigned items(int64_t batch) { return unsigned(batch < 65535 ? batch : 65535); }

// Null and empty when there is nothing to do; a complaint when one block dimension cannot hold the problem.
inline const char* lay_out(int64_t threads, int64_t shares, int64_t batch, Launch* launch) {
  if (threads > int64_t(kThreads) * 2147483647LL) return "the output is too large for one launch";
  launch->grid[0] = blocks(threads);
  launch->grid[1] = unsigned(shares);
  launch->grid[2] = items(batch);
  return nullptr;
}

inline bool adjacent(const onnxgrid_problem& p) {
  const int64_t pack = 16 / element_size(p.dtype);
  if (p.x_stride[1] != 1 || p.y_stride[1] != 1 || p.channels % pack != 0) return false;
  for (int i = 0; i < 5; ++i)
    if (i != 1 && (p.x_stride[i] % pack != 0 || p.y_stride[i] % pack != 0)) return false;
  return reinterpret_cast<uintptr_t>(p.x) % 16 == 0 && reinterpret_cast<uintptr_t>(p.y) % 16 == 0;
}

inline const char* plan_forward(const onnxgrid_problem& p, Launch* launch) {
  const int64_t pixels = p.out[0] * p.out[1] * p.out[2];
  launch->kind = kind_of(p);
  launch->wide = true;
  if (adjacent(p)) {
    launch->kernel = "forward_adjacent";
    launch->parameter = p.channels / (16 / element_size(p.dtype));
    return lay_out(pixels * launch->parameter, 1, p.batch, launch);
  }
  launch->kernel = "forward_planar";
  launch->wide = needs_wide(p, p.x_stride);
  // Enough threads to fill a large GPU, else as many channels per thread as share the coordinates.
  int64_t shares = 1;
  while (shares * 2 <= p.channels && shares < 32 && pixels * p.batch * shares < (int64_t(1) << 18)) shares *= 2;
  launch->parameter = (p.channels + shares - 1) / shares;
  return lay_out(pixels, (p.channels + launch->parameter - 1) / launch->parameter, p.batch, launch);
}

inline const char* plan_gradient(const onnxgrid_gradient& g, bool in_order, Launch* launch) {
  const onnxgrid_problem& p = g.forward;
  launch->kind = kind_of(p);
  launch->wide = true;
  launch->parameter = 0;
  launch->kernel = in_order ? "input_gradient_in_order" : "gradient";
  return in_order ? lay_out(p.batch * p.channels, 1, 1, launch)
                  : lay_out(p.out[0] * p.out[1] * p.out[2], 1, p.batch, launch);
}

inline const char* plan_affine_grid(const onnxgrid_problem& p, Launch* launch) {
  launch->kind = 1;
  launch->wide = false;
  launch->parameter = 0;
  launch->kernel = "affine_grid";
  return lay_out(p.out[0] * p.out[1] * p.out[2], 1, p.batch, launch);
}

}  // namespace cuda
}  // namespace onnxgrid
