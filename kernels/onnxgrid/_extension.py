"""The compiled operators, ``torch.ops.onnxgrid``: found and loaded on request, never on import.

Where the libraries are: ``ONNXGRID_TORCH_LIBRARY`` and ``ONNXGRID_CUDA_LIBRARY`` (the ``library`` entries of
``python -m onnxgrid_build --json``), else inside the installed package.
"""

import os

import torch

TORCH_LIBRARY, CUDA_LIBRARY = "libonnxgrid_torch.so", "libonnxgrid_cuda.so"
MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")

_state = {"loaded": False, "reason": "not asked for"}


class ExtensionError(RuntimeError):
    """The extension is not there, or belongs to another PyTorch."""


def _path(variable, name):
    named = os.environ.get(variable)
    packaged = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_native", name)
    path = named or packaged
    return path if os.path.isfile(path) else None


def load(library=None, cuda=None):
    """Load the extension (and its CUDA half, where there is one); does nothing the second time.

    Raises ``ExtensionError`` when there is no library or PyTorch refuses it.
    """
    if not _state["loaded"]:
        path = library or _path("ONNXGRID_TORCH_LIBRARY", TORCH_LIBRARY)
        if path is None:
            raise ExtensionError(
                "no compiled extension for this PyTorch: run `python -m onnxgrid_build --json` "
                "and set ONNXGRID_TORCH_LIBRARY to the library that it names (docs/kernels.md)"
            )
        try:
            torch.ops.load_library(path)
        except OSError as error:
            _state["reason"] = str(error)
            raise ExtensionError(
                f"{path} was built for another PyTorch than {torch.__version__}; build it in this environment: {error}"
            ) from error
        _state["loaded"] = True
    half = cuda or _path("ONNXGRID_CUDA_LIBRARY", CUDA_LIBRARY)
    if half is not None and not torch.ops.onnxgrid.has_cuda():
        torch.ops.onnxgrid.load_cuda(half)


def available():
    """Whether ``load`` succeeds."""
    try:
        load()
    except ExtensionError:
        return False
    return True


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=False, out=None):  # noqa: A002
    """torch.nn.functional.grid_sample by the compiled kernels.

    ``input`` (N, C, H, W) or (N, C, D, H, W), ``grid`` (N, H, W, 2) or (N, D, H, W, 3), of one floating-point
    dtype (or a float32 grid beside a 16-bit input).  ``out`` is written and returned, without autograd, when given.
    """
    load()
    arguments = (input, grid, _number(MODES, mode, "mode"), _number(PADDINGS, padding_mode, "padding_mode"))
    if out is None:
        return torch.ops.onnxgrid.grid_sample(*arguments, bool(align_corners))
    return torch.ops.onnxgrid.grid_sample_out(*arguments, bool(align_corners), out)


def affine_grid_sample(
    input,  # noqa: A002
    theta,
    size,
    mode="bilinear",
    padding_mode="zeros",
    align_corners=False,
    grid_align_corners=None,
    out=None,
):
    """affine_grid feeding grid_sample, with no grid in memory.

    ``theta`` (N, 2, 3) or (N, 3, 4); ``size`` (N, C, H, W) or (N, C, D, H, W), of which the spatial part counts;
    ``grid_align_corners`` is that of affine_grid (default: ``align_corners``).
    """
    load()
    grid_align = align_corners if grid_align_corners is None else grid_align_corners
    options = (_number(MODES, mode, "mode"), _number(PADDINGS, padding_mode, "padding_mode"))
    arguments = (input, theta, [int(extent) for extent in size], *options, bool(align_corners), bool(grid_align))
    if out is None:
        return torch.ops.onnxgrid.affine_grid_sample(*arguments)
    return torch.ops.onnxgrid.affine_grid_sample_out(*arguments, out)


def use_deterministic(on):
    """Backward on CUDA without atomic additions: slower, the same bits every time."""
    load()
    torch.ops.onnxgrid.set_deterministic(bool(on))


def _number(names, value, what):
    if value not in names:
        raise ValueError(f"{what} is {value!r}; it must be one of {', '.join(names)}")
    return names.index(value)
