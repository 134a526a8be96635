// torch.ops.onnxgrid: schemas and registrations. ONNXGRID_TORCH is 100 * major + minor of the release.
#include <torch/library.h>

#include "autograd.h"

using namespace onnxgrid::torch_extension;

namespace {

void set_deterministic(bool on) { deterministic_flag() = on; }
void load_cuda_library(std::string path) { load_cuda(path); }
bool has_cuda_library() { return cuda_library().forward != nullptr; }
std::string instruction_set() {
  const char* names[] = {"plain", "generic", "avx2", "avx512"};
  return names[onnxgrid_isa_in_use()];
}

void implement(torch::Library& m) {
  m.impl("grid_sample", grid_sample);
  m.impl("grid_sample_out", grid_sample_out);
  m.impl("grid_sample_backward", grid_sample_backward);
  m.impl("affine_grid", affine_grid);
  m.impl("affine_grid_sample", affine_grid_sample);
  m.impl("affine_grid_sample_out", affine_grid_sample_out);
  m.impl("affine_grid_sample_backward", affine_grid_sample_backward);
}

}  // namespace

TORCH_LIBRARY(onnxgrid, m) {
  m.def("grid_sample(Tensor input, Tensor grid, int mode, int padding_mode, bool align_corners) -> Tensor");
  m.def("grid_sample_out(Tensor input, Tensor grid, int mode, int padding_mode, bool align_corners, Tensor(a!) out) -> Tensor(a!)");
  m.def("grid_sample_backward(Tensor grad, Tensor input, Tensor grid, int mode, int padding_mode, bool align_corners, "
        "bool deterministic, bool need_input, bool need_grid) -> (Tensor, Tensor)");
  m.def("affine_grid(Tensor theta, int[] size, bool align_corners) -> Tensor");
  m.def("affine_grid_sample(Tensor input, Tensor theta, int[] size, int mode, int padding_mode, bool align_corners, "
        "bool grid_align_corners) -> Tensor");
  m.def("affine_grid_sample_out(Tensor input, Tensor theta, int[] size, int mode, int padding_mode, bool align_corners, "
        "bool grid_align_corners, Tensor(a!) out) -> Tensor(a!)");
  m.def("affine_grid_sample_backward(Tensor grad, Tensor input, Tensor theta, int[] size, int mode, int padding_mode, "
        "bool align_corners, bool grid_align_corners, bool deterministic, bool need_input, bool need_theta) -> (Tensor, Tensor)");
  m.def("set_deterministic(bool on) -> ()", set_deterministic);
  m.def("load_cuda(str path) -> ()", load_cuda_library);
  m.def("has_cuda() -> bool", has_cuda_library);
  m.def("instruction_set() -> str", instruction_set);
}

TORCH_LIBRARY_IMPL(onnxgrid, CPU, m) { implement(m); }
TORCH_LIBRARY_IMPL(onnxgrid, CUDA, m) { implement(m); }
#if ONNXGRID_TORCH >= 110
TORCH_LIBRARY_IMPL(onnxgrid, Meta, m) { implement(m); }
#endif

TORCH_LIBRARY_IMPL(onnxgrid, Autograd, m) {
  m.impl("grid_sample", grid_sample_autograd);
  m.impl("affine_grid_sample", affine_grid_sample_autograd);
}

TORCH_LIBRARY_IMPL(onnxgrid, Autocast, m) {
  m.impl("grid_sample", grid_sample_autocast<c10::DispatchKey::Autocast>);
  m.impl("affine_grid_sample", affine_grid_sample_autocast<c10::DispatchKey::Autocast>);
}
#if ONNXGRID_TORCH >= 110
TORCH_LIBRARY_IMPL(onnxgrid, AutocastCPU, m) {
  m.impl("grid_sample", grid_sample_autocast<c10::DispatchKey::AutocastCPU>);
  m.impl("affine_grid_sample", affine_grid_sample_autocast<c10::DispatchKey::AutocastCPU>);
}
#endif

// Found by onnxgrid.ort when this file is handed to it by mistake.
extern "C" ONNXGRID_API const char* onnxgrid_torch_extension() { return "onnxgrid_torch_extension"; }

// What ONNX Runtime calls when this file is registered with it directly: an error that says what happened.
struct OrtStatus;
extern "C" ONNXGRID_API OrtStatus* RegisterCustomOps(void*, const void* const* base) {
  using GetApi = const void* const* (*)(uint32_t);
  using CreateStatus = OrtStatus* (*)(int, const char*);
  const void* const* api = reinterpret_cast<GetApi>(const_cast<void*>(base[0]))(1);
  return reinterpret_cast<CreateStatus>(const_cast<void*>(api[0]))(
      2, "this is the PyTorch extension of onnxgrid, not its ONNX Runtime library: call onnxgrid.ort.register(options)");
}
