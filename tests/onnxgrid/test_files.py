"""Files: inlining, the wire format, function bodies, verify."""

import onnxgrid
import pytest
import torch
import torch.nn.functional as F
from onnxgrid import _file, _proto

from . import support
from .support import Module, assert_right, dynamic, export_bytes, inputs, operators

FIRST, SECOND = inputs(2, 3, (5, 7), (4, 6)), inputs(3, 3, (6, 4), (2, 5))
AXES = dynamic(*FIRST, fixed={(0, 1), (1, 3)})


def custom_file(opset=13):
    return export_bytes(support.sampler("bicubic", "border"), FIRST, opset, "custom", AXES)


@pytest.mark.parametrize("opset", [8, 11, 13])
def test_inline_leaves_standard_operators_that_compute_the_same(opset):
    data = onnxgrid.inline(custom_file(opset))
    model = support.model_of(data)
    assert not model.functions
    plain = support.model_of(export_bytes(support.sampler(), FIRST, opset, "shim"))
    assert model.ir_version == plain.ir_version
    assert [entry.domain for entry in model.opset_import] == [""]
    assert not [name for name in operators(data) if "::" in name]
    assert not support.dead_nodes(data)
    assert_right(data, support.sampler("bicubic", "border"), FIRST, SECOND)


def test_inline_takes_a_path_bytes_or_a_model(tmp_path):
    data = custom_file()
    source, target = tmp_path / "custom.onnx", tmp_path / "plain.onnx"
    source.write_bytes(data)
    expected = onnxgrid.inline(data)
    assert onnxgrid.inline(source, target) == expected
    assert target.read_bytes() == expected
    model = support.model_of(data)
    plain = onnxgrid.inline(model)
    assert plain.graph == support.model_of(expected).graph
    assert plain.ir_version <= 7


def test_inline_keeps_two_calls_of_one_function_apart():
    def twice(image, grid):
        once = F.grid_sample(image, grid, align_corners=False)
        return F.grid_sample(once, grid, align_corners=False)

    data = export_bytes(Module(twice), FIRST, 13, "custom", AXES)
    assert operators(data).count("custom.ops::GridSample") == 2
    assert len(support.model_of(data).functions) == 1
    assert_right(onnxgrid.inline(data), twice, FIRST, SECOND)


def test_inline_reaches_into_branches_and_resolves_attribute_references():
    onnx = pytest.importorskip("onnx")
    h, t = onnx.helper, onnx.TensorProto
    constant = h.make_node("Constant", [], ["c"])
    constant.attribute.append(onnx.AttributeProto(name="value_float", ref_attr_name="by", type=1))
    inner = h.make_function("mine", "Add", ["a"], ["b"], [constant, h.make_node("Add", ["a", "c"], ["b"])],
                            [h.make_opsetid("", 13)], ["by"])
    outer = h.make_function("mine", "Twice", ["a"], ["z"], [
        h.make_node("Add", ["a"], ["m"], domain="mine", by=1.0),
        h.make_node("Add", ["m"], ["z"], domain="mine", by=2.0),
    ], [h.make_opsetid("", 13), h.make_opsetid("mine", 1)])
    branch = lambda name, op: h.make_graph(  # noqa: E731
        [h.make_node(op, ["x"], [name], **({"domain": "mine"} if op == "Twice" else {}))],
        name, [], [h.make_tensor_value_info(name, t.FLOAT, [1])])
    graph = h.make_graph(
        [h.make_node("If", ["flag"], ["y"], then_branch=branch("p", "Twice"), else_branch=branch("q", "Neg"))],
        "g", [h.make_tensor_value_info("flag", t.BOOL, []), h.make_tensor_value_info("x", t.FLOAT, [1])],
        [h.make_tensor_value_info("y", t.FLOAT, [1])])
    model = h.make_model(graph, functions=[inner, outer],
                         opset_imports=[h.make_opsetid("", 13), h.make_opsetid("mine", 1)], ir_version=8)
    plain = onnxgrid.inline(model.SerializeToString())
    for flag, expected in ((True, 5.0), (False, -2.0)):
        for result in support.run(plain, (torch.tensor(flag), torch.tensor([2.0]))):
            assert result.item() == expected


def test_a_cut_file_is_an_error():
    with pytest.raises(ValueError, match=r"complete|not an ONNX"):
        onnxgrid.inline(custom_file()[:-7])


def test_function_bodies_have_no_unused_node_and_no_other_opset():
    for opset in (9, 13):
        model = support.model_of(custom_file(opset))
        (body,) = model.functions
        used = {name for node in body.node for name in node.input} | set(body.output)
        assert all(used.intersection(node.output) for node in body.node)
        assert [(e.domain, e.version) for e in body.opset_import] == [("", opset)]
        assert model.ir_version >= 8
        assert {(e.domain, e.version) for e in model.opset_import} == {("", opset), ("custom.ops", 1)}


def test_the_onnx_checker_accepts_every_body():
    onnx = pytest.importorskip("onnx")
    for opset in (7, 9, 11, 13):
        onnx.checker.check_model(support.model_of(custom_file(opset)))


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 2**31, 2**63 - 1, -1, -(2**62)])
def test_varints_read_back(number):
    read, end = _proto.read_varint(_proto.varint(number), 0)
    assert read == number % 2**64
    assert end == len(_proto.varint(number))


def test_the_head_is_read_without_the_graph(tmp_path):
    path = tmp_path / "m.onnx"
    path.write_bytes(custom_file())
    with open(path, "rb") as stream:
        head = _file.read_head(stream)
    assert head.opsets == {"": 13, "custom.ops": 1}
    assert head.ir_version >= 8


def write(tmp_path, data):
    path = tmp_path / "model.onnx"
    path.write_bytes(data)
    return path


def test_verify_compares_values_at_two_sizes_and_gradients(tmp_path):
    pytest.importorskip("onnxruntime")
    report = onnxgrid.verify(support.sampler("bicubic", "border"), FIRST, write(tmp_path, custom_file()))
    assert report, report
    assert {"values, run 1", "values, run 2", "values, second size", "gradients"} <= set(report.differences)
    assert report.largest_difference < 1e-3
    assert str(report).startswith("verified")


def test_verify_finds_wrong_values_and_lost_axes(tmp_path):
    pytest.importorskip("onnxruntime")
    wrong = onnxgrid.verify(support.sampler("nearest"), FIRST, write(tmp_path, custom_file()))
    assert not wrong
    assert any("values differ" in problem for problem in wrong.problems)
    static = write(tmp_path, export_bytes(support.sampler(), FIRST, 13, "shim"))
    assert onnxgrid.verify(support.sampler(), FIRST, static)
    lost = onnxgrid.verify(support.sampler(), FIRST, static, other_args=SECOND)
    assert any(problem.startswith("second size") for problem in lost.problems)


def test_verify_without_a_file_says_so(tmp_path):
    with pytest.raises(FileNotFoundError, match="export the model first"):
        onnxgrid.verify(support.sampler(), FIRST, tmp_path / "missing.onnx")
