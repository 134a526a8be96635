// From tensors to the core's description of a problem, with PyTorch's own kinds of error.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include <string>
#include <vector>

#include "../core/api.h"

namespace onnxgrid {
namespace torch_extension {

using at::Tensor;
using c10::IntArrayRef;

inline int32_t core_dtype(const Tensor& tensor, const char* name) {
  switch (tensor.scalar_type()) {
    case c10::ScalarType::Float: return ONNXGRID_F32;
    case c10::ScalarType::Double: return ONNXGRID_F64;
    case c10::ScalarType::Half: return ONNXGRID_F16;
    case c10::ScalarType::BFloat16: return ONNXGRID_BF16;
    default: break;
  }
  TORCH_CHECK(false, "onnxgrid: ", name, " must be float32, float64, float16 or bfloat16, not ", tensor.scalar_type());
}

// N, C, D, H, W strides of a 4-D or 5-D tensor; the depth of a 4-D one is 0.
inline void image_strides(const Tensor& x, int64_t* to) {
  const int64_t missing = 5 - x.dim();
  for (int i = 0; i < 5; ++i) to[i] = (missing && i == 2) ? 0 : x.stride(i < 2 ? i : i - missing);
}

inline void set_image(const Tensor& x, onnxgrid_problem* p) {
  TORCH_CHECK(x.dim() == 4 || x.dim() == 5, "onnxgrid: the input must be 4-D (N, C, H, W) or 5-D (N, C, D, H, W), not ",
              x.dim(), "-D");
  p->rank = int32_t(x.dim() - 2);
  p->dtype = core_dtype(x, "the input");
  p->batch = x.size(0);
  p->channels = x.size(1);
  for (int i = 0; i < 3; ++i) p->in[i] = p->rank == 3 ? x.size(2 + i) : (i ? x.size(1 + i) : 1);
  image_strides(x, p->x_stride);
}

inline void set_options(int64_t mode, int64_t padding, bool align, onnxgrid_problem* p) {
  p->mode = int32_t(mode);
  p->padding = int32_t(padding);
  p->align_corners = p->grid_align_corners = align;
}

inline void set_extents(const std::vector<int64_t>& spatial, onnxgrid_problem* p) {
  for (int i = 0; i < 3; ++i) p->out[i] = p->rank == 3 ? spatial[size_t(i)] : (i ? spatial[size_t(i - 1)] : 1);
}

inline void set_grid(const Tensor& x, const Tensor& grid, onnxgrid_problem* p) {
  const int rank = p->rank;
  TORCH_CHECK(grid.dim() == rank + 2 && grid.size(0) == p->batch && grid.size(rank + 1) == rank,
              "onnxgrid: for an input of shape ", x.sizes(), " the grid must be (", p->batch,
              rank == 2 ? ", H, W, 2)" : ", D, H, W, 3)", ", not ", grid.sizes());
  TORCH_CHECK(x.device() == grid.device(), "onnxgrid: input and grid must be on one device, not ", x.device(), " and ",
              grid.device());
  p->grid_dtype = core_dtype(grid, "the grid");
  set_extents(grid.sizes().slice(1, size_t(rank)).vec(), p);
  for (int i = 0; i < 5; ++i) p->grid_stride[i] = rank == 3 ? grid.stride(i) : (i == 1 ? 0 : grid.stride(i ? i - 1 : 0));
}

inline void set_theta(const Tensor& x, const Tensor& theta, IntArrayRef size, bool grid_align, onnxgrid_problem* p) {
  const int rank = p->rank;
  TORCH_CHECK(int64_t(size.size()) == rank + 2, "onnxgrid: size must have ", rank + 2, " entries, not ", size.size());
  TORCH_CHECK(theta.dim() == 3 && theta.size(0) == p->batch && theta.size(1) == rank && theta.size(2) == rank + 1,
              "onnxgrid: theta must be (", p->batch, ", ", rank, ", ", rank + 1, "), not ", theta.sizes());
  TORCH_CHECK(x.device() == theta.device(), "onnxgrid: input and theta must be on one device, not ", x.device(), " and ",
              theta.device());
  p->grid_dtype = core_dtype(theta, "theta");
  p->grid_align_corners = grid_align;
  set_extents(size.slice(2).vec(), p);
  for (int i = 0; i < 3; ++i) p->theta_stride[i] = theta.stride(i);
}

inline void accept(const onnxgrid_problem& p) {
  const char* complaint = onnxgrid_check(&p);
  TORCH_CHECK(complaint == nullptr, "onnxgrid: ", complaint ? complaint : "");
}

inline std::vector<int64_t> output_shape(const onnxgrid_problem& p) {
  std::vector<int64_t> shape = {p.batch, p.channels};
  shape.insert(shape.end(), p.out + (3 - p.rank), p.out + 3);
  return shape;
}

// Channels side by side in the input give channels side by side in the output.
inline Tensor empty_output(const Tensor& x, const onnxgrid_problem& p) {
  const std::vector<int64_t> shape = output_shape(p);
  if (p.channels < 2 || p.x_stride[1] != 1) return x.new_empty(shape, x.options());
  std::vector<int64_t> last(shape.begin() + 2, shape.end()), back = {0, int64_t(shape.size()) - 1};
  last.insert(last.begin(), shape[0]);
  last.push_back(shape[1]);
  for (size_t i = 1; i + 1 < shape.size(); ++i) back.push_back(int64_t(i));
  return x.new_empty(last, x.options()).permute(back);
}

inline void use_output(const Tensor& y, onnxgrid_problem* p) {
  image_strides(y, p->y_stride);
  p->y = y.data_ptr();
}

inline void check_out(const Tensor& x, const Tensor& out, const onnxgrid_problem& p) {
  TORCH_CHECK(out.sizes() == IntArrayRef(output_shape(p)), "onnxgrid: out must have shape ", IntArrayRef(output_shape(p)),
              ", not ", out.sizes());
  TORCH_CHECK(out.scalar_type() == x.scalar_type() && out.device() == x.device(),
              "onnxgrid: out must have the dtype and the device of the input");
}

}  // namespace torch_extension
}  // namespace onnxgrid
