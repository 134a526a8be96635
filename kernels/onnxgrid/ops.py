"""The operators as ``torch.autograd.Function``, exported as nodes of a custom domain.

``GridSample``, ``AffineGrid``, ``AffineGridSample`` and ``Rotate`` put a node of the domain in
force (``custom.ops`` outside ``exporting``) into a TorchScript export.  Under ``exporting`` the
file also gets their function bodies; without it, register a library that implements them, or
use ``onnxgrid.exporting("custom")``.

The ``Traced...`` forms are what ``onnxgrid.grid_sample`` and its siblings become under an
export: they follow the route in force, and are the shim without one.
"""

import contextlib
import warnings

import torch
from torch.autograd.function import once_differentiable

from . import _eager
from . import _spec as spec

_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
_PADDINGS = {"zeros": 0, "border": 1, "reflection": 2}


def size_tensor(size):
    """An output size as an int64 tensor, without losing extents that the tracer follows."""
    with _no_tracer_warnings():
        return torch.stack([torch.as_tensor(extent, dtype=torch.int64) for extent in size])


def _extents(size):
    with _no_tracer_warnings():
        return size.tolist()


@contextlib.contextmanager
def _no_tracer_warnings():
    """The tracer warns of numbers taken out of a size; the node's input keeps the size itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", torch.jit.TracerWarning)
        yield


def _native_sample(image, grid, mode, padding_mode, align_corners):
    if image.dtype in (torch.float16, torch.bfloat16) and image.device.type == "cpu":
        return _eager.grid_sample(image, grid, mode, padding_mode, align_corners)
    return torch.grid_sampler(image, grid, _MODES[mode], _PADDINGS[padding_mode], align_corners)


def _native_affine(theta, size, align_corners):
    return torch.affine_grid_generator(theta, [int(extent) for extent in size], align_corners)


def _backward(ctx, run, grad_output):
    """Gradients of ``run(*saved)`` for the saved tensors that need one."""
    with torch.enable_grad():
        leaves = [tensor.detach().requires_grad_(True) for tensor in ctx.saved_tensors]
        result = run(*leaves)
    return torch.autograd.grad(result, leaves, grad_output)


def _write(custom, g, operator, *values):
    from . import _torchscript

    return (_torchscript.write_custom if custom else _torchscript.write)(g, operator, *values)


class TracedGridSample(torch.autograd.Function):
    """(input, grid, mode, padding_mode, align_corners) -> samples; see ``grid_sample``."""

    @staticmethod
    def forward(ctx, input, grid, mode, padding_mode, align_corners):
        ctx.save_for_backward(input, grid)
        ctx.options = (mode, padding_mode, align_corners)
        return _native_sample(input, grid, mode, padding_mode, align_corners)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        options = ctx.options
        grads = _backward(ctx, lambda i, g: _native_sample(i, g, *options), grad_output)
        return (*grads, None, None, None)

    @staticmethod
    def symbolic(g, input, grid, mode, padding_mode, align_corners):
        return _sample_node(False, g, input, grid, mode, padding_mode, align_corners)


def _sample_node(custom, g, input, grid, mode, padding_mode, align_corners):
    from ._torchscript import spatial_dims

    operator = spec.GridSample(spatial_dims(input, grid), mode, padding_mode, align_corners)
    return _write(custom, g, operator, input, grid)


class GridSample(TracedGridSample):
    @staticmethod
    def symbolic(g, input, grid, mode, padding_mode, align_corners):
        return _sample_node(True, g, input, grid, mode, padding_mode, align_corners)


class TracedAffineGrid(torch.autograd.Function):
    """(theta, size as an int64 tensor, align_corners) -> grid; see ``affine_grid``."""

    @staticmethod
    def forward(ctx, theta, size, align_corners):
        ctx.save_for_backward(theta)
        ctx.options = (_extents(size), align_corners)
        return _native_affine(theta, *ctx.options)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        options = ctx.options
        return (*_backward(ctx, lambda t: _native_affine(t, *options), grad_output), None, None)

    @staticmethod
    def symbolic(g, theta, size, align_corners):
        return _affine_node(False, g, theta, size, align_corners)


def _affine_node(custom, g, theta, size, align_corners):
    from ._torchscript import affine_dims

    return _write(custom, g, spec.AffineGrid(affine_dims(theta, size), align_corners), theta, size)


class AffineGrid(TracedAffineGrid):
    @staticmethod
    def symbolic(g, theta, size, align_corners):
        return _affine_node(True, g, theta, size, align_corners)


class AffineGridSample(torch.autograd.Function):
    """(input, theta, size, mode, padding_mode, align_corners) -> samples.

    ``affine_grid`` and ``grid_sample`` in one operator; ``size`` is an int64 tensor
    (``size_tensor`` makes one), ``align_corners`` holds for both.
    """

    @staticmethod
    def forward(ctx, input, theta, size, mode, padding_mode, align_corners):
        ctx.save_for_backward(input, theta)
        ctx.options = (_extents(size), mode, padding_mode, align_corners)
        return _fused(input, theta, *ctx.options)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        options = ctx.options
        grads = _backward(ctx, lambda i, t: _fused(i, t, *options), grad_output)
        return (*grads, None, None, None, None)

    @staticmethod
    def symbolic(g, input, theta, size, mode, padding_mode, align_corners):
        from ._torchscript import affine_dims

        dims = affine_dims(theta, size)
        operator = spec.AffineGridSample(dims, mode, padding_mode, align_corners, align_corners)
        return _write(True, g, operator, input, theta, size)


def _fused(input, theta, size, mode, padding_mode, align_corners):
    grid = _native_affine(theta, size, align_corners)
    return _native_sample(input, grid, mode, padding_mode, align_corners)


class TracedRotate(torch.autograd.Function):
    """(input, k, dims) -> the input turned by ``k`` quarter turns; see ``rot90``."""

    @staticmethod
    def forward(ctx, input, k, dims):
        ctx.options = (k, dims)
        return torch.rot90(input, k, dims)

    @staticmethod
    def backward(ctx, grad_output):
        k, dims = ctx.options
        return torch.rot90(grad_output, -k, dims), None, None

    @staticmethod
    def symbolic(g, input, k, dims):
        return _rotate_node(False, g, input, k, dims)


def _rotate_node(custom, g, input, k, dims):
    from ._torchscript import rank_of

    return _write(custom, g, spec.Rotate(rank_of(input), k, dims), input)


class Rotate(TracedRotate):
    @staticmethod
    def symbolic(g, input, k, dims):
        return _rotate_node(True, g, input, k, dims)
