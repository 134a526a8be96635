"""The functions equal PyTorch's in values and gradients, whatever the input (property based)."""

import itertools

import onnxgrid
import pytest
import torch
import torch.nn.functional as F
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from . import support

PROFILE = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
INF, NAN = float("inf"), float("nan")
#: Positions worth meeting: borders, centres, ties of small sizes, far and beyond.
SPECIAL = [0.0, 1.0, -1.0, 0.5, -0.5, 0.25, -0.75, 1.25, -1.5, 3.0, -7.0, 1e4, -1e4]


@st.composite
def samplings(draw):
    """(image, grid, mode, padding_mode, align_corners), strides included."""
    dims = draw(st.sampled_from([2, 3]))
    extents = st.integers(1, 5)
    image_shape = [draw(st.integers(0, 2)), draw(st.integers(0, 3))]
    image_shape += [draw(extents) for _ in range(dims)]
    out = [draw(st.integers(0, 4)) for _ in range(dims)]
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**31)))
    image = torch.randn(image_shape, generator=generator, dtype=torch.float64)
    grid = torch.rand([image_shape[0], *out, dims], generator=generator, dtype=torch.float64) * 3 - 1.5
    flat = grid.view(-1)
    for index in range(min(flat.numel(), draw(st.integers(0, 6)))):
        flat[index] = draw(st.sampled_from(SPECIAL))
    if draw(st.booleans()):
        image, grid = image.transpose(2, -1), grid.transpose(1, 2)
    if draw(st.booleans()) and image_shape[0] == 2:
        grid = grid[:1].expand_as(grid)
    modes = ["bilinear", "nearest"] + (["bicubic"] if dims == 2 else [])
    return (
        image,
        grid,
        draw(st.sampled_from(modes)),
        draw(st.sampled_from(support.PADDINGS)),
        draw(st.booleans()),
    )


def theirs(*arguments):
    """PyTorch's result; None where this release refuses the input."""
    try:
        return F.grid_sample(*arguments)
    except RuntimeError:
        return None


@PROFILE
@given(samplings(), st.sampled_from([torch.float64, torch.float32]))
def test_values_and_gradients_of_grid_sample(arguments, dtype):
    image, grid, *options = arguments
    image, grid = (tensor.to(dtype).detach().requires_grad_(True) for tensor in (image, grid))
    expected = theirs(image, grid, *options)
    if expected is None:
        return
    actual = onnxgrid.grid_sample(image, grid, *options)
    assert actual.shape == expected.shape
    assert actual.dtype == dtype
    atol = 1e-9 if dtype == torch.float64 else 1e-4
    assert torch.allclose(actual, expected, atol=atol, rtol=1e-4)
    if not expected.numel():
        return
    weight = torch.linspace(0.5, 1.5, expected.numel(), dtype=dtype).view_as(expected)
    wanted = torch.autograd.grad((expected * weight).sum(), (image, grid))
    got = torch.autograd.grad((actual * weight).sum(), (image, grid), allow_unused=True)
    for want, have in zip(wanted, got):
        have = torch.zeros_like(want) if have is None else have
        scale = max(1.0, want.abs().max().item())
        assert torch.allclose(have, want, atol=1e-6 * scale if dtype == torch.float64 else 2e-3 * scale)


@PROFILE
@given(
    st.sampled_from([2, 3]), st.booleans(), st.integers(0, 2**31),
    st.lists(st.integers(1, 6), min_size=5, max_size=5),
)
def test_values_and_gradients_of_affine_grid(dims, align, seed, extents):
    size = extents[: dims + 2]
    generator = torch.Generator().manual_seed(seed)
    theta = torch.randn(size[0], dims, dims + 1, generator=generator, dtype=torch.float64)
    theta.requires_grad_(True)
    expected = F.affine_grid(theta, size, align)
    actual = onnxgrid.affine_grid(theta, size, align)
    assert torch.allclose(actual, expected, atol=1e-12)
    weight = torch.linspace(0.5, 1.5, expected.numel(), dtype=torch.float64).view_as(expected)
    (want,) = torch.autograd.grad((expected * weight).sum(), theta)
    (have,) = torch.autograd.grad((actual * weight).sum(), theta)
    assert torch.allclose(have, want, atol=1e-9)


