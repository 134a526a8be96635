"""Reports of users, as tests (the issue is named in each)."""

import os
import subprocess
import sys

import onnxgrid
import pytest
import torch
import torch.nn.functional as F

from . import support
from .support import Module, assert_right, dynamic, export_bytes, operators


@pytest.mark.parametrize("opset", [9, 11, 15])
def test_a_grid_layer_exports_below_opset_16(opset):
    """pytorch/pytorch#27212."""
    support.require(opset)
    image = torch.randn(1, 1, 10, 10)
    grid = F.affine_grid(torch.eye(2, 3)[None], [1, 1, 10, 10], align_corners=False)
    with pytest.raises(Exception, match="grid_sampler"):
        export_bytes(support.sampler(), (image, grid), opset)
    for route in ("shim", "contrib"):
        data = export_bytes(support.sampler(), (image, grid), opset, route)
        assert_right(data, support.sampler(), (image, grid))


@pytest.mark.parametrize("align", [False, True])
def test_affine_grid_and_its_sampling_export_at_opset_13(align):
    """pytorch/pytorch#67320."""
    support.require(13)
    image = torch.randn(1, 3, 24, 24)

    def sampled(theta):
        grid = F.affine_grid(theta, [1, 3, 24, 24], align_corners=align)
        return F.grid_sample(image, grid, align_corners=align)

    theta = torch.tensor([[[0.8, 0.3, 0.1], [-0.2, 1.1, -0.3]]])
    data = export_bytes(Module(sampled), (theta,), 13, "shim")
    assert not {"GridSample", "AffineGrid"} & set(operators(data))
    assert_right(data, sampled, (theta,))


@pytest.mark.parametrize("opset", [11, 16])
def test_a_registration_is_judged_by_the_domain_of_the_node(opset):
    """microsoft/onnxruntime#10782."""
    support.require(opset)
    arguments = (torch.randn(1, 4, 10, 10), torch.rand(1, 8, 8, 2) * 2 - 1)
    data = export_bytes(support.sampler(), arguments, opset, "contrib")
    assert operators(data) == ["com.microsoft::GridSample"]
    assert_right(data, support.sampler(), arguments)


RELEASE = tuple(int(part) for part in torch.__version__.split(".")[:2])


def output_shape(data):
    (output,) = support.model_of(data).graph.output
    return [dim.dim_value or None for dim in output.type.tensor_type.shape.dim]


def test_the_shape_behind_a_custom_operator_is_known_and_dynamic_axes_stay_dynamic():
    """onnx/onnx#5759 and the review of microsoft/onnxruntime#8551."""
    arguments = (torch.randn(2, 3, 5, 7), torch.rand(2, 4, 6, 2))
    static = output_shape(export_bytes(support.sampler(), arguments, 11, "custom"))
    if static == [None] * 4 and RELEASE < (2, 0):
        pytest.xfail("1.10 to 1.13 drop the shape that the symbolic function sets")
    assert static == [2, 3, 4, 6]
    axes = dynamic(*arguments, fixed={(0, 1), (1, 2), (1, 3)})
    shape = output_shape(export_bytes(support.sampler(), arguments, 11, "custom", axes))
    if shape == [2, 3, 4, 6] and RELEASE < (1, 10):
        pytest.xfail("1.8 and 1.9 write the example's extents for outputs without dynamic_axes")
    assert shape == [None, 3, None, 6]


def test_the_graph_is_of_few_plain_operators():
    """open-mmlab/mmdeploy#1664."""
    arguments = support.inputs(1, 3, (8, 9), (5, 6))
    allowed = {
        "Add", "Cast", "Concat", "Constant", "Expand", "Floor", "Gather", "GatherElements",
        "Greater", "Less", "Mul", "Pad", "Reshape", "Shape", "Split", "Sub", "Transpose", "Where",
    }
    for axes, most in ((None, 80), (dynamic(*arguments, fixed={(0, 1), (1, 3)}), 105)):
        data = export_bytes(support.sampler(), arguments, 11, "shim", axes)
        names = operators(data)
        assert set(names) <= allowed
        assert len(names) <= most
        assert_right(data, support.sampler(), arguments)


