// Who computes: the core on PyTorch's threads, or the CUDA library on PyTorch's current stream.
//
// No CUDA header is needed to ask PyTorch for its stream: the two functions are declared here as c10_cuda exports
// them, weakly, because a PyTorch without CUDA has neither.
#pragma once
#include <ATen/Parallel.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/Stream.h>
#include <dlfcn.h>

#include "../cuda/api.h"
#include "describe.h"

namespace c10 {
namespace cuda {
class CUDAStream {
 public:
  __attribute__((weak)) void* stream() const;

 private:
  c10::Stream stream_;
};
__attribute__((weak)) CUDAStream getCurrentCUDAStream(c10::DeviceIndex index);
}  // namespace cuda
}  // namespace c10

namespace onnxgrid {
namespace torch_extension {

struct CudaLibrary {
  onnxgrid_cuda_forward_t forward = nullptr;
  onnxgrid_cuda_gradient_t gradient = nullptr;
  onnxgrid_cuda_affine_grid_t affine_grid = nullptr;
};

inline CudaLibrary& cuda_library() {
  static CudaLibrary library;
  return library;
}

// Loads the CUDA half; the first one stays, since its kernels may be in use.
inline void load_cuda(const std::string& path) {
  CudaLibrary& library = cuda_library();
  if (library.forward) return;
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  TORCH_CHECK(handle != nullptr, "onnxgrid: cannot load the CUDA half: ", dlerror());
  CudaLibrary found;
  found.forward = reinterpret_cast<onnxgrid_cuda_forward_t>(dlsym(handle, "onnxgrid_cuda_forward"));
  found.gradient = reinterpret_cast<onnxgrid_cuda_gradient_t>(dlsym(handle, "onnxgrid_cuda_gradient"));
  found.affine_grid = reinterpret_cast<onnxgrid_cuda_affine_grid_t>(dlsym(handle, "onnxgrid_cuda_affine_grid"));
  TORCH_CHECK(found.forward && found.gradient && found.affine_grid, "onnxgrid: ", path, " is not the CUDA half");
  library = found;
}

inline void* stream_of(const Tensor& tensor) {
  TORCH_CHECK(&c10::cuda::getCurrentCUDAStream != nullptr, "onnxgrid: this PyTorch has no CUDA");
  return c10::cuda::getCurrentCUDAStream(tensor.device().index()).stream();
}

inline void succeed(const char* complaint) {
  TORCH_CHECK(complaint == nullptr, "onnxgrid (CUDA): ", complaint ? complaint : "");
}

inline const CudaLibrary& loaded_cuda() {
  TORCH_CHECK(cuda_library().forward != nullptr,
              "onnxgrid: the CUDA half is not loaded; build it (python -m onnxgrid_build) and call "
              "onnxgrid._extension.load()");
  return cuda_library();
}

// [0, tasks) over PyTorch's threads.
template <typename Body> void share_out(int64_t tasks, const Body& body) {
  const int64_t threads = at::in_parallel_region() ? 1 : at::get_num_threads();
  if (threads <= 1 || tasks < 2) return body(0, tasks);
  const int64_t parts = threads * 4 < tasks ? threads * 4 : tasks;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (int64_t i = 0; i < parts; ++i) body(tasks * i / parts, tasks * (i + 1) / parts);
}

inline void run_forward(const Tensor& x, const onnxgrid_problem& p) {
  if (x.is_cuda()) {
    const c10::DeviceGuard guard(x.device());
    return succeed(loaded_cuda().forward(&p, stream_of(x)));
  }
  share_out(onnxgrid_tasks(&p), [&](int64_t begin, int64_t end) { onnxgrid_run(&p, begin, end); });
}

inline void run_gradient(const Tensor& x, const onnxgrid_gradient& g, bool deterministic) {
  if (x.is_cuda()) {
    const c10::DeviceGuard guard(x.device());
    return succeed(loaded_cuda().gradient(&g, deterministic, stream_of(x)));
  }
  for (int half = 0; half < 2; ++half)
    share_out(onnxgrid_gradient_tasks(&g, half),
              [&](int64_t begin, int64_t end) { onnxgrid_gradient_run(&g, half, begin, end); });
}

inline void run_affine_grid(const Tensor& theta, const onnxgrid_problem& p) {
  if (theta.is_cuda()) {
    const c10::DeviceGuard guard(theta.device());
    return succeed(loaded_cuda().affine_grid(&p, stream_of(theta)));
  }
  onnxgrid_affine_grid(&p);
}

}  // namespace torch_extension
}  // namespace onnxgrid
