"""The core's C interface (kernels/csrc/core/api.h) for tests, on torch tensors of any strides."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Sequence

DTYPES = {torch.float32: 0, torch.float64: 1, torch.float16: 2, torch.bfloat16: 3}
MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
PADDINGS = {"zeros": 0, "border": 1, "reflection": 2}
ISAS = {"plain": 0, "generic": 1, "avx2": 2, "avx512": 3}
_INTS = ("rank", "dtype", "grid_dtype", "mode", "padding", "align_corners", "grid_align_corners", "reserved")


class Problem(ctypes.Structure):
    """onnxgrid_problem."""

    _fields_ = [
        *((name, ctypes.c_int32) for name in _INTS),
        ("batch", ctypes.c_int64),
        ("channels", ctypes.c_int64),
        ("in_", ctypes.c_int64 * 3),
        ("out", ctypes.c_int64 * 3),
        ("x_stride", ctypes.c_int64 * 5),
        ("y_stride", ctypes.c_int64 * 5),
        ("grid_stride", ctypes.c_int64 * 5),
        ("x", ctypes.c_void_p),
        ("grid", ctypes.c_void_p),
        ("y", ctypes.c_void_p),
        ("theta", ctypes.c_void_p),
        ("theta_stride", ctypes.c_int64 * 3),
    ]


class Gradient(ctypes.Structure):
    """onnxgrid_gradient."""

    _fields_ = [
        ("forward", Problem),
        ("grad_y", ctypes.c_void_p),
        ("grad_x", ctypes.c_void_p),
        ("grad_x_stride", ctypes.c_int64 * 5),
        ("grad_grid", ctypes.c_void_p),
    ]


def image_strides(x: torch.Tensor) -> list[int]:
    s = list(x.stride())
    return s if len(s) == 5 else [*s[:2], 0, *s[2:]]


class Core:
    """The loaded library; the methods mirror torch.nn.functional."""

    def __init__(self, path: str) -> None:
        lib = self.lib = ctypes.CDLL(path)
        lib.onnxgrid_check.restype = ctypes.c_char_p
        lib.onnxgrid_tasks.restype = ctypes.c_int64
        lib.onnxgrid_gradient_tasks.restype = ctypes.c_int64
        lib.onnxgrid_run.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64]
        lib.onnxgrid_gradient_run.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]

    def select(self, isa: str | None) -> str:
        """Choose an instruction set (None: the best); returns the one in use."""
        used = self.lib.onnxgrid_isa_select(-1 if isa is None else ISAS[isa])
        return next(name for name, number in ISAS.items() if number == used)

    def problem(
        self,
        x: torch.Tensor,
        grid: torch.Tensor | None,
        mode: str,
        padding: str,
        align_corners: bool,
        y: torch.Tensor,
        theta: torch.Tensor | None = None,
        grid_align_corners: bool | None = None,
    ) -> Problem:
        p = Problem()
        p.rank = x.dim() - 2
        p.dtype, p.mode, p.padding = DTYPES[x.dtype], MODES[mode], PADDINGS[padding]
        p.align_corners = int(align_corners)
        p.grid_align_corners = int(align_corners if grid_align_corners is None else grid_align_corners)
        p.batch, p.channels = x.shape[:2]
        lead = [1] * (3 - p.rank)
        p.in_[:] = lead + list(x.shape[2:])
        p.out[:] = lead + list(y.shape[2:])
        p.x_stride[:], p.y_stride[:] = image_strides(x), image_strides(y)
        p.x, p.y = x.data_ptr(), y.data_ptr()
        if theta is not None:
            p.grid_dtype, p.theta = DTYPES[theta.dtype], theta.data_ptr()
            p.theta_stride[:] = list(theta.stride())
        elif grid is not None:
            s = list(grid.stride())
            p.grid_dtype, p.grid = DTYPES[grid.dtype], grid.data_ptr()
            p.grid_stride[:] = s if p.rank == 3 else [s[0], 0, *s[1:]]
        p.keep = (x, grid, y, theta)
        return p

    def run(self, p: Problem, pieces: int = 1) -> None:
        complaint = self.lib.onnxgrid_check(ctypes.byref(p))
        if complaint:
            raise ValueError(complaint.decode())
        tasks = self.lib.onnxgrid_tasks(ctypes.byref(p))
        for i in reversed(range(pieces)):
            self.lib.onnxgrid_run(ctypes.byref(p), tasks * i // pieces, tasks * (i + 1) // pieces)

    def grid_sample(
        self,
        x: torch.Tensor,
        grid: torch.Tensor,
        mode: str = "bilinear",
        padding: str = "zeros",
        align_corners: bool = False,
        out: torch.Tensor | None = None,
        pieces: int = 1,
    ) -> torch.Tensor:
        y = torch.full([*x.shape[:2], *grid.shape[1:-1]], 7.0, dtype=x.dtype) if out is None else out
        self.run(self.problem(x, grid, mode, padding, align_corners, y), pieces)
        return y

    def affine_grid_sample(
        self,
        x: torch.Tensor,
        theta: torch.Tensor,
        size: Sequence[int],
        mode: str,
        padding: str,
        align: bool,
        grid_align: bool,
    ) -> torch.Tensor:
        y = torch.empty([*x.shape[:2], *size[2:]], dtype=x.dtype)
        self.run(self.problem(x, None, mode, padding, align, y, theta, grid_align))
        return y

    def affine_grid(self, theta: torch.Tensor, size: Sequence[int], align_corners: bool) -> torch.Tensor:
        image = torch.empty([int(theta.shape[0]), 1, *size[2:]], dtype=theta.dtype)
        grid = torch.empty([int(theta.shape[0]), *size[2:], len(size) - 2], dtype=theta.dtype)
        p = self.problem(image, None, "bilinear", "zeros", align_corners, image, theta)
        p.y = grid.data_ptr()
        self.lib.onnxgrid_affine_grid(ctypes.byref(p))
        return grid

    def gradients(
        self, x: torch.Tensor, grid: torch.Tensor, grad_y: torch.Tensor, mode: str, padding: str, align_corners: bool
    ) -> tuple[torch.Tensor, torch.Tensor]:
        g = Gradient()
        g.forward = self.problem(x, grid, mode, padding, align_corners, grad_y)
        wide = x.dtype if x.dtype == torch.float64 else torch.float32
        grad_x, grad_grid = torch.zeros(x.shape, dtype=wide), torch.empty(grid.shape, dtype=grid.dtype)
        g.grad_y, g.grad_x, g.grad_grid = grad_y.data_ptr(), grad_x.data_ptr(), grad_grid.data_ptr()
        g.grad_x_stride[:] = image_strides(grad_x)
        for half in (0, 1):
            tasks = self.lib.onnxgrid_gradient_tasks(ctypes.byref(g), half)
            self.lib.onnxgrid_gradient_run(ctypes.byref(g), half, 0, tasks)
        return grad_x, grad_grid
