"""Files written under ``exporting`` hold what the route promises and compute what torch does."""

import itertools

import onnxgrid
import pytest
import torch
import torch.nn.functional as F

from . import support
from .support import Module, assert_right, dead_nodes, dynamic, export_bytes, inputs, operators

CASES = [
    (dims, mode, padding, align)
    for dims in (2, 3)
    for mode, padding, align in itertools.product(
        ("bilinear", "nearest", "bicubic"), support.PADDINGS, (False, True)
    )
    if not (dims == 3 and mode == "bicubic")
]
OPSETS = (7, 8, 9, 10, 11, 12, 13, 16, 18, 20, 23)
SIZES = {2: ((5, 7), (4, 6), (9, 6), (2, 11)), 3: ((4, 5, 7), (3, 4, 6), (5, 9, 6), (2, 5, 2))}


def sample_arguments(dims):
    image, out, other_image, other_out = SIZES[dims]
    return inputs(2, 3, image, out), inputs(3, 5, other_image, other_out)


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("route", ["shim", "custom"])
def test_every_mode_is_right_at_two_sizes(opset, route):
    support.require(opset)
    for dims, mode, padding, align in CASES:
        module = support.sampler(mode, padding, align)
        first, second = sample_arguments(dims)
        axes = dynamic(*first, fixed={(1, dims + 1)})
        data = export_bytes(module, first, opset, route, axes)
        names = operators(data)
        if route == "shim":
            assert not [n for n in names if "::" in n or n in ("GridSample", "AffineGrid")]
        else:
            assert "custom.ops::GridSample" in names
        assert not dead_nodes(data)
        assert_right(data, module, first, second)


@pytest.mark.parametrize("channels", [1, 3, 40])
@pytest.mark.parametrize("opset", [9, 11, 13, 18])
def test_known_channels_choose_a_graph_that_is_right_at_other_sizes(channels, opset):
    support.require(opset)
    for mode in ("bilinear", "nearest", "bicubic"):
        module = support.sampler(mode)
        first = inputs(2, channels, (5, 7), (4, 6))
        second = inputs(1, channels, (6, 3), (5, 2))
        axes = dynamic(*first, fixed={(0, 1), (1, 3)})
        data = export_bytes(module, first, opset, "shim", axes)
        gathers_elements = "GatherElements" in operators(data)
        assert gathers_elements == (opset >= 11 and channels < 32)
        assert not dead_nodes(data)
        assert_right(data, module, first, second)


@pytest.mark.parametrize("route", ["shim", "custom", "contrib", "fused", "auto"])
@pytest.mark.parametrize("opset", [7, 9, 11, 13, 16, 20])
@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("dims", [2, 3])
def test_affine_grid_follows_a_dynamic_output_size(route, opset, align, dims):
    support.require(opset)
    module = Module(lambda t, x: F.affine_grid(t, x.shape, align))
    sizes = ((2, 3, 4, 5, 6), (3, 2, 1, 7, 3))
    arguments = [
        (torch.randn(size[0], dims, dims + 1), torch.zeros(size[: dims + 2])) for size in sizes
    ]
    axes = dynamic(*arguments[0], fixed={(0, 1), (0, 2)})
    data = export_bytes(module, arguments[0], opset, route, axes)
    if route in ("custom", "fused"):
        assert "custom.ops::AffineGrid" in operators(data)
    assert not dead_nodes(data)
    assert_right(data, module, *arguments)


def transformer(theta, image):
    grid = F.affine_grid(theta, image.shape, align_corners=False)
    return F.grid_sample(image, grid, align_corners=False)


@pytest.mark.parametrize("opset", [9, 11, 16, 20])
def test_fused_is_one_operator_and_leaves_no_grid(opset):
    support.require(opset)
    module = Module(transformer)
    first = (torch.randn(2, 2, 3), torch.randn(2, 3, 5, 7))
    second = (torch.randn(3, 2, 3), torch.randn(3, 3, 6, 4))
    data = export_bytes(module, first, opset, "fused", dynamic(*first, fixed={(0, 1), (0, 2)}))
    names = operators(data)
    assert names.count("custom.ops::AffineGridSample") == 1
    assert not {"custom.ops::AffineGrid", "custom.ops::GridSample"} & set(names)
    assert not dead_nodes(data)
    assert_right(data, module, first, second)


@pytest.mark.parametrize("opset", [7, 9, 10, 13])
@pytest.mark.parametrize("k", [-1, 0, 1, 2, 7])
@pytest.mark.parametrize("route", ["shim", "custom"])
def test_rot90_turns_by_any_number_of_quarters(opset, k, route):
    support.require(opset)
    module = Module(lambda x: torch.rot90(x, k, (-1, 2)))
    first, second = (torch.randn(2, 3, 5, 7),), (torch.randn(1, 2, 4, 9),)
    data = export_bytes(module, first, opset, route, dynamic(*first))
    if route == "custom":
        assert operators(data) == ["custom.ops::Rotate"]
    assert_right(data, module, first, second)


