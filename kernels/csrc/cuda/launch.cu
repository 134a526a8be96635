// The CUDA half, compiled by nvcc: picks the instantiation and launches it on the caller's stream.
#include <cstring>

#include "backward.h"
#include "entry.h"

namespace onnxgrid {
namespace cuda {
namespace {

// Calls use(kernel) with the kernel of the plan for element types T and G.
template <typename T, typename G, int kKind, typename Use>
cudaError_t pick(const onnxgrid_problem&, const Launch& plan, Use use) {
  if (!std::strcmp(plan.kernel, "forward_adjacent")) return use(forward_adjacent<T, G, kKind, int64_t>);
  return plan.wide ? use(forward_planar<T, G, kKind, int64_t>) : use(forward_planar<T, G, kKind, int>);
}

template <typename T, typename G, int kKind, typename Use>
cudaError_t pick(const onnxgrid_gradient&, const Launch& plan, Use use) {
  if (!std::strcmp(plan.kernel, "gradient")) return use(gradient<T, G, kKind, int64_t>);
  return use(input_gradient_in_order<T, G, kKind, int64_t>);
}

template <typename T, typename G, typename What, typename Use>
cudaError_t pick_kind(const What& what, const Launch& plan, Use use) {
  switch (plan.kind) {
    case kLinear2: return pick<T, G, kLinear2>(what, plan, use);
    case kNearest: return pick<T, G, kNearest>(what, plan, use);
    case kCubic2: return pick<T, G, kCubic2>(what, plan, use);
    default: return pick<T, G, kLinear3>(what, plan, use);
  }
}

template <typename What, typename Use>
cudaError_t pick_types(int dtype, int grid_dtype, const What& what, const Launch& plan, Use use) {
  switch (dtype) {
    case ONNXGRID_F32: return pick_kind<float, float>(what, plan, use);
    case ONNXGRID_F64: return pick_kind<double, double>(what, plan, use);
    case ONNXGRID_F16:
      return grid_dtype == ONNXGRID_F32 ? pick_kind<half_t, float>(what, plan, use)
                                        : pick_kind<half_t, half_t>(what, plan, use);
    default:
      return grid_dtype == ONNXGRID_F32 ? pick_kind<bfloat_t, float>(what, plan, use)
                                        : pick_kind<bfloat_t, bfloat_t>(what, plan, use);
  }
}

template <typename What> struct Start {
  const What& what;
  const Launch& plan;
  cudaStream_t stream;

  template <typename Kernel> cudaError_t operator()(Kernel kernel) const {
    kernel<<<dim3(plan.grid[0], plan.grid[1], plan.grid[2]), kThreads, 0, stream>>>(what, plan.parameter);
    return cudaGetLastError();
  }
};

const char* explain(cudaError_t error) { return error == cudaSuccess ? nullptr : cudaGetErrorString(error); }

cudaError_t start_affine_grid(const onnxgrid_problem& p, const Start<onnxgrid_problem>& start) {
  switch (p.grid_dtype) {
    case ONNXGRID_F32: return start(affine_grid<float, float, kNearest, int>);
    case ONNXGRID_F64: return start(affine_grid<double, double, kNearest, int>);
    case ONNXGRID_F16: return start(affine_grid<half_t, half_t, kNearest, int>);
    default: return start(affine_grid<bfloat_t, bfloat_t, kNearest, int>);
  }
}

}  // namespace

const char* launch(const onnxgrid_problem& p, const Launch& plan, void* stream) {
  const Start<onnxgrid_problem> start = {p, plan, static_cast<cudaStream_t>(stream)};
  if (!std::strcmp(plan.kernel, "affine_grid")) return explain(start_affine_grid(p, start));
  return explain(pick_types(p.dtype, p.grid_dtype, p, plan, start));
}

const char* launch(const onnxgrid_gradient& g, const Launch& plan, void* stream) {
  const Start<onnxgrid_gradient> start = {g, plan, static_cast<cudaStream_t>(stream)};
  return explain(pick_types(g.forward.dtype, g.forward.grid_dtype, g, plan, start));
}

}  // namespace cuda
}  // namespace onnxgrid
