"""The routes under the dynamo exporter, in the releases that have it."""

import onnxgrid
import pytest
import torch
import torch.nn.functional as F

from . import support
from .support import Module, assert_right, inputs, operators

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not support.HAS_DYNAMO, reason="no dynamo exporter before 2.5"),
]


class Sampler(torch.nn.Module):
    def __init__(self, *options):
        super().__init__()
        self.options = options

    def forward(self, image, grid):
        return F.grid_sample(image, grid, *self.options)


class Transformer(torch.nn.Module):
    def forward(self, theta, image):
        grid = F.affine_grid(theta, image.shape, align_corners=True)
        return torch.rot90(F.grid_sample(image, grid, align_corners=False), 1, (2, 3))


def export(module, args, opset, route, shapes, path=None):
    with onnxgrid.exporting(route), torch.no_grad():
        program = torch.onnx.export(
            module, args, path, dynamo=True, opset_version=opset, dynamic_shapes=shapes, verbose=False
        )
    return program.model_proto.SerializeToString()


def dims(*names):
    return {name: torch.export.Dim(name, min=2, max=64) for name in names}


def sampler_shapes():
    d = dims("n", "h", "w", "p", "q")
    return {"image": {0: d["n"], 2: d["h"], 3: d["w"]}, "grid": {0: d["n"], 1: d["p"], 2: d["q"]}}


def transformer_shapes():
    d = dims("n", "h", "w")
    return {"theta": {0: d["n"]}, "image": {0: d["n"], 2: d["h"], 3: d["w"]}}


@pytest.mark.parametrize("opset", [18, 21, 23, 25])
@pytest.mark.parametrize("route", ["shim", "custom", "contrib", "auto"])
def test_sampling(opset, route, tmp_path):
    first, second = inputs(2, 3, (5, 7), (4, 6)), inputs(3, 3, (6, 4), (2, 5))
    module = Sampler("bilinear", "reflection", False)
    path = tmp_path / "model.onnx"
    data = export(module, first, opset, route, sampler_shapes(), str(path))
    names = operators(data)
    expected = {"custom": "custom.ops::GridSample", "contrib": "com.microsoft::GridSample", "auto": "GridSample"}
    assert ("GridSample" in str(names)) == (route in expected)
    assert route not in expected or expected[route] in names
    assert_right(data, module, first, second)
    assert_right(path.read_bytes(), module, first, second)


@pytest.mark.parametrize("opset", [18, 25])
@pytest.mark.parametrize("route", ["shim", "custom", "fused"])
def test_transformer(opset, route):
    first = (torch.randn(2, 2, 3), torch.randn(2, 3, 5, 7))
    second = (torch.randn(3, 2, 3), torch.randn(3, 3, 4, 6))
    data = export(Transformer(), first, opset, route, transformer_shapes())
    ours = {name for name in operators(data) if "::" in name}
    assert ours == {
        "shim": set(),
        "custom": {"custom.ops::AffineGrid", "custom.ops::GridSample", "custom.ops::Rotate"},
        "fused": {"custom.ops::AffineGridSample", "custom.ops::Rotate"},
    }[route]
    assert_right(data, Transformer(), first, second)


def test_functions_bound_early_are_caught():
    builtin = torch.grid_sampler
    first = inputs(2, 3, (5, 7), (4, 6))
    module = Module(lambda x, g: builtin(x, g, 1, 1, True))
    with onnxgrid.exporting("custom"):
        program = torch.onnx.export(module, first, dynamo=True, opset_version=18, verbose=False)
    assert operators(program.model_proto.SerializeToString()) == ["custom.ops::GridSample"]


def test_our_functions_follow_the_route_and_need_none():
    first = inputs(2, 3, (5, 7), (4, 6))
    module = Module(lambda x, g: onnxgrid.grid_sample(x, g, align_corners=False))
    program = torch.onnx.export(module, first, dynamo=True, opset_version=18, verbose=False)
    data = program.model_proto.SerializeToString()
    assert "GridSample" not in str(operators(data))
    assert_right(data, module, first)
    with onnxgrid.exporting("custom"):
        program = torch.onnx.export(module, first, dynamo=True, opset_version=18, verbose=False)
    assert operators(program.model_proto.SerializeToString()) == ["custom.ops::GridSample"]


def test_a_program_captured_before_is_refused_with_the_remedy():
    first = inputs(2, 3, (5, 7), (4, 6))
    captured = torch.export.export(Sampler("bilinear", "zeros", False), first)
    with pytest.raises(RuntimeError, match="pass the module"):
        with onnxgrid.exporting("shim"):
            torch.onnx.export(captured, (), dynamo=True, opset_version=18, verbose=False)


def test_the_plain_exporter_is_as_before():
    first = inputs(2, 3, (5, 7), (4, 6))
    export(Sampler("bilinear", "zeros", False), first, 18, "custom", sampler_shapes())
    program = torch.onnx.export(
        Sampler("bilinear", "zeros", False), first, dynamo=True, opset_version=18, verbose=False
    )
    assert operators(program.model_proto.SerializeToString()) == ["GridSample"]