def test_the_import_needs_torch_alone():
    """VBTI-development/onedl-mmdetection#11."""
    code = (
        "import sys\n"
        "class Nothing:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in ('onnx', 'onnxscript', 'onnxruntime', 'mmcv') or name.endswith('._ext'):\n"
        "            raise ImportError(name)\n"
        "sys.meta_path.insert(0, Nothing())\n"
        "import onnxgrid, torch\n"
        "x, g = torch.ones(1, 1, 2, 2), torch.zeros(1, 1, 1, 2)\n"
        "assert onnxgrid.grid_sample(x, g, align_corners=False).item() == 1.0\n"
    )
    root = os.path.dirname(os.path.dirname(onnxgrid.__file__))
    environment = dict(os.environ, PYTHONPATH=root)
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, env=environment)


def test_every_tensor_made_inside_is_on_the_device_of_the_input():
    """open-mmlab/mmocr#1085, without a GPU: no operation mixes the input with another device."""
    image, grid = support.inputs(1, 2, (4, 5), (3, 3))
    theta = torch.randn(1, 2, 3)
    if torch.cuda.is_available():
        image, grid, theta = image.cuda(), grid.cuda(), theta.cuda()
    elif RELEASE >= (1, 13):
        image, grid, theta = image.to("meta"), grid.to("meta"), theta.to("meta")
    for mode in ("bilinear", "nearest", "bicubic"):
        for padding in support.PADDINGS:
            result = onnxgrid.grid_sample(image, grid, mode, padding, False)
            assert result.device == image.device
    assert onnxgrid.affine_grid(theta, [1, 1, 4, 4], False).device == theta.device


@pytest.mark.parametrize("route", ["shim", "custom"])
def test_the_batch_is_not_baked_in(route):
    """LibreYOLO/libreyolo#404."""
    module = support.sampler()
    first = support.inputs(2, 3, (9, 8), (5, 2))
    second = (torch.randn(3, 3, 9, 8), torch.rand(3, 2, 5, 2) * 2 - 1)
    data = export_bytes(module, first, 11, route, dynamic(*first, fixed={(1, 3)}))
    assert_right(data, module, first, second)


class ExpLog(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.exp().log()


def test_a_function_without_symbolic_fails_or_is_inlined_but_ours_export():
    """pytorch/pytorch#61813."""
    arguments = support.inputs(1, 2, (4, 5), (3, 3))
    ours = Module(lambda x, g: onnxgrid.ops.GridSample.apply(x, g, "bilinear", "zeros", False))
    data = export_bytes(ours, arguments, 13, "custom")
    assert operators(data) == ["custom.ops::GridSample"]
    assert_right(data, support.sampler(), arguments)
    theirs = Module(lambda x: ExpLog.apply(x))
    try:
        names = operators(export_bytes(theirs, (torch.rand(3),), 13))
    except RuntimeError as error:
        assert "ExpLog" in str(error) or "PythonOp" in str(error)
    else:
        assert names == ["Exp", "Log"]


def test_no_forward_of_ours_can_be_folded_away():
    """pytorch/pytorch#90054."""
    image, grid = support.inputs(1, 2, (4, 5), (3, 3))
    theta = torch.randn(1, 2, 3)
    size = onnxgrid.ops.size_tensor((1, 2, 4, 4))
    ops = onnxgrid.ops
    for function, args, name in (
        (lambda x: ops.Rotate.apply(x, 0, [2, 3]), (image,), "Rotate"),
        (lambda x: ops.Rotate.apply(x, 4, [2, 3]), (image,), "Rotate"),
        (lambda t: ops.AffineGrid.apply(t, size, False), (theta,), "AffineGrid"),
        (
            lambda x, t: ops.AffineGridSample.apply(x, t, size, "bilinear", "zeros", False),
            (image, theta),
            "AffineGridSample",
        ),
        (lambda x, g: ops.GridSample.apply(x, g, "nearest", "zeros", False), (image, grid), "GridSample"),
    ):
        data = export_bytes(Module(function), args, 13, "custom")
        assert "custom.ops::" + name in operators(data)
        assert_right(data, function, args)


def test_fallthrough_writes_a_file_that_no_runtime_runs():
    """pytorch/pytorch#65853."""
    kinds = torch.onnx.OperatorExportTypes
    arguments = support.inputs(1, 2, (4, 5), (3, 3))
    try:
        data = export_bytes(
            support.sampler(), arguments, 11, operator_export_type=kinds.ONNX_FALLTHROUGH
        )
    except Exception as error:  # the refusal differs from release to release
        pytest.skip("this release refuses: {}".format(str(error).splitlines()[0]))
    assert not {"GridSample", "com.microsoft::GridSample"} & set(operators(data))
    with pytest.raises(Exception, match=r"(?i)fail|not|invalid|unrecognized|domain"):
        support.run(data, arguments)
