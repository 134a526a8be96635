// A plain CUDAExtension around the same kernels, as PyTorch's manual describes: torch/extension.h, dispatch by
// scalar_type(), the current stream. Proves that a matching toolkit is all it takes.
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

#include "../cuda/forward.h"
#include "describe.h"

namespace {

template <typename T> struct Native { using Type = T; };
template <> struct Native<at::Half> { using Type = onnxgrid::half_t; };

at::Tensor grid_sample(const at::Tensor& x, const at::Tensor& grid, int64_t padding, bool align) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 4, "onnxgrid: a 4-D CUDA tensor is needed");
  const c10::cuda::CUDAGuard guard(x.device());
  onnxgrid_problem p = {};
  onnxgrid::torch_extension::set_image(x, &p);
  onnxgrid::torch_extension::set_options(0, padding, align, &p);
  onnxgrid::torch_extension::set_grid(x, grid, &p);
  at::Tensor y = at::empty(onnxgrid::torch_extension::output_shape(p), x.options());
  onnxgrid::torch_extension::use_output(y, &p);
  p.x = x.data_ptr();
  p.grid = grid.data_ptr();
  const int64_t pixels = p.out[1] * p.out[2];
  if (y.numel() == 0) return y;
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "onnxgrid_grid_sample", [&] {
    using T = typename Native<scalar_t>::Type;
    onnxgrid::cuda::forward_planar<T, T, 0, int64_t>
        <<<dim3(unsigned((pixels + 255) / 256), 1, unsigned(p.batch)), 256, 0, at::cuda::getCurrentCUDAStream()>>>(
            p, p.channels);
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

}  // namespace

TORCH_LIBRARY(onnxgrid_textbook, m) {
  m.def("grid_sample(Tensor input, Tensor grid, int padding_mode, bool align_corners) -> Tensor");
}

TORCH_LIBRARY_IMPL(onnxgrid_textbook, CUDA, m) { m.impl("grid_sample", grid_sample); }
