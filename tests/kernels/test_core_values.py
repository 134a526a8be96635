"""The core computes what torch.nn.functional.grid_sample computes, for every instruction set the machine has."""

from __future__ import annotations

import itertools

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

ISAS = ("plain", "generic", "avx2", "avx512")
MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")
# Input shape and output extents: odd sizes, axes of size 1, narrow and wide outputs, more channels than a block.
SHAPES = [
    ((2, 3, 5, 7), (4, 6)),
    ((1, 5, 17, 33), (40, 70)),
    ((2, 4, 1, 5), (3, 4)),
    ((2, 4, 5, 1), (3, 4)),
    ((1, 2, 1, 1), (2, 9)),
    ((1, 3, 2, 2), (5, 48)),
    ((3, 2, 4, 4), (9, 9)),
    ((1, 64, 24, 24), (24, 24)),
    ((1, 9, 130, 140), (20, 100)),
    ((2, 3, 4, 5, 6), (3, 4, 5)),
    ((1, 2, 1, 1, 1), (2, 2, 2)),
    ((1, 3, 7, 9, 11), (6, 20, 33)),
    ((1, 2, 1, 4, 2), (3, 3, 3)),
]
NAN, INF = float("nan"), float("inf")


def coordinates(kind: str, shape, out, dtype):
    """Coordinates in [-1.4, 1.4]; "far" has some up to 1400, "nonfinite" NaN, infinities, 1e9 and -1e20."""
    rank = len(out)
    grid = torch.rand([shape[0], *out, rank], dtype=torch.float64) * 2.8 - 1.4
    if kind == "far":
        grid = grid * torch.tensor([1.0, 30.0, 1000.0], dtype=torch.float64)[torch.randint(0, 3, grid.shape)]
    if kind == "nonfinite":
        picks = torch.randint(0, 12, grid.shape)
        for number, value in enumerate((NAN, INF, -INF, 1e9, -1e20)):
            grid[picks == number] = value
    return grid.to(dtype)


def use(core, isa: str) -> None:
    if core.select(isa) != isa:
        pytest.skip(f"this processor has no {isa}")


def tolerance(dtype: str, kind: str, mode: str, shape) -> float:
    """float32 rounds a position by 2^-24 of the axis, a far one by more; neighbouring pixels differ by up to 8."""
    if dtype == "float64":
        return 1e-9
    near = max(8, *shape[2:]) * 2.0**-24 * 8
    return (near * 64 if kind == "far" else near) * (4 if mode == "bicubic" else 1)


@pytest.mark.parametrize("kind", ["near", "far", "nonfinite"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("isa", ISAS)
def test_values_equal_torch(core, isa, dtype, kind):
    use(core, isa)
    torch.manual_seed(0)
    failures = []
    for (shape, out), mode, padding, align in itertools.product(SHAPES, MODES, PADDINGS, (False, True)):
        if len(shape) == 5 and mode == "bicubic":
            continue
        x = torch.randn(shape, dtype=getattr(torch, dtype))
        grid = coordinates(kind, shape, out, x.dtype)
        want = F.grid_sample(x, grid, mode, padding, align_corners=align)
        got = core.grid_sample(x, grid, mode, padding, align)
        allowed = tolerance(dtype, kind, mode, shape)
        if not torch.allclose(got, want, rtol=allowed, atol=allowed, equal_nan=True):
            failures.append((shape, mode, padding, align, (got - want).abs().max().item()))
    assert not failures


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("padding", PADDINGS)
def test_values_that_no_tap_names_do_not_leak(core, isa, mode, padding):
    """An infinity beside the image's edge must not turn a weight of zero into NaN where PyTorch reads nothing."""
    use(core, isa)
    x = torch.full((1, 1, 6, 40), INF)
    x[..., 1:-1, 1:-1] = torch.randn(4, 38)
    grid = coordinates("near", x.shape, (30, 50), torch.float32)
    want = F.grid_sample(x, grid, mode, padding, align_corners=False)
    torch.testing.assert_close(core.grid_sample(x, grid, mode, padding), want, rtol=1e-4, atol=1e-4, equal_nan=True)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("grid_dtype", ["same", "float32"])
def test_sixteen_bit_inputs_are_computed_in_float32(core, dtype, grid_dtype):
    torch.manual_seed(0)
    x = torch.randn(2, 3, 9, 11).to(getattr(torch, dtype))
    grid = coordinates("near", x.shape, (7, 20), torch.float32)
    grid = grid.to(x.dtype) if grid_dtype == "same" else grid
    want = F.grid_sample(x.float(), grid.float(), align_corners=False).to(x.dtype)
    got = core.grid_sample(x, grid)
    # one unit in the last place at a value of about 2
    torch.testing.assert_close(got.float(), want.float(), rtol=2**-8 if dtype == "bfloat16" else 2**-10, atol=1e-3)


@pytest.mark.parametrize("shape", [(2, 0, 4, 5), (0, 3, 4, 5), (0, 3, 4, 5, 6)])
def test_empty_batches_and_channels_give_empty_outputs(core, shape):
    grid = torch.zeros(shape[0], *[3] * (len(shape) - 2), len(shape) - 2)
    assert core.grid_sample(torch.zeros(shape), grid).shape == (*shape[:2], *grid.shape[1:-1])


def test_an_empty_output_is_empty(core):
    assert core.grid_sample(torch.zeros(2, 3, 4, 5), torch.zeros(2, 0, 6, 2)).shape == (2, 3, 0, 6)


@pytest.mark.parametrize(
    ("shape", "mode", "words"),
    [((1, 1, 0, 3), "bilinear", "non-empty"), ((1, 1, 3, 3, 3), "bicubic", "4-D"), ((1, 1, 3), "bilinear", "4-D")],
)
def test_what_cannot_be_computed_is_refused_with_a_reason(core, shape, mode, words):
    rank = len(shape) - 2
    x, grid = torch.zeros(shape), torch.zeros(1, *[2] * rank, rank)
    if rank == 1:
        problem = core.problem(x[..., None], grid.new_zeros(1, 2, 2, 2), mode, "zeros", False, x.new_zeros(1, 1, 2, 2))
        problem.rank = 1
        with pytest.raises(ValueError, match=words):
            core.run(problem)
        return
    with pytest.raises(ValueError, match=words):
        core.grid_sample(x, grid, mode)