@PROFILE
@given(st.integers(-9, 9), st.permutations([0, -3, 2]), st.sampled_from([torch.float32, torch.int64, torch.bool]))
def test_rot90_is_exact_for_any_dtype(k, dims, dtype):
    tensor = (torch.arange(24).view(2, 3, 4) % 5).to(dtype)
    first, second = dims[0], dims[1] if dims[1] % 3 != dims[0] % 3 else 1
    dims = [first, second]
    assert torch.equal(onnxgrid.rot90(tensor, k, dims), torch.rot90(tensor, k, dims))


MODES = [
    (dims, mode, padding, align)
    for dims in (2, 3)
    for mode, padding, align in itertools.product(
        ("bilinear", "nearest", "bicubic"), support.PADDINGS, (False, True)
    )
    if not (dims == 3 and mode == "bicubic")
]


@pytest.mark.parametrize(("dims", "mode", "padding", "align"), MODES)
def test_non_finite_positions(dims, mode, padding, align):
    positions = torch.tensor([NAN, INF, -INF, 1e20, -1e20, 3e9, 0.0])
    grid = torch.stack([positions] + [torch.zeros(7)] * (dims - 1), -1).view(*[1] * dims, 7, dims)
    image = torch.arange(1.0, 4**dims + 1).view(1, 1, *[4] * dims)
    expected = F.grid_sample(image, grid, mode, padding, align)
    actual = onnxgrid.grid_sample(image, grid, mode, padding, align)
    assert torch.allclose(actual, expected, equal_nan=True)


@pytest.mark.parametrize(("dims", "mode", "padding", "align"), MODES)
def test_infinite_pixels_spread_no_further_than_in_torch(dims, mode, padding, align):
    image = torch.ones(1, 1, *[3] * dims)
    image.view(-1)[0] = INF
    grid = torch.tensor([[-1.0] * dims, [-1.6] * dims, [1.0] * dims, [0.1] * dims])
    grid = grid.view(*[1] * dims, 4, dims)
    expected = F.grid_sample(image, grid, mode, padding, align)
    actual = onnxgrid.grid_sample(image, grid, mode, padding, align)
    assert torch.allclose(actual, expected, equal_nan=True)


@pytest.mark.parametrize(("dims", "mode", "padding", "align"), MODES)
def test_gradcheck(dims, mode, padding, align):
    image = torch.randn(1, 2, *range(3, 3 + dims), dtype=torch.float64, requires_grad=True)
    grid = (torch.rand(1, *[2] * dims, dims, dtype=torch.float64) * 1.8 - 0.9).requires_grad_(True)

    def sample(x, g):
        return onnxgrid.grid_sample(x, g, mode, padding, align)

    assert torch.autograd.gradcheck(sample, (image, grid), atol=1e-4)
    if mode != "nearest":
        assert torch.autograd.gradgradcheck(sample, (image, grid), atol=1e-3)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_computed_in_float32(dtype):
    image, grid = support.inputs(2, 3, (5, 7), (4, 6))
    image, grid = image.to(dtype), grid.to(dtype)
    actual = onnxgrid.grid_sample(image, grid, align_corners=False)
    expected = F.grid_sample(image.float(), grid.float(), align_corners=False).to(dtype)
    assert actual.dtype == dtype
    assert torch.allclose(actual.float(), expected.float(), atol=1e-6, rtol=1e-2)
    theta = torch.randn(1, 2, 3).to(dtype)
    grid = onnxgrid.affine_grid(theta, [1, 1, 4, 5], False)
    expected = F.affine_grid(theta.float(), [1, 1, 4, 5], False).to(dtype)
    assert torch.allclose(grid.float(), expected.float(), atol=2e-2)


def test_scripted_and_traced_functions_give_the_same():
    image, grid = support.inputs(2, 3, (5, 7), (4, 6))
    other = support.inputs(1, 2, (4, 4), (3, 9))
    theta = torch.randn(2, 2, 3)
    sample = torch.jit.script(onnxgrid.grid_sample)
    affine = torch.jit.script(onnxgrid.affine_grid)
    turn = torch.jit.script(onnxgrid.rot90)
    traced = torch.jit.trace(lambda x, g: onnxgrid.grid_sample(x, g, align_corners=False), (image, grid))
    for x, g in ((image, grid), other):
        expected = F.grid_sample(x, g, align_corners=False)
        assert torch.allclose(sample(x, g, align_corners=False), expected, atol=1e-6)
        assert torch.allclose(traced(x, g), expected, atol=1e-6)
    expected = F.affine_grid(theta, [2, 1, 4, 5], False)
    assert torch.allclose(affine(theta, [2, 1, 4, 5], False), expected, atol=1e-6)
    assert torch.equal(turn(image, 1, [2, 3]), torch.rot90(image, 1, [2, 3]))


