"""The CUDA kernels' source, run as C++ one thread after another, against torch.

What it covers: taps, strides, block arithmetic, both layouts, gradients, all dtypes. What only a GPU can show
(`-m gpu`): memory ordering of the atomic additions, streams, the hardware's conversions.
"""

from __future__ import annotations

import ctypes
import itertools
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

from .core_library import Core, Gradient, image_strides  # noqa: E402
from .test_core_values import MODES, PADDINGS, coordinates  # noqa: E402


@pytest.fixture(scope="module")
def cuda(cache, core_path):
    """The three entry points of the CUDA half on host memory."""
    from onnxgrid_build import cache as store
    from onnxgrid_build import toolchain
    from onnxgrid_build.process import Spent, run

    source = Path(__file__).with_name("emulated_cuda.cpp")
    flags = ["-std=c++14", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-Wno-unknown-pragmas"]

    def build(folder: Path) -> None:
        run([toolchain.cxx().path, *flags, str(source), "-o", str(folder / "emulated.so")], Spent())

    key = store.digest(flags, [source, *store.sources("core", "cuda")])
    library = ctypes.CDLL(str(cache.get("emulated", key, build)[0] / "emulated.so"))
    for name in ("forward", "gradient", "affine_grid"):
        getattr(library, f"onnxgrid_cuda_{name}").restype = ctypes.c_char_p
    library.describe = Core(str(core_path)).problem
    return library


def forward(cuda, x, grid, mode, padding, align, y, theta=None):
    problem = cuda.describe(x, grid, mode, padding, align, y, theta)
    assert cuda.onnxgrid_cuda_forward(ctypes.byref(problem), None) is None
    return y


@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["near", "far"])
def test_forward_equals_torch(cuda, kind, mode, padding):
    torch.manual_seed(0)
    for shape, out in (
        ((2, 3, 5, 7), (4, 6)),
        ((1, 9, 17, 33), (20, 30)),
        ((3, 2, 1, 4), (2, 3)),
        ((2, 3, 4, 5, 6), (3, 4, 5)),
    ):
        if len(shape) == 5 and mode == "bicubic":
            continue
        for dtype, align in itertools.product((torch.float32, torch.float64), (False, True)):
            x, grid = torch.randn(shape, dtype=dtype), coordinates(kind, shape, out, dtype)
            want = F.grid_sample(x, grid, mode, padding, align_corners=align)
            got = forward(cuda, x, grid, mode, padding, align, torch.full_like(want, 7))
            allowed = 1e-9 if dtype == torch.float64 else (2e-2 if kind == "far" else 2e-4)
            torch.testing.assert_close(got, want, rtol=allowed, atol=allowed)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("mode", MODES)
def test_adjacent_channels_take_the_vector_kernel(cuda, mode, dtype):
    torch.manual_seed(0)
    x = torch.randn(2, 16, 6, 7).to(getattr(torch, dtype)).to(memory_format=torch.channels_last)
    grid = coordinates("near", x.shape, (5, 9), torch.float64 if dtype == "float64" else torch.float32)
    y = torch.empty(2, 16, 5, 9, dtype=x.dtype).to(memory_format=torch.channels_last)
    problem = cuda.describe(x, grid, mode, "border", False, y)
    assert cuda.emulated_is_adjacent(ctypes.byref(problem)) == 1
    wide = x.double()
    want = F.grid_sample(wide, grid.double(), mode, "border", align_corners=False)
    allowed = 2e-3 if dtype == "float16" else 1e-4
    torch.testing.assert_close(
        forward(cuda, x, grid, mode, "border", False, y).double(), want, rtol=allowed, atol=allowed
    )


@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("in_order", [0, 1])
def test_gradients_equal_torch(cuda, mode, padding, in_order):
    torch.manual_seed(0)
    for shape, align in itertools.product(((2, 3, 5, 7), (2, 3, 4, 5, 6)), (False, True)):
        if len(shape) == 5 and mode == "bicubic":
            continue
        x = torch.randn(shape, dtype=torch.float64, requires_grad=True)
        grid = coordinates("near", shape, [4] * (len(shape) - 2), torch.float64).requires_grad_()
        y = F.grid_sample(x, grid, mode, padding, align_corners=align)
        grad_y = torch.randn_like(y)
        y.backward(grad_y)
        g = Gradient()
        g.forward = cuda.describe(x.detach(), grid.detach(), mode, padding, align, grad_y)
        grad_x, grad_grid = torch.zeros(shape, dtype=torch.float64), torch.empty(grid.shape, dtype=torch.float64)
        g.grad_y, g.grad_x, g.grad_grid = grad_y.data_ptr(), grad_x.data_ptr(), grad_grid.data_ptr()
        g.grad_x_stride[:] = image_strides(grad_x)
        assert cuda.onnxgrid_cuda_gradient(ctypes.byref(g), in_order, None) is None
        torch.testing.assert_close(grad_x, x.grad, rtol=1e-9, atol=1e-9)
        torch.testing.assert_close(grad_grid, grid.grad, rtol=1e-9, atol=1e-9)


def test_theta_and_affine_grid_equal_torch(cuda):
    torch.manual_seed(0)
    for shape in ((2, 3, 6, 7), (2, 3, 4, 5, 6)):
        rank = len(shape) - 2
        x, theta = torch.randn(shape), torch.randn(shape[0], rank, rank + 1) * 0.5
        grid = F.affine_grid(theta, list(shape), align_corners=False)
        want = F.grid_sample(x, grid, align_corners=False)
        got = forward(cuda, x, None, "bilinear", "zeros", False, torch.empty_like(want), theta)
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)
        made = torch.empty_like(grid)
        problem = cuda.describe(x, None, "bilinear", "zeros", False, torch.empty_like(want), theta)
        problem.y = made.data_ptr()
        assert cuda.onnxgrid_cuda_affine_grid(ctypes.byref(problem), None) is None
        torch.testing.assert_close(made, grid, rtol=1e-5, atol=1e-5)


def test_sampling_in_half_precision_keeps_float32_coordinates(cuda):
    """pytorch#96429: from float16 coordinates the identity onto 112 × 112 is off by more than float16 itself is."""
    torch.manual_seed(0)
    x = torch.randn(1, 3, 192, 192).half()
    theta = torch.eye(2, 3)[None]
    grid = F.affine_grid(theta, [1, 3, 112, 112], align_corners=False)
    want = F.grid_sample(x.float(), grid, align_corners=False)
    got = forward(cuda, x, grid, "bilinear", "zeros", False, torch.empty(1, 3, 112, 112, dtype=torch.half))
    torch.testing.assert_close(got.float(), want, rtol=2**-10, atol=2e-3)
    from_half = F.grid_sample(x.float(), grid.half().float(), align_corners=False)
    assert (from_half - want).abs().max() > 0.1, "the trap this test guards against has gone"
