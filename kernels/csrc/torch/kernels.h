// The operators below autograd, for CPU, CUDA and (shapes only) Meta.
#pragma once
#include <tuple>

#include "devices.h"

namespace onnxgrid {
namespace torch_extension {

using Pair = std::tuple<Tensor, Tensor>;

struct Call {
  onnxgrid_problem p = {};
  bool shapes_only = false;
};

inline Call grid_call(const Tensor& x, const Tensor& grid, int64_t mode, int64_t padding, bool align) {
  Call call;
  set_image(x, &call.p);
  set_options(mode, padding, align, &call.p);
  set_grid(x, grid, &call.p);
  accept(call.p);
  call.shapes_only = !(x.is_cuda() || x.device().is_cpu());
  if (call.shapes_only) return call;
  call.p.x = x.data_ptr();
  call.p.grid = grid.data_ptr();
  return call;
}

inline Call theta_call(const Tensor& x, const Tensor& theta, IntArrayRef size, int64_t mode, int64_t padding, bool align,
                       bool grid_align) {
  Call call;
  set_image(x, &call.p);
  set_options(mode, padding, align, &call.p);
  set_theta(x, theta, size, grid_align, &call.p);
  accept(call.p);
  call.shapes_only = !(x.is_cuda() || x.device().is_cpu());
  if (call.shapes_only) return call;
  call.p.x = x.data_ptr();
  call.p.theta = theta.data_ptr();
  return call;
}

inline Tensor finish(const Tensor& x, Call call, Tensor y) {
  if (call.shapes_only) return y;
  use_output(y, &call.p);
  run_forward(x, call.p);
  return y;
}

inline Tensor grid_sample(const Tensor& x, const Tensor& grid, int64_t mode, int64_t padding, bool align) {
  const Call call = grid_call(x, grid, mode, padding, align);
  return finish(x, call, empty_output(x, call.p));
}

inline Tensor grid_sample_out(const Tensor& x, const Tensor& grid, int64_t mode, int64_t padding, bool align, Tensor out) {
  const Call call = grid_call(x, grid, mode, padding, align);
  check_out(x, out, call.p);
  return finish(x, call, out);
}

inline Tensor affine_grid_sample(const Tensor& x, const Tensor& theta, IntArrayRef size, int64_t mode, int64_t padding,
                                 bool align, bool grid_align) {
  const Call call = theta_call(x, theta, size, mode, padding, align, grid_align);
  return finish(x, call, empty_output(x, call.p));
}

inline Tensor affine_grid_sample_out(const Tensor& x, const Tensor& theta, IntArrayRef size, int64_t mode,
                                     int64_t padding, bool align, bool grid_align, Tensor out) {
  const Call call = theta_call(x, theta, size, mode, padding, align, grid_align);
  check_out(x, out, call.p);
  return finish(x, call, out);
}

inline Tensor affine_grid(const Tensor& theta, IntArrayRef size, bool align) {
  TORCH_CHECK(size.size() == 4 || size.size() == 5, "onnxgrid: size must be (N, C, H, W) or (N, C, D, H, W)");
  onnxgrid_problem p = {};
  p.rank = int32_t(size.size()) - 2;
  TORCH_CHECK(theta.dim() == 3 && theta.size(1) == p.rank && theta.size(2) == p.rank + 1, "onnxgrid: theta must be (N, ",
              p.rank, ", ", p.rank + 1, "), not ", theta.sizes());
  p.batch = theta.size(0);
  p.grid_align_corners = align;
  p.dtype = p.grid_dtype = core_dtype(theta, "theta");
  set_extents(size.slice(2).vec(), &p);
  for (int i = 0; i < 3; ++i) p.theta_stride[i] = theta.stride(i);
  std::vector<int64_t> shape = size.vec();
  shape[0] = p.batch;
  shape.erase(shape.begin() + 1);
  shape.push_back(p.rank);
  Tensor grid = theta.new_empty(shape, theta.options());
  if (!theta.is_cuda() && !theta.device().is_cpu()) return grid;
  p.theta = theta.data_ptr();
  p.y = grid.data_ptr();
  run_affine_grid(theta, p);
  return grid;
}

// Gradients of input and grid; the second is of the grid too when the coordinates come from theta.
inline Pair gradients(Call call, const Tensor& grad, const Tensor& x, const Tensor& coordinates, bool deterministic,
                      bool need_x, bool need_grid) {
  const bool sixteen = call.p.dtype == ONNXGRID_F16 || call.p.dtype == ONNXGRID_BF16;
  std::vector<int64_t> grid_shape = {call.p.batch};
  grid_shape.insert(grid_shape.end(), call.p.out + (3 - call.p.rank), call.p.out + 3);
  grid_shape.push_back(call.p.rank);
  Tensor grad_x, grad_grid;
  if (need_x) grad_x = x.new_zeros(x.sizes(), sixteen ? x.options().dtype(c10::ScalarType::Float) : x.options());
  if (need_grid) grad_grid = coordinates.new_empty(grid_shape, coordinates.options());
  if (!call.shapes_only && grad.numel() > 0) {
    onnxgrid_gradient g = {};
    g.forward = call.p;
    image_strides(grad, g.forward.y_stride);
    g.grad_y = grad.data_ptr();
    if (need_x) {
      g.grad_x = grad_x.data_ptr();
      image_strides(grad_x, g.grad_x_stride);
    }
    if (need_grid) g.grad_grid = grad_grid.data_ptr();
    run_gradient(x, g, deterministic);
  } else if (need_grid) {
    grad_grid.zero_();
  }
  if (need_x && sixteen) grad_x = grad_x.to(x.scalar_type());
  return Pair(grad_x, grad_grid);
}

inline Pair grid_sample_backward(const Tensor& grad, const Tensor& x, const Tensor& grid, int64_t mode, int64_t padding,
                                 bool align, bool deterministic, bool need_x, bool need_grid) {
  return gradients(grid_call(x, grid, mode, padding, align), grad, x, grid, deterministic, need_x, need_grid);
}

// The gradient of theta is the sum over pixels of grad_grid times the base coordinates (x, y[, z], 1).
inline Pair affine_grid_sample_backward(const Tensor& grad, const Tensor& x, const Tensor& theta, IntArrayRef size,
                                        int64_t mode, int64_t padding, bool align, bool grid_align, bool deterministic,
                                        bool need_x, bool need_theta) {
  Call call = theta_call(x, theta, size, mode, padding, align, grid_align);
  Pair both = gradients(call, grad, x, theta, deterministic, need_x, need_theta);
  if (!need_theta) return both;
  const int64_t rank = call.p.rank, batch = call.p.batch;
  // The grid of the identity holds the base coordinates.
  Tensor identity = theta.new_zeros({1, rank, rank + 1}, theta.options());
  for (int64_t i = 0; i < rank; ++i) identity.select(1, i).select(1, i).fill_(1);
  std::vector<int64_t> one = size.vec();
  one[0] = 1;
  const Tensor base = affine_grid(identity, one, grid_align).reshape({-1, rank});
  const Tensor grad_grid = std::get<1>(both).reshape({batch, -1, rank}).transpose(1, 2);
  Tensor grad_theta = theta.new_zeros({batch, rank, rank + 1}, theta.options());
  grad_theta.narrow(2, 0, rank).copy_(grad_grid.matmul(base));
  grad_theta.select(2, rank).copy_(grad_grid.sum(-1));
  return Pair(std::get<0>(both), grad_theta);
}

}  // namespace torch_extension
}  // namespace onnxgrid
