// The three entry points of the CUDA half in terms of one function: launch(description, plan, stream).
#pragma once
#include "geometry.h"

namespace onnxgrid {
namespace cuda {
// Defined by the compiled half (launch.cu) and by the run-time compiled one (nvrtc.cpp).
const char* launch(const onnxgrid_problem& p, const Launch& plan, void* stream);
const char* launch(const onnxgrid_gradient& g, const Launch& plan, void* stream);
}  // namespace cuda
}  // namespace onnxgrid

extern "C" {

ONNXGRID_API const char* onnxgrid_cuda_forward(const onnxgrid_problem* p, void* stream) {
  if (p->batch * p->channels * p->out[0] * p->out[1] * p->out[2] == 0) return nullptr;
  onnxgrid::cuda::Launch plan = {};
  const char* complaint = onnxgrid::cuda::plan_forward(*p, &plan);
  return complaint ? complaint : onnxgrid::cuda::launch(*p, plan, stream);
}

ONNXGRID_API const char* onnxgrid_cuda_gradient(const onnxgrid_gradient* g, int deterministic, void* stream) {
  const onnxgrid_problem& p = g->forward;
  if (p.batch * p.out[0] * p.out[1] * p.out[2] == 0) return nullptr;
  onnxgrid_gradient first = *g;
  if (deterministic) first.grad_x = nullptr;
  onnxgrid::cuda::Launch plan = {};
  const char* complaint = nullptr;
  if (first.grad_x || first.grad_grid) {
    complaint = onnxgrid::cuda::plan_gradient(first, false, &plan);
    if (!complaint) complaint = onnxgrid::cuda::launch(first, plan, stream);
  }
  if (complaint || !deterministic || !g->grad_x || p.channels == 0) return complaint;
  complaint = onnxgrid::cuda::plan_gradient(*g, true, &plan);
  return complaint ? complaint : onnxgrid::cuda::launch(*g, plan, stream);
}

ONNXGRID_API const char* onnxgrid_cuda_affine_grid(const onnxgrid_problem* p, void* stream) {
  if (p->batch * p->out[0] * p->out[1] * p->out[2] == 0) return nullptr;
  onnxgrid::cuda::Launch plan = {};
  const char* complaint = onnxgrid::cuda::plan_affine_grid(*p, &plan);
  return complaint ? complaint : onnxgrid::cuda::launch(*p, plan, stream);
}

}  // extern "C"