@pytest.mark.parametrize("opset", [9, 11, 16])
def test_contrib_is_onnxruntimes_operator_for_4d_and_the_shim_for_5d(opset):
    support.require(opset)
    flat, volume = support.sampler(), support.sampler()
    data = export_bytes(flat, sample_arguments(2)[0], opset, "contrib")
    assert operators(data) == ["com.microsoft::GridSample"]
    assert_right(data, flat, sample_arguments(2)[0])
    data = export_bytes(volume, sample_arguments(3)[0], opset, "contrib")
    assert not [name for name in operators(data) if "::" in name]
    assert_right(data, volume, sample_arguments(3)[0])


@pytest.mark.parametrize(("opset", "dims", "expected"), [
    (11, 2, None), (16, 2, "bilinear"), (16, 3, None), (20, 2, "linear"), (20, 3, "linear"),
])
def test_auto_takes_the_standard_operator_where_the_opset_has_it(opset, dims, expected):
    support.require(opset)
    module = support.sampler()
    first = sample_arguments(dims)[0]
    data = export_bytes(module, first, opset, "auto")
    nodes = [n for n in support.model_of(data).graph.node if n.op_type == "GridSample"]
    modes = [a.s.decode() for n in nodes for a in n.attribute if a.name == "mode"]
    assert modes == ([expected] if expected else [])
    assert_right(data, module, first)


def test_operators_with_different_attributes_get_bodies_of_their_own():
    def both(image, grid):
        nearest = F.grid_sample(image, grid, "nearest", "border", True)
        return nearest + F.grid_sample(image, grid, align_corners=False)

    first, second = sample_arguments(2)
    data = export_bytes(Module(both), first, 13, "custom", dynamic(*first, fixed={(1, 3)}))
    assert {"custom.ops::GridSample", "custom.ops::GridSample_2"} <= set(operators(data))
    assert_right(data, both, first, second)


@pytest.mark.parametrize("opset", [9, 11, 12, 13, 16, 20])
def test_static_bilinear_has_at_most_80_nodes(opset):
    support.require(opset)
    for channels in (3, 64):
        data = export_bytes(
            support.sampler(), inputs(2, channels, (5, 7), (4, 6)), opset, "shim"
        )
        assert len(operators(data)) <= 80


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16])
@pytest.mark.parametrize("route", ["shim", "custom"])
def test_other_float_dtypes_come_back_as_they_went_in(dtype, route):
    image, grid = inputs(2, 3, (5, 7), (4, 6))
    image, grid = image.to(dtype), grid.to(dtype)
    module = Module(lambda x, g: onnxgrid.grid_sample(x, g, align_corners=False))
    data = export_bytes(module, (image, grid), 13, route)
    for result in support.run(data, (image, grid)):
        assert result.dtype == dtype
        expected = module(image, grid).double()
        atol = 1e-9 if dtype == torch.float64 else 2e-3
        assert torch.allclose(result.double(), expected, atol=atol)


@pytest.mark.parametrize("opset", [9, 11, 13])
def test_not_a_number_in_a_grid_is_no_error_and_no_wild_index(opset):
    module = support.sampler()
    image, grid = inputs(1, 3, (5, 7), (2, 3))
    data = export_bytes(module, (image, grid), opset, "shim")
    grid[0, 0, 0, 0] = float("nan")
    grid[0, 1, 1, 1] = float("inf")
    assert_right(data, module, (image, grid))


@pytest.mark.parametrize("name", ["grid_sample", "affine_grid", "rot90", "rotate"])
@pytest.mark.parametrize("opset", [9, 11, 13])
def test_our_functions_export_without_any_context(name, opset):
    image, grid = inputs(2, 3, (5, 7), (4, 6))
    other, other_grid = inputs(3, 3, (6, 4), (3, 3))
    theta, other_theta = torch.randn(2, 2, 3), torch.randn(3, 2, 3)
    functions = {
        "grid_sample": lambda x, g: onnxgrid.grid_sample(x, g, align_corners=False),
        "affine_grid": lambda x, t: onnxgrid.affine_grid(t, x.shape, False),
        "rot90": lambda x: onnxgrid.rot90(x, 1, [2, 3]),
        "rotate": lambda x: onnxgrid.rotate(x, 30.0),
    }
    second = {"grid_sample": (grid, other_grid), "affine_grid": (theta, other_theta)}.get(name)
    first = (image,) if second is None else (image, second[0])
    later = (other,) if second is None else (other, second[1])
    module = Module(functions[name])
    axes = dynamic(*first, fixed={(0, 1), (1, 3 if name == "grid_sample" else 1), (1, 2)})
    if name == "grid_sample":
        axes["in1"][2] = "width"
    data = export_bytes(module, first, opset, None, axes)
    assert not [n for n in operators(data) if "::" in n]
    assert_right(data, module, first, later)
