"""Exporting, running and comparing, in whatever release runs the tests."""

import contextlib
import functools
import inspect
import io

import onnxgrid
import pytest
import torch
import torch.nn.functional as F

PADDINGS = ("zeros", "border", "reflection")
TORCHSCRIPT_ONLY = "dynamo" not in inspect.signature(torch.onnx.export).parameters
HAS_DYNAMO = "dynamic_shapes" in inspect.signature(torch.onnx.export).parameters


class Module(torch.nn.Module):
    """A module around a function of tensors."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def sampler(mode="bilinear", padding_mode="zeros", align_corners=False):
    return Module(lambda x, g: F.grid_sample(x, g, mode, padding_mode, align_corners))


def inputs(batch, channels, image, out, spread=1.4):
    """An image and a grid that leaves [-1, 1] and hits the borders and the centre."""
    dims = len(image)
    grid = (torch.rand(batch, *out, dims) * 2 - 1) * spread
    flat = grid.view(-1)
    flat[:3] = torch.tensor([0.0, -1.0, 1.0])
    return torch.randn(batch, channels, *image), grid


def export_bytes(module, args, opset, route=None, dynamic_axes=None, **options):
    """The file that the TorchScript exporter writes, under ``route`` unless it is None."""
    stream = io.BytesIO()
    if not TORCHSCRIPT_ONLY:
        options["dynamo"] = False
    names = ["in{}".format(index) for index in range(len(args))]
    with onnxgrid.exporting(route) if route else contextlib.nullcontext(), torch.no_grad():
        torch.onnx.export(
            module,
            args,
            stream,
            opset_version=opset,
            input_names=names,
            output_names=["out"],
            dynamic_axes=dynamic_axes,
            **options
        )
    return stream.getvalue()


@functools.lru_cache(maxsize=None)
def opsets():
    """The opsets that this release's TorchScript exporter accepts."""
    accepted = []
    for opset in range(7, 26):
        try:
            export_bytes(Module(lambda x: x + 1), (torch.zeros(1),), opset)
        except (ValueError, RuntimeError):
            continue
        accepted.append(opset)
    return accepted


def require(opset):
    if opset not in opsets():
        pytest.skip("torch {} does not know opset {}".format(torch.__version__, opset))


def model_of(data):
    onnx = pytest.importorskip("onnx")
    return onnx.load_from_string(data)


def operators(data):
    """Names of the nodes of the main graph, other domains as ``domain::Name``."""
    return [
        node.op_type if node.domain in ("", "ai.onnx") else node.domain + "::" + node.op_type
        for node in model_of(data).graph.node
    ]


def dead_nodes(data):
    graph = model_of(data).graph
    used = {name for node in graph.node for name in node.input} | {o.name for o in graph.output}
    return [node.op_type for node in graph.node if not used.intersection(node.output)]


def run(data, args):
    """Outputs of two consecutive runs in onnxruntime."""
    ort = pytest.importorskip("onnxruntime")
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    feed = {node.name: value.numpy() for node, value in zip(session.get_inputs(), args)}
    return [torch.from_numpy(session.run(None, feed)[0]) for _ in range(2)]


def assert_right(data, module, *argument_sets, atol=1e-5):
    """Equal to eager PyTorch, twice, for every set of arguments."""
    for args in argument_sets:
        expected = module(*args)
        for result in run(data, args):
            assert result.shape == expected.shape
            assert torch.allclose(result, expected, atol=atol, rtol=1e-4, equal_nan=True)


def dynamic(*tensors, fixed=()):
    """Every axis dynamic but the last of a grid or theta; ``fixed`` are (tensor, axis) pairs."""
    return {
        "in{}".format(index): {
            axis: "in{}_{}".format(index, axis)
            for axis in range(tensor.dim())
            if (index, axis) not in fixed
        }
        for index, tensor in enumerate(tensors)
    }
