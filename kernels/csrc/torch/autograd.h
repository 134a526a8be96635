// Autograd and autocast for the operators, through the dispatcher so that every backend below is reached.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/custom_function.h>

#include "kernels.h"

namespace onnxgrid {
namespace torch_extension {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

template <typename Signature> const c10::TypedOperatorHandle<Signature>& find(const char* name) {
  static const auto handle = c10::Dispatcher::singleton().findSchemaOrThrow(name, "").template typed<Signature>();
  return handle;
}

using SampleSignature = Tensor(const Tensor&, const Tensor&, int64_t, int64_t, bool);
using FusedSignature = Tensor(const Tensor&, const Tensor&, IntArrayRef, int64_t, int64_t, bool, bool);
using SampleBackward = Pair(const Tensor&, const Tensor&, const Tensor&, int64_t, int64_t, bool, bool, bool, bool);
using FusedBackward = Pair(const Tensor&, const Tensor&, const Tensor&, IntArrayRef, int64_t, int64_t, bool, bool, bool,
                           bool, bool);

inline bool& deterministic_flag() {
  static bool flag = false;
  return flag;
}

inline void refuse_double_backward() {
  TORCH_CHECK(!at::GradMode::is_enabled(),
              "onnxgrid: the compiled operators have no second derivative; use torch.nn.functional for create_graph=True");
}

class SampleFunction : public torch::autograd::Function<SampleFunction> {
 public:
  static variable_list forward(AutogradContext* ctx, const Tensor& x, const Tensor& grid, int64_t mode, int64_t padding,
                               bool align) {
    ctx->save_for_backward({x, grid});
    ctx->saved_data["mode"] = mode;
    ctx->saved_data["padding"] = padding;
    ctx->saved_data["align"] = align;
    ctx->saved_data["need_x"] = x.requires_grad();
    ctx->saved_data["need_grid"] = grid.requires_grad();
    const c10::impl::ExcludeDispatchKeyGuard below(c10::autograd_dispatch_keyset);
    return {find<SampleSignature>("onnxgrid::grid_sample").call(x, grid, mode, padding, align)};
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    refuse_double_backward();
    const variable_list saved = ctx->get_saved_variables();
    const Pair both = find<SampleBackward>("onnxgrid::grid_sample_backward")
                          .call(grads[0], saved[0], saved[1], ctx->saved_data["mode"].toInt(),
                                ctx->saved_data["padding"].toInt(), ctx->saved_data["align"].toBool(),
                                deterministic_flag(), ctx->saved_data["need_x"].toBool(),
                                ctx->saved_data["need_grid"].toBool());
    return {std::get<0>(both), std::get<1>(both), Tensor(), Tensor(), Tensor()};
  }
};

class FusedFunction : public torch::autograd::Function<FusedFunction> {
 public:
  static variable_list forward(AutogradContext* ctx, const Tensor& x, const Tensor& theta, IntArrayRef size, int64_t mode,
                               int64_t padding, bool align, bool grid_align) {
    ctx->save_for_backward({x, theta});
    ctx->saved_data["size"] = size.vec();
    ctx->saved_data["mode"] = mode;
    ctx->saved_data["padding"] = padding;
    ctx->saved_data["align"] = align;
    ctx->saved_data["grid_align"] = grid_align;
    ctx->saved_data["need_x"] = x.requires_grad();
    ctx->saved_data["need_theta"] = theta.requires_grad();
    const c10::impl::ExcludeDispatchKeyGuard below(c10::autograd_dispatch_keyset);
    return {find<FusedSignature>("onnxgrid::affine_grid_sample").call(x, theta, size, mode, padding, align, grid_align)};
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    refuse_double_backward();
    const variable_list saved = ctx->get_saved_variables();
    const std::vector<int64_t> size = ctx->saved_data["size"].toIntVector();
    const Pair both = find<FusedBackward>("onnxgrid::affine_grid_sample_backward")
                          .call(grads[0], saved[0], saved[1], size, ctx->saved_data["mode"].toInt(),
                                ctx->saved_data["padding"].toInt(), ctx->saved_data["align"].toBool(),
                                ctx->saved_data["grid_align"].toBool(), deterministic_flag(),
                                ctx->saved_data["need_x"].toBool(), ctx->saved_data["need_theta"].toBool());
    return {std::get<0>(both), std::get<1>(both), Tensor(), Tensor(), Tensor(), Tensor(), Tensor()};
  }
};

inline Tensor grid_sample_autograd(const Tensor& x, const Tensor& grid, int64_t mode, int64_t padding, bool align) {
  return SampleFunction::apply(x, grid, mode, padding, align)[0];
}

inline Tensor affine_grid_sample_autograd(const Tensor& x, const Tensor& theta, IntArrayRef size, int64_t mode,
                                          int64_t padding, bool align, bool grid_align) {
  return FusedFunction::apply(x, theta, size, mode, padding, align, grid_align)[0];
}

// PyTorch's rule for grid_sample under autocast: both take the wider of the two dtypes.
inline Tensor widen(const Tensor& tensor, const Tensor& other) {
  const bool narrow = tensor.scalar_type() == c10::ScalarType::Half || tensor.scalar_type() == c10::ScalarType::BFloat16;
  return narrow && other.scalar_type() == c10::ScalarType::Float ? tensor.to(other.scalar_type()) : tensor;
}

template <c10::DispatchKey key>
Tensor grid_sample_autocast(const Tensor& x, const Tensor& grid, int64_t mode, int64_t padding, bool align) {
  const c10::impl::ExcludeDispatchKeyGuard below{c10::DispatchKeySet(key)};
  return find<SampleSignature>("onnxgrid::grid_sample").call(widen(x, grid), widen(grid, x), mode, padding, align);
}

template <c10::DispatchKey key>
Tensor affine_grid_sample_autocast(const Tensor& x, const Tensor& theta, IntArrayRef size, int64_t mode, int64_t padding,
                                   bool align, bool grid_align) {
  const c10::impl::ExcludeDispatchKeyGuard below{c10::DispatchKeySet(key)};
  return find<FusedSignature>("onnxgrid::affine_grid_sample")
      .call(widen(x, theta), widen(theta, x), size, mode, padding, align, grid_align);
}

}  // namespace torch_extension
}  // namespace onnxgrid
