"""``exporting`` leaves nothing behind: registries, functions, threads, exceptions, nesting."""

import re
import threading

import onnxgrid
import pytest
import torch
import torch.nn.functional as F

from . import support
from .support import Module, export_bytes, inputs, operators

ARGUMENTS = inputs(1, 3, (5, 7), (4, 6))


def outcome(module, args, opset, route=None):
    """What an export holds, or its error (as text: a kept traceback keeps the exporter's graph,
    which breaks the next export on 1.x).
    """
    try:
        return operators(export_bytes(module, args, opset, route))
    except Exception as error:
        return type(error).__name__, str(error).splitlines()[0]


def native_outcome(opset):
    """What the plain exporter makes of a sampling."""
    return outcome(support.sampler(), ARGUMENTS, opset)


@pytest.mark.parametrize("opset", [11, 16, 20])
def test_the_plain_exporter_is_as_before(opset):
    support.require(opset)
    before = native_outcome(opset)
    for route in ("shim", "custom", "contrib"):
        export_bytes(support.sampler(), ARGUMENTS, opset, route)
        assert native_outcome(opset) == before


def test_an_operator_unknown_before_is_reported_as_before():
    module = Module(lambda t: F.affine_grid(t, [1, 1, 4, 4], False))
    theta = (torch.zeros(1, 2, 3),)
    before = outcome(module, theta, 11)
    assert "affine_grid_generator" in before[1]
    assert "Gather" in outcome(module, theta, 11, "shim")
    assert outcome(module, theta, 11) == before


def test_a_users_own_registration_survives():
    def symbolic(g, image, grid, mode, padding_mode, align_corners):
        return g.op("mine::Sampler", image, grid)

    torch.onnx.register_custom_op_symbolic("::grid_sampler", symbolic, 11)
    try:
        assert operators(export_bytes(support.sampler(), ARGUMENTS, 11)) == ["mine::Sampler"]
        assert "mine::Sampler" not in operators(export_bytes(support.sampler(), ARGUMENTS, 11, "shim"))
        assert operators(export_bytes(support.sampler(), ARGUMENTS, 11)) == ["mine::Sampler"]
    finally:
        remove_registration()
    assert "mine::Sampler" not in native_outcome(11)


def remove_registration():
    if hasattr(torch.onnx, "unregister_custom_op_symbolic"):
        torch.onnx.unregister_custom_op_symbolic("::grid_sampler", 11)
        return
    from torch.onnx import symbolic_registry

    for (domain, _), table in symbolic_registry._registry.items():
        if domain == "":
            table.pop("grid_sampler", None)


def test_export_is_the_same_function_afterwards():
    before = torch.onnx.export
    with onnxgrid.exporting("shim"), onnxgrid.exporting("custom"):
        assert torch.onnx.export is not before
    assert torch.onnx.export is before


def test_an_exception_restores_everything():
    before = torch.onnx.export

    def broken(image, grid):
        F.grid_sample(image, grid, align_corners=False)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        export_bytes(Module(broken), ARGUMENTS, 11, "shim")
    assert torch.onnx.export is before
    assert native_outcome(11)[0].endswith(("RuntimeError", "UnsupportedOperatorError"))


def test_the_innermost_route_counts():
    with onnxgrid.exporting("custom"):
        with onnxgrid.exporting("shim"):
            inner = operators(export_bytes(support.sampler(), ARGUMENTS, 11))
        outer = operators(export_bytes(support.sampler(), ARGUMENTS, 11))
    assert "GridSample" not in str(inner)
    assert outer == ["custom.ops::GridSample"]


def test_another_thread_is_not_affected():
    seen = []
    before = native_outcome(11)
    with onnxgrid.exporting("custom"):
        thread = threading.Thread(target=lambda: seen.append(native_outcome(11)))
        thread.start()
        thread.join()
    assert seen == [before]


def test_functions_bound_early_and_scripted_modules_are_caught():
    from torch.nn.functional import grid_sample as bound_early

    builtin = torch.grid_sampler
    for function in (
        lambda x, g: bound_early(x, g, align_corners=False),
        lambda x, g: builtin(x, g, 0, 0, False),
    ):
        assert operators(export_bytes(Module(function), ARGUMENTS, 11, "custom")) == [
            "custom.ops::GridSample"
        ]


def scripted(image, grid):
    return F.grid_sample(image, grid, "nearest", "border", False)


def test_a_scripted_function_inside_a_traced_module_is_caught():
    inner = torch.jit.script(scripted)
    data = export_bytes(Module(lambda x, g: inner(x, g) + 1), ARGUMENTS, 11, "shim")
    support.assert_right(data, lambda x, g: scripted(x, g) + 1, ARGUMENTS)


def test_the_domain_can_be_chosen():
    with onnxgrid.exporting("custom", domain="my.ops"):
        data = export_bytes(support.sampler(), ARGUMENTS, 11)
    assert operators(data) == ["my.ops::GridSample"]
    support.assert_right(data, support.sampler(), ARGUMENTS)


@pytest.mark.parametrize(("arguments", "message"), [
    ({"route": "shimm"}, "unknown route 'shimm'.*shim"),
    ({"route": "custom", "domain": ""}, "domain"),
    ({"route": "custom", "domain": "com.microsoft"}, "domain"),
])
def test_a_bad_route_or_domain_says_what_would_do(arguments, message):
    with pytest.raises(ValueError, match=message):
        with onnxgrid.exporting(**arguments):
            pass


def test_an_unknown_opset_is_refused_with_the_ones_that_work():
    _, message = outcome(support.sampler(), ARGUMENTS, 99, "shim")
    (works,) = re.findall(r"opset (\d+) works", message)
    assert int(works) in support.opsets()


def test_a_stream_that_cannot_be_read_back_is_an_error():
    class Sink:
        def write(self, data):
            return len(data)

    options = {} if support.TORCHSCRIPT_ONLY else {"dynamo": False}
    with pytest.raises((TypeError, AttributeError, RuntimeError)):
        with onnxgrid.exporting("custom"):
            torch.onnx.export(support.sampler(), ARGUMENTS, Sink(), opset_version=11, **options)


def test_a_file_on_disk_is_finished_too(tmp_path):
    path = tmp_path / "model.onnx"
    options = {} if support.TORCHSCRIPT_ONLY else {"dynamo": False}
    with onnxgrid.exporting("custom"):
        torch.onnx.export(
            support.sampler(), ARGUMENTS, str(path), opset_version=11, input_names=["a", "b"], **options
        )
    support.assert_right(path.read_bytes(), support.sampler(), ARGUMENTS)
