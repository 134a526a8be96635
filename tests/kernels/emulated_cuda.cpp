// The CUDA kernels as plain C++: every block and thread runs in turn, so that a machine without a GPU can check
// indices, taps, strides and gradients. The driver of the three entry points is the real one (entry.h).
#include <cmath>
#include <cstring>

struct dim3_like { unsigned x, y, z; };
static thread_local dim3_like blockIdx, blockDim, threadIdx, gridDim;
template <typename A> static void atomicAdd(A* to, A value) { *to += value; }

#define ONNXGRID_EMULATE 1
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "../../kernels/csrc/cuda/backward.h"
#include "../../kernels/csrc/cuda/entry.h"

namespace onnxgrid {
namespace cuda {
namespace {

template <typename What> void every_thread(void (*kernel)(What, int64_t), const What& what, const Launch& plan) {
  gridDim = {plan.grid[0], plan.grid[1], plan.grid[2]};
  blockDim = {kThreads, 1, 1};
  for (unsigned z = 0; z < gridDim.z; ++z)
    for (unsigned y = 0; y < gridDim.y; ++y)
      for (unsigned x = 0; x < gridDim.x; ++x)
        for (unsigned t = 0; t < kThreads; ++t) {
          blockIdx = {x, y, z};
          threadIdx = {t, 0, 0};
          kernel(what, plan.parameter);
        }
}

template <typename T, typename G, int kKind> void run(const onnxgrid_problem& p, const Launch& plan) {
  if (!std::strcmp(plan.kernel, "affine_grid")) return every_thread(affine_grid<T, G, kKind, int>, p, plan);
  if (!std::strcmp(plan.kernel, "forward_adjacent")) return every_thread(forward_adjacent<T, G, kKind, int64_t>, p, plan);
  if (plan.wide) return every_thread(forward_planar<T, G, kKind, int64_t>, p, plan);
  every_thread(forward_planar<T, G, kKind, int>, p, plan);
}

template <typename T, typename G, int kKind> void run(const onnxgrid_gradient& g, const Launch& plan) {
  if (!std::strcmp(plan.kernel, "gradient")) return every_thread(gradient<T, G, kKind, int64_t>, g, plan);
  every_thread(input_gradient_in_order<T, G, kKind, int64_t>, g, plan);
}

template <typename T, typename G, typename What> void run_kind(const What& what, const Launch& plan) {
  switch (plan.kind) {
    case kLinear2: return run<T, G, kLinear2>(what, plan);
    case kNearest: return run<T, G, kNearest>(what, plan);
    case kCubic2: return run<T, G, kCubic2>(what, plan);
    default: return run<T, G, kLinear3>(what, plan);
  }
}

template <typename What> const char* run_types(int dtype, int grid_dtype, const What& what, const Launch& plan) {
  if (dtype == ONNXGRID_F32) run_kind<float, float>(what, plan);
  if (dtype == ONNXGRID_F64) run_kind<double, double>(what, plan);
  if (dtype == ONNXGRID_F16 && grid_dtype == ONNXGRID_F32) run_kind<half_t, float>(what, plan);
  if (dtype == ONNXGRID_F16 && grid_dtype == ONNXGRID_F16) run_kind<half_t, half_t>(what, plan);
  if (dtype == ONNXGRID_BF16) run_kind<bfloat_t, float>(what, plan);
  return nullptr;
}

}  // namespace

const char* launch(const onnxgrid_problem& p, const Launch& plan, void*) { return run_types(p.dtype, p.grid_dtype, p, plan); }
const char* launch(const onnxgrid_gradient& g, const Launch& plan, void*) {
  return run_types(g.forward.dtype, g.forward.grid_dtype, g, plan);
}

}  // namespace cuda
}  // namespace onnxgrid

// Which kernel a problem would use: 1 for the one with 16 bytes of adjacent channels per thread.
extern "C" ONNXGRID_API int emulated_is_adjacent(const onnxgrid_problem* p) {
  onnxgrid::cuda::Launch plan = {};
  onnxgrid::cuda::plan_forward(*p, &plan);
  return !std::strcmp(plan.kernel, "forward_adjacent");
}
