"""The functions a model calls; signatures and results of ``torch.nn.functional``."""

from typing import List, Optional

import torch
import torch.nn.functional as F
from torch import Tensor

from . import _checks, _eager, _session


def _traced_for_onnx():
    return torch._C._get_tracing_state() is not None and torch.onnx.is_in_onnx_export()


def _traced():
    return torch._C._get_tracing_state() is not None


def _autocast_enabled():
    if torch.is_autocast_enabled():
        return True
    on_cpu = getattr(torch, "is_autocast_cpu_enabled", None)  # from 1.10
    return on_cpu is not None and on_cpu()


def _autocast(*tensors):
    """The tensors in one dtype, as autocast's rules for grid_sampler have it: the widest."""
    dtype = tensors[0].dtype
    if all(tensor.dtype == dtype for tensor in tensors) or not _autocast_enabled():
        return tensors
    for tensor in tensors[1:]:
        dtype = torch.promote_types(dtype, tensor.dtype)
    return [tensor.to(dtype) for tensor in tensors]


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: Optional[bool] = None,
) -> Tensor:
    """``torch.nn.functional.grid_sample`` in operations that every ONNX opset has.

    ``input`` (N, C, H, W) with ``grid`` (N, Ho, Wo, 2), or (N, C, D, H, W) with
    (N, Do, Ho, Wo, 3); both float16, bfloat16, float32 or float64.  Modes ``bilinear``,
    ``nearest`` and, for 4-D, ``bicubic``; padding ``zeros``, ``border``, ``reflection``.
    Returns (N, C, Ho, Wo) or (N, C, Do, Ho, Wo).

    Raises ValueError for an unknown mode, RuntimeError for tensors that do not fit together.
    Scripted or traced without an export, PyTorch's own operator runs.
    """
    if torch.jit.is_scripting():
        return F.grid_sample(input, grid, mode, padding_mode, align_corners)
    else:
        return _grid_sample(input, grid, mode, padding_mode, align_corners)


@torch.jit.unused
def _grid_sample(
    input: Tensor, grid: Tensor, mode: str, padding_mode: str, align_corners: Optional[bool]
) -> Tensor:
    _checks.check_modes(mode, padding_mode)
    align = _checks.resolve_align_corners("grid_sample", align_corners)
    if _traced() and not _traced_for_onnx():
        return F.grid_sample(input, grid, mode, padding_mode, align)
    if isinstance(input, Tensor) and isinstance(grid, Tensor):
        input, grid = _autocast(input, grid)
    _checks.check_grid_sample(input, grid, mode)
    if _traced_for_onnx():
        from . import ops

        return ops.TracedGridSample.apply(input, grid, mode, padding_mode, align)
    if _session.capturing:
        from . import _dynamo

        return _dynamo.mark_sample(input, grid, mode, padding_mode, align)
    return _eager.grid_sample(input, grid, mode, padding_mode, align)


def affine_grid(theta: Tensor, size: List[int], align_corners: Optional[bool] = None) -> Tensor:
    """``torch.nn.functional.affine_grid`` in operations that every ONNX opset has.

    ``theta`` (N, 2, 3) with ``size`` (N, C, H, W) gives (N, H, W, 2); (N, 3, 4) with
    (N, C, D, H, W) gives (N, D, H, W, 3).  float16, bfloat16, float32 or float64.

    Raises ValueError for a theta or size that do not fit, NotImplementedError for a size of
    another length.
    """
    if torch.jit.is_scripting():
        return F.affine_grid(theta, size, align_corners)
    else:
        return _affine_grid(theta, size, align_corners)


@torch.jit.unused
def _affine_grid(theta: Tensor, size: List[int], align_corners: Optional[bool]) -> Tensor:
    align = _checks.resolve_align_corners("affine_grid", align_corners)
    if _traced() and not _traced_for_onnx():
        return F.affine_grid(theta, size, align)
    _checks.check_affine_grid(theta, size, align)
    if _traced_for_onnx():
        from . import ops

        return ops.TracedAffineGrid.apply(theta, ops.size_tensor(size), align)
    if _session.capturing:
        from . import _dynamo

        return _dynamo.mark_affine(theta, size, align)
    return _eager.affine_grid(theta, size, align)


def rot90(input: Tensor, k: int = 1, dims: List[int] = (0, 1)) -> Tensor:
    """``torch.rot90``: ``k`` quarter turns from ``dims[0]`` towards ``dims[1]``, any dtype.

    Raises RuntimeError unless ``dims`` names two different dimensions of ``input``.
    """
    if torch.jit.is_scripting():
        return torch.rot90(input, k, dims)
    else:
        return _rot90(input, k, dims)


@torch.jit.unused
def _rot90(input: Tensor, k: int, dims: List[int]) -> Tensor:
    rank = input.dim()
    if len(dims) != 2:
        raise RuntimeError("rot90: dims must name two dimensions, not {}".format(len(dims)))
    for dim in dims:
        if not -rank <= dim < rank:
            raise IndexError("rot90: dims {} is out of range for {} dimensions".format(dim, rank))
    if dims[0] % rank == dims[1] % rank:
        raise RuntimeError("rot90: dims must name two different dimensions, not {}".format(dims))
    if _traced() and not _traced_for_onnx():
        return torch.rot90(input, k, dims)
    if _traced_for_onnx():
        from . import ops

        return ops.TracedRotate.apply(input, k, list(dims))
    if _session.capturing:
        from . import _dynamo

        return _dynamo.mark_rotate(input, k, dims)
    return _eager.rot90(input, k, dims)


def rotate(
    input: Tensor,
    degrees: float,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
) -> Tensor:
    """Turn images (N, C, H, W) counter-clockwise about their centre by any angle.

    The result keeps the shape; angles are those of the picture, whatever its aspect ratio.
    """
    radians = torch.full((1,), degrees, dtype=input.dtype, device=input.device) * (3.141592653589793 / 180.0)
    cos, sin = torch.cos(radians), torch.sin(radians)
    zero = torch.zeros_like(cos)
    height, width = input.shape[2], input.shape[3]
    row_x = torch.cat([cos, -sin * height / width, zero])
    row_y = torch.cat([sin * width / height, cos, zero])
    theta = torch.stack([row_x, row_y]).unsqueeze(0).expand(input.shape[0], 2, 3)
    grid = affine_grid(theta, input.shape, False)
    return grid_sample(input, grid, mode, padding_mode, False)
