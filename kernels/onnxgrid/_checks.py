"""Argument checks with the exception types and warnings of ``torch.nn.functional``."""

import warnings

import torch

from ._formula import MODES, PADDING_MODES

_ALIGN_DEFAULT = (
    "{}: align_corners defaults to False since PyTorch 1.3; pass align_corners=True for the "
    "former behaviour, or False to keep this one without a warning"
)


def resolve_align_corners(function, align_corners):
    """False, with torch's warning, where the caller left it open."""
    if align_corners is None:
        warnings.warn(_ALIGN_DEFAULT.format(function), stacklevel=3)
        return False
    return bool(align_corners)


def check_modes(mode, padding_mode):
    """ValueError for an unknown ``mode`` or ``padding_mode``."""
    if mode not in MODES:
        raise ValueError("grid_sample: mode must be one of {}, not {!r}".format(", ".join(MODES), mode))
    if padding_mode not in PADDING_MODES:
        raise ValueError(
            "grid_sample: padding_mode must be one of {}, not {!r}".format(
                ", ".join(PADDING_MODES), padding_mode
            )
        )


def _fail(message, *values):
    raise RuntimeError("grid_sample: " + message.format(*values))


def check_grid_sample(image, grid, mode):
    """RuntimeError where torch raises one: device, dtype, rank, batch, last axis, empty image."""
    for name, value in (("input", image), ("grid", grid)):
        if not isinstance(value, torch.Tensor):
            raise TypeError(
                "grid_sample: {} must be a tensor, not {}".format(name, type(value).__name__)
            )
    if image.device != grid.device:
        _fail("input is on {} but grid on {}; move one of them", image.device, grid.device)
    if image.dtype != grid.dtype:
        _fail("input has dtype {} but grid {}; convert one of them", image.dtype, grid.dtype)
    if not image.is_floating_point():
        _fail("input must have a floating-point dtype, not {}", image.dtype)
    if image.dim() not in (4, 5):
        _fail("input must be 4-D or 5-D, not of shape {}", list(image.shape))
    if grid.dim() != image.dim():
        _fail("grid must have the {} dimensions of input, not {}", image.dim(), grid.dim())
    if image.shape[0] != grid.shape[0]:
        _fail("input and grid differ in batch size: {} and {}", image.shape[0], grid.shape[0])
    if grid.shape[-1] != image.dim() - 2:
        _fail("the last axis of grid must have extent {}, not {}", image.dim() - 2, grid.shape[-1])
    if any(extent == 0 for extent in image.shape[2:]):
        _fail("input must not be empty along a spatial axis, but has shape {}", list(image.shape))
    if mode == "bicubic" and image.dim() == 5:
        _fail("mode 'bicubic' samples 4-D input only")


def check_affine_grid(theta, size, align_corners):
    """ValueError for a bad theta or size, NotImplementedError for a size of another length."""
    if not isinstance(theta, torch.Tensor):
        raise TypeError("affine_grid: theta must be a tensor, not {}".format(type(theta).__name__))
    if not theta.is_floating_point():
        raise ValueError(
            "affine_grid: theta must have a floating-point dtype, not {}".format(theta.dtype)
        )
    if len(size) not in (4, 5):
        raise NotImplementedError(
            "affine_grid: size must be (N, C, H, W) or (N, C, D, H, W), not of length {}".format(
                len(size)
            )
        )
    dims = len(size) - 2
    if theta.dim() != 3 or theta.shape[-2] != dims or theta.shape[-1] != dims + 1:
        raise ValueError(
            "affine_grid: theta must have shape (N, {}, {}) for this size, not {}".format(
                dims, dims + 1, tuple(theta.shape)
            )
        )
    if any(extent <= 0 for extent in size):
        raise ValueError("affine_grid: size must be positive, not {}".format(list(size)))
    if theta.shape[0] != size[0]:
        raise RuntimeError(
            "affine_grid: theta has batch size {} but size asks for {}".format(
                theta.shape[0], size[0]
            )
        )
    if align_corners and any(extent == 1 for extent in size[2:]):
        warnings.warn(
            "affine_grid: with align_corners=True an axis of extent 1 is sampled at its centre "
            "since PyTorch 1.3",
            stacklevel=3,
        )
