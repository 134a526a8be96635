"""The CUDA half on a GPU: values, gradients, streams, graphs. ``pytest -m gpu``."""

from __future__ import annotations

import itertools

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

from .test_core_values import MODES, PADDINGS, coordinates  # noqa: E402

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module", params=["auto", "nvrtc"])
def ops(request, cache):
    """torch.ops.onnxgrid with the CUDA half of one strategy.

    A process keeps the half that it loaded first, so the second strategy is skipped: run it with ``-k nvrtc``.
    """
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    from onnxgrid_build import __main__ as front
    from onnxgrid_build import release

    found = release.installed()
    cpp = front.cpp_half(found, cache, "auto")
    assert cpp.verdict == "pass", cpp.error
    cuda = front.cuda_half(found, cache, request.param, None)
    assert cuda.verdict == "pass", cuda.error
    torch.ops.load_library(cpp.library)
    if torch.ops.onnxgrid.has_cuda():
        pytest.skip("another strategy is loaded in this process")
    torch.ops.onnxgrid.load_cuda(cuda.library)
    return torch.ops.onnxgrid


@pytest.mark.parametrize("kind", ["near", "far", "nonfinite"])
@pytest.mark.parametrize("padding", range(3))
@pytest.mark.parametrize("mode", range(3))
def test_values_equal_torch_on_the_same_device(ops, mode, padding, kind):
    torch.manual_seed(0)
    for shape, out in (((2, 3, 5, 7), (4, 6)), ((1, 64, 33, 40), (50, 60)), ((2, 3, 4, 5, 6), (3, 4, 5))):
        if len(shape) == 5 and mode == 2:
            continue
        for dtype, align in itertools.product((torch.float32, torch.float64), (False, True)):
            x = torch.randn(shape, dtype=dtype, device="cuda")
            grid = coordinates(kind, shape, out, dtype).cuda()
            want = F.grid_sample(x, grid, MODES[mode], PADDINGS[padding], align_corners=align)
            allowed = 1e-9 if dtype == torch.float64 else (2e-2 if kind == "far" else 1e-3)
            got = ops.grid_sample(x, grid, mode, padding, align)
            torch.testing.assert_close(got, want, rtol=allowed, atol=allowed, equal_nan=True)


@pytest.mark.parametrize("deterministic", [False, True])
@pytest.mark.parametrize("mode", range(3))
def test_gradients_equal_torch(ops, mode, deterministic):
    ops.set_deterministic(deterministic)
    for padding in range(3):
        results = []
        x = torch.randn(2, 5, 9, 11, device="cuda", dtype=torch.float64)
        grid = coordinates("near", x.shape, (7, 8), torch.float64).cuda()
        for operator in (ops.grid_sample, torch.grid_sampler):
            a, b = x.clone().requires_grad_(), grid.clone().requires_grad_()
            y = operator(a, b, mode, padding, False)
            y.square().sum().backward()
            results.append((y.detach(), a.grad, b.grad))
        torch.testing.assert_close(results[0], results[1], rtol=1e-8, atol=1e-8)
    ops.set_deterministic(False)


def test_the_deterministic_backward_gives_the_same_bits(ops):
    ops.set_deterministic(True)
    x = torch.randn(1, 4, 6, 6, device="cuda", requires_grad=True)
    grid = (torch.rand(1, 200, 200, 2, device="cuda") - 0.5) * 0.1
    gradients = [torch.autograd.grad(ops.grid_sample(x, grid, 0, 0, False).sum(), x)[0] for _ in range(5)]
    assert all(torch.equal(gradient, gradients[0]) for gradient in gradients)
    ops.set_deterministic(False)


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
def test_half_precision_keeps_float32_coordinates(ops, layout):
    """pytorch#96429."""
    x = torch.randn(1, 8, 192, 192, device="cuda").half().to(memory_format=layout)
    grid = F.affine_grid(torch.eye(2, 3, device="cuda")[None], [1, 8, 112, 112], align_corners=False)
    want = F.grid_sample(x.float(), grid, align_corners=False)
    torch.testing.assert_close(ops.grid_sample(x, grid, 0, 0, False).float(), want, rtol=2**-10, atol=2e-3)


def test_fused_equals_the_pair(ops):
    x, theta = torch.randn(2, 3, 40, 50, device="cuda"), torch.randn(2, 2, 3, device="cuda")
    grid = F.affine_grid(theta, [2, 3, 30, 20], align_corners=False)
    got = ops.affine_grid_sample(x, theta, [2, 3, 30, 20], 0, 0, False, False)
    torch.testing.assert_close(got, F.grid_sample(x, grid, align_corners=False), rtol=1e-3, atol=1e-3)


def test_work_is_queued_on_the_current_stream(ops):
    x, grid = torch.randn(1, 3, 64, 64, device="cuda"), torch.zeros(1, 64, 64, 2, device="cuda")
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        torch.cuda._sleep(20_000_000)
        x.fill_(5)
        y = ops.grid_sample(x, grid, 0, 1, False)
    stream.synchronize()
    assert torch.all(y == 5), "the kernel ran before the work that was queued ahead of it"


@pytest.mark.skipif(not hasattr(torch.cuda, "CUDAGraph"), reason="this PyTorch has no CUDA graphs")
def test_calls_can_be_captured_in_a_graph(ops):
    x, grid = torch.randn(1, 3, 32, 32, device="cuda"), torch.rand(1, 32, 32, 2, device="cuda")
    out = torch.empty(1, 3, 32, 32, device="cuda")
    ops.grid_sample_out(x, grid, 0, 0, False, out)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        ops.grid_sample_out(x, grid, 0, 0, False, out)
    x.copy_(torch.randn_like(x))
    graph.replay()
    torch.testing.assert_close(out, F.grid_sample(x, grid, align_corners=False), rtol=1e-3, atol=1e-3)


def test_constants_follow_the_device(ops):
    """mmocr#1085: nothing of the computation may stay on the CPU."""
    x, grid = torch.randn(1, 2, 5, 6, device="cuda"), torch.zeros(1, 3, 3, 2, device="cuda")
    assert ops.grid_sample(x, grid, 0, 0, False).device == x.device
    with pytest.raises(RuntimeError, match="one device"):
        ops.grid_sample(x, grid.cpu(), 0, 0, False)