def test_autocast_takes_mixed_dtypes_where_torch_does():
    image, grid = support.inputs(1, 2, (5, 7), (4, 6))
    if not hasattr(torch, "autocast"):
        pytest.skip("no autocast for the CPU")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        expected = theirs(image.bfloat16(), grid, "bilinear", "zeros", False)
        actual = onnxgrid.grid_sample(image.bfloat16(), grid, "bilinear", "zeros", False)
    assert actual.dtype == torch.float32
    if expected is not None:
        assert actual.dtype == expected.dtype
        assert torch.allclose(actual, expected, atol=1e-5)


def test_vmap_maps_over_samplings():
    vmap = getattr(getattr(torch, "func", None), "vmap", None)
    if vmap is None:
        pytest.skip("no torch.func")
    images, grids = torch.randn(3, 2, 2, 5, 7), torch.rand(3, 2, 4, 6, 2) * 2 - 1
    actual = vmap(lambda x, g: onnxgrid.grid_sample(x, g, align_corners=False))(images, grids)
    for index in range(3):
        expected = F.grid_sample(images[index], grids[index], align_corners=False)
        assert torch.allclose(actual[index], expected, atol=1e-5)


@pytest.mark.slow
def test_compile_without_a_graph_break():
    if not hasattr(torch, "compile"):
        pytest.skip("no torch.compile")

    def both(theta, image):
        grid = onnxgrid.affine_grid(theta, image.shape, False)
        return onnxgrid.grid_sample(image, grid, "bilinear", "reflection", False)

    compiled = torch.compile(both, backend="eager", fullgraph=True)
    for size in ((1, 2, 5, 7), (2, 3, 4, 4)):
        theta, image = torch.randn(size[0], 2, 3), torch.randn(*size)
        assert torch.allclose(compiled(theta, image), both(theta, image), atol=1e-5)


def test_bilinear_grid_sample_is_a_drop_in_for_mmcvs():
    image, grid = support.inputs(2, 3, (5, 7), (6, 4))
    for arguments in ((image, grid), (image, grid.transpose(1, 2))):
        for align in (False, True):
            expected = F.grid_sample(*arguments, align_corners=align)
            actual = onnxgrid.bilinear_grid_sample(*arguments, align_corners=align)
            assert torch.allclose(actual, expected, atol=1e-5)


@pytest.mark.parametrize(("degrees", "quarters"), [(0.0, 0), (90.0, 1), (180.0, 2), (-90.0, 3)])
def test_rotate_by_quarter_turns_is_rot90_for_squares(degrees, quarters):
    image = torch.randn(2, 3, 6, 6)
    expected = torch.rot90(image, quarters, (2, 3))
    assert torch.allclose(onnxgrid.rotate(image, degrees), expected, atol=1e-4)


def test_operators_as_functions_have_torchs_gradients():
    image, grid = support.inputs(1, 2, (4, 5), (3, 3))
    # Away from pixel centres, where a bilinear surface has edges.
    grid = torch.rand(grid.shape, dtype=torch.float64) * 0.08 + 0.06
    image, grid = image.double().requires_grad_(True), grid.requires_grad_(True)
    theta = torch.randn(1, 2, 3, dtype=torch.float64, requires_grad=True)
    ops, size = onnxgrid.ops, onnxgrid.ops.size_tensor((1, 2, 3, 4))
    check = torch.autograd.gradcheck
    assert check(lambda x, g: ops.GridSample.apply(x, g, "bilinear", "zeros", False), (image, grid))
    assert check(lambda t: ops.AffineGrid.apply(t, size, True), (theta,))
    assert check(lambda x: ops.Rotate.apply(x, 3, [2, 3]), (image,))
    fused = lambda x, t: ops.AffineGridSample.apply(x, t, size, "bilinear", "border", False)  # noqa: E731
    assert check(fused, (image, theta))
