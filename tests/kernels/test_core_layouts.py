"""Layouts, threads, gradients, affine grids and rotations of the core."""

from __future__ import annotations

import ctypes
import itertools

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

from .test_core_values import MODES, PADDINGS, coordinates  # noqa: E402


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("channels", [1, 3, 8, 70])
def test_channels_last_equals_contiguous(core, mode, channels):
    torch.manual_seed(0)
    x = torch.randn(2, channels, 12, 17)
    grid = coordinates("near", x.shape, (9, 33), torch.float32)
    out = torch.empty(2, channels, 9, 33).to(memory_format=torch.channels_last)
    got = core.grid_sample(x.to(memory_format=torch.channels_last), grid, mode, out=out)
    torch.testing.assert_close(got, core.grid_sample(x, grid, mode), rtol=1e-5, atol=1e-5)


def test_slices_transposes_and_broadcasts_need_no_copy(core):
    torch.manual_seed(0)
    base = torch.randn(2, 5, 20, 40)
    grid = coordinates("near", base.shape, (8, 50), torch.float32)
    views = [
        base[:, 1:4, 2:-3, 5:30],
        base.transpose(2, 3),
        base[:1].expand(2, -1, -1, -1),
        base[..., ::2],
        base[:, :, ::3],
    ]
    grids = [
        grid,
        grid.transpose(1, 2),
        grid[:, :, ::2],
        grid[:1].expand(2, -1, -1, -1),
        grid.flip(3).permute(0, 1, 2, 3),
    ]
    for x, g in itertools.product(views, grids):
        want = F.grid_sample(x, g, align_corners=False)
        torch.testing.assert_close(core.grid_sample(x, g), want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", [(1, 70, 30, 31), (2, 3, 40, 600), (1, 4, 6, 7, 33)])
def test_any_split_over_threads_gives_the_same_bits(core, shape):
    x = torch.randn(shape)
    grid = coordinates("near", shape, shape[2:], torch.float32)
    whole = core.grid_sample(x, grid)
    assert all(torch.equal(core.grid_sample(x, grid, pieces=n), whole) for n in (2, 7, 64))


@pytest.mark.parametrize("size", [(2, 3, 4, 5), (1, 1, 1, 1), (1, 3, 50, 64), (2, 3, 3, 4, 5), (1, 2, 1, 6, 40)])
@pytest.mark.parametrize("align", [False, True])
@pytest.mark.filterwarnings("ignore:Since version 1.3.0")
def test_affine_grid_equals_torch(core, size, align):
    for dtype, tolerance in ((torch.float32, 1e-5), (torch.float64, 1e-12)):
        theta = torch.randn(size[0], len(size) - 2, len(size) - 1, dtype=dtype)
        want = F.affine_grid(theta, list(size), align_corners=align)
        torch.testing.assert_close(core.affine_grid(theta, size, align), want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("isa", ["plain", "generic", "avx2", "avx512"])
@pytest.mark.parametrize("shape", [(2, 3, 9, 17), (1, 70, 40, 41), (1, 2, 3, 4, 50)])
@pytest.mark.filterwarnings("ignore:Since version 1.3.0")
def test_fused_equals_the_pair(core, shape, isa):
    if core.select(isa) != isa:
        pytest.skip(f"this processor has no {isa}")
    torch.manual_seed(0)
    x, rank = torch.randn(shape), len(shape) - 2
    theta = torch.eye(rank, rank + 1).repeat(shape[0], 1, 1) + 0.2 * torch.randn(shape[0], rank, rank + 1)
    for align, grid_align, columns in itertools.product((False, True), (False, True), (1, 20, 64)):
        size = [*shape[:2], *[5] * (rank - 1), columns]
        want = F.grid_sample(x, F.affine_grid(theta, size, align_corners=grid_align), align_corners=align)
        got = core.affine_grid_sample(x, theta, size, "bilinear", "zeros", align, grid_align)
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", [(2, 3, 5, 7), (1, 9, 4, 4), (2, 3, 4, 5, 6)])
def test_gradients_equal_torch(core, shape, mode, padding):
    if len(shape) == 5 and mode == "bicubic":
        pytest.skip("torch has no bicubic for 5-D")
    torch.manual_seed(0)
    for align in (False, True):
        x = torch.randn(shape, dtype=torch.float64, requires_grad=True)
        grid = coordinates("near", shape, [4] * (len(shape) - 2), torch.float64).requires_grad_()
        y = F.grid_sample(x, grid, mode, padding, align_corners=align)
        grad_y = torch.randn_like(y)
        y.backward(grad_y)
        grad_x, grad_grid = core.gradients(x.detach(), grid.detach(), grad_y, mode, padding, align)
        torch.testing.assert_close(grad_x, x.grad, rtol=1e-9, atol=1e-9)
        torch.testing.assert_close(grad_grid, grid.grad, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", ["float32", "uint8", "float16", "int64"])
def test_rotate_equals_rot90(core, dtype):
    x = torch.randint(0, 100, (2, 3, 4, 5)).to(getattr(torch, dtype))
    for turns, (a, b) in itertools.product(range(-1, 6), [(0, 1), (2, 3), (3, 1)]):
        want = torch.rot90(x, turns, (a, b))
        got = torch.empty(want.shape, dtype=x.dtype)
        shape = (ctypes.c_int64 * 4)(*x.shape)
        core.lib.onnxgrid_rotate(
            ctypes.c_void_p(x.data_ptr()),
            ctypes.c_void_p(got.data_ptr()),
            ctypes.c_int64(x.element_size()),
            4,
            shape,
            a,
            b,
            turns,
        )
        assert torch.equal(got, want)
