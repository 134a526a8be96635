"""The PyTorch extension of the environment that runs the tests: operators, gradients, autocast, scripting, compile."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

from .test_core_values import MODES, PADDINGS, coordinates  # noqa: E402

VERSION = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])


@pytest.fixture(scope="module")
def extension(cache):
    from onnxgrid import _extension
    from onnxgrid_build import binding, release
    from onnxgrid_build.errors import ToolchainMissingError
    from onnxgrid_build.verdict import Verdict

    found = release.installed()
    try:
        library = binding.build(found, cache, Verdict(found.name, "cpp", "shared-core"))
    except ToolchainMissingError as error:
        pytest.skip(f"{error}; {error.hint}")
    _extension.load(str(library))
    _extension.library = library
    return _extension


@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("mode", MODES)
def test_values_and_gradients_equal_torch(extension, mode, padding):
    torch.manual_seed(0)
    for dtype, allowed in ((torch.float32, 1e-3), (torch.float64, 1e-9)):
        results = []
        x, grid = torch.randn(2, 3, 8, 9, dtype=dtype), coordinates("near", (2, 3, 8, 9), (5, 6), dtype)
        grad = torch.randn(2, 3, 5, 6, dtype=dtype)
        for operator in (extension.grid_sample, F.grid_sample):
            a, b = x.clone().requires_grad_(), grid.clone().requires_grad_()
            y = operator(a, b, mode, padding, align_corners=True)
            y.backward(grad)
            results.append((y.detach(), a.grad, b.grad))
        torch.testing.assert_close(results[0], results[1], rtol=allowed, atol=allowed)


def test_the_fused_operator_has_the_gradients_of_the_pair(extension):
    torch.manual_seed(0)
    for shape in ((2, 3, 8, 9), (2, 3, 4, 5, 6)):
        rank, size = len(shape) - 2, [2, 3, *[5] * (len(shape) - 2)]
        results = []
        x, theta = torch.randn(shape, dtype=torch.float64), torch.randn(2, rank, rank + 1, dtype=torch.float64) * 0.5
        for fused in (True, False):
            a, b = x.clone().requires_grad_(), theta.clone().requires_grad_()
            if fused:
                y = extension.affine_grid_sample(a, b, size, align_corners=False, grid_align_corners=True)
            else:
                y = F.grid_sample(a, F.affine_grid(b, size, align_corners=True), align_corners=False)
            (y * y).sum().backward()
            results.append((y.detach(), a.grad, b.grad))
        torch.testing.assert_close(results[0], results[1], rtol=1e-9, atol=1e-9)


def test_channels_last_stays_channels_last(extension):
    x = torch.randn(2, 8, 9, 10).to(memory_format=torch.channels_last)
    grid = coordinates("near", x.shape, (5, 6), torch.float32)
    y = extension.grid_sample(x, grid)
    assert y.is_contiguous(memory_format=torch.channels_last)
    torch.testing.assert_close(y, F.grid_sample(x, grid, align_corners=False), rtol=1e-4, atol=1e-4)


def test_out_is_written_in_place(extension):
    x, theta, grid = torch.randn(1, 3, 6, 7), torch.eye(2, 3)[None], torch.zeros(1, 4, 5, 2)
    out = torch.full((1, 3, 4, 5), 9.0)
    assert (
        extension.grid_sample(x, grid, out=out) is out
        or out.data_ptr() == extension.grid_sample(x, grid, out=out).data_ptr()
    )
    torch.testing.assert_close(out, F.grid_sample(x, grid, align_corners=False))
    extension.affine_grid_sample(x, theta, [1, 3, 4, 5], out=out)
    want = F.grid_sample(x, F.affine_grid(theta, [1, 3, 4, 5], align_corners=False), align_corners=False)
    torch.testing.assert_close(out, want, rtol=1e-4, atol=1e-4)
    with pytest.raises(RuntimeError, match="out must have shape"):
        extension.grid_sample(x, grid, out=torch.empty(1, 3, 4, 4))


def test_torchscript_keeps_values_and_gradients(extension):
    @torch.jit.script
    def sample(x: torch.Tensor, grid: torch.Tensor) -> torch.Tensor:
        return torch.ops.onnxgrid.grid_sample(x, grid, 0, 1, False)

    x = torch.randn(1, 2, 5, 6, requires_grad=True)
    grid = coordinates("near", x.shape, (4, 4), torch.float32)
    sample(x, grid).sum().backward()
    want = torch.autograd.grad(F.grid_sample(x, grid, padding_mode="border", align_corners=False).sum(), x)[0]
    torch.testing.assert_close(x.grad, want, rtol=1e-4, atol=1e-4)


@pytest.mark.skipif(VERSION < (1, 10), reason="CPU autocast came with 1.10")
def test_autocast_takes_the_wider_dtype(extension):
    x, grid = torch.randn(1, 2, 5, 6).bfloat16(), torch.zeros(1, 3, 3, 2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert extension.grid_sample(x, grid).dtype == torch.float32
    assert extension.grid_sample(x, grid).dtype == torch.bfloat16


@pytest.mark.skipif(VERSION < (1, 10), reason="meta tensors came with 1.10")
def test_meta_tensors_know_the_shape(extension):
    x, grid = torch.empty(2, 3, 5, 6, device="meta"), torch.empty(2, 7, 8, 2, device="meta")
    assert extension.grid_sample(x, grid).shape == (2, 3, 7, 8)


@pytest.mark.slow
@pytest.mark.skipif(VERSION < (2, 1), reason="torch.compile on this Python")
def test_compile_traces_through(extension):
    def loss(x, grid):
        return (torch.ops.onnxgrid.grid_sample(x, grid, 0, 0, False) ** 2).sum()

    x, grid = torch.randn(1, 2, 5, 6, requires_grad=True), torch.rand(1, 3, 3, 2) * 2 - 1
    compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
    want = torch.autograd.grad(loss(x, grid), x)[0]
    torch.testing.assert_close(torch.autograd.grad(compiled(x, grid), x)[0], want)


def test_second_derivatives_are_refused_not_wrong(extension):
    x = torch.randn(1, 2, 5, 6, requires_grad=True)
    grid = torch.zeros(1, 3, 3, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match="second derivative"):
        torch.autograd.grad(extension.grid_sample(x, grid).sum(), grid, create_graph=True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((torch.zeros(1, 5, 6), torch.zeros(1, 3, 3, 2)), "4-D"),
        ((torch.zeros(1, 2, 5, 6), torch.zeros(1, 3, 3, 3)), "the grid must be"),
        ((torch.zeros(1, 2, 5, 6), torch.zeros(1, 3, 3, 2).double()), "dtype"),
        ((torch.zeros(1, 2, 5, 6).int(), torch.zeros(1, 3, 3, 2)), "float32"),
        ((torch.zeros(1, 2, 0, 6), torch.zeros(1, 3, 3, 2)), "non-empty"),
    ],
)
def test_errors_say_what_is_wanted(extension, arguments, words):
    with pytest.raises(RuntimeError, match=words):
        extension.grid_sample(*arguments)


def test_an_unknown_mode_is_named(extension):
    with pytest.raises(ValueError, match=r"lanczos.*bilinear"):
        extension.grid_sample(torch.zeros(1, 1, 2, 2), torch.zeros(1, 1, 1, 2), mode="lanczos")


def test_onnxruntime_is_told_which_file_it_was_given(extension):
    """onnxruntime-extensions#127, when the file goes straight to ONNX Runtime: the extension itself explains."""
    pytest.importorskip("onnxruntime")
    code = (
        "import torch, onnxruntime as o, sys\n"
        f"torch.ops.load_library({str(extension.library)!r})\n"
        "try: o.SessionOptions().register_custom_ops_library(sys.argv[1])\n"
        "except Exception as e: print(e)\n"
    )
    command = [sys.executable, "-c", code, str(extension.library)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "onnxgrid.ort.register" in done.stdout, (done.stdout, done.stderr[-500:])


def test_no_extension_says_how_to_get_one(monkeypatch):
    from onnxgrid import _extension

    monkeypatch.setattr(_extension, "_state", {"loaded": False, "reason": ""})
    monkeypatch.setenv("ONNXGRID_TORCH_LIBRARY", str(Path("/nowhere/lib.so")))
    with pytest.raises(_extension.ExtensionError, match="onnxgrid_build --json"):
        _extension.load()
    assert not _extension.available()
