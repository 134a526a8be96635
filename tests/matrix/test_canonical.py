"""Files that differ in names alone become one; everything that changes what a file computes keeps them apart."""

from __future__ import annotations

from typing import Any

import numpy
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from matrix.probe.canonical import canonicalise, digest

FLOAT = TensorProto.FLOAT
UNARY, BINARY = ("Neg", "Abs", "Relu"), ("Add", "Mul", "Sub")


def value(name: str, shape: Any = ("n", 3)) -> Any:
    return helper.make_tensor_value_info(name, FLOAT, shape)


def constant(name: str, *numbers: float) -> Any:
    return numpy_helper.from_array(numpy.array(numbers, dtype="float32"), name)


def model(nodes: list[Any], initializers: tuple[Any, ...] = (), **fields: Any) -> Any:
    functions = fields.pop("functions", [])
    graph = helper.make_graph(nodes, fields.pop("name", "main"), [value("x")], [value("y")], list(initializers))
    graph.value_info.extend(fields.pop("value_info", []))
    opsets = [helper.make_opsetid("", 18)] + [helper.make_opsetid("own", 1)] * bool(functions)
    return helper.make_model(graph, opset_imports=opsets, ir_version=8, functions=functions, **fields)


Steps = list[tuple[str, int, int]]


@st.composite
def programs(draw: st.DrawFn) -> Steps:
    """Steps (operator, left, right); operands count the values that exist before the step: x, the constant, results."""
    steps = []
    for position in range(draw(st.integers(1, 6))):
        operand = st.integers(0, position + 1)
        steps.append((draw(st.sampled_from((*UNARY, *BINARY, "If", "Call"))), draw(operand), draw(operand)))
    return steps


def built(steps: Steps, prefix: str, nodes_named: str) -> Any:
    """The same program with names of one's choice for inner values and nodes."""
    names = ["x", f"{prefix}constant"]
    nodes, functions = [], []
    for position, (operator, left, right) in enumerate(steps):
        last = position == len(steps) - 1
        output = "y" if last else f"{prefix}{position}"
        a, b = names[left], names[right]
        label = f"{nodes_named}{position}"
        if operator == "If":
            largest, truth = f"{prefix}m{position}", f"{prefix}b{position}"
            nodes.append(helper.make_node("ReduceMax", [a], [largest], name=label + "m", keepdims=0))
            nodes.append(helper.make_node("Cast", [largest], [truth], name=label + "c", to=TensorProto.BOOL))
            branches = {
                f"{branch}_branch": helper.make_graph(
                    [helper.make_node(inner, [b, a], [f"{prefix}{branch}{position}"], name=label + branch)],
                    f"{nodes_named}{branch}", [], [value(f"{prefix}{branch}{position}", None)],
                )
                for branch, inner in (("then", "Add"), ("else", "Sub"))
            }  # fmt: skip
            nodes.append(helper.make_node("If", [truth], [output], name=label, **branches))
        elif operator == "Call":
            body = [
                helper.make_node("Mul", ["p", "q"], [f"{prefix}inner"], name=label),
                helper.make_node("Abs", [f"{prefix}inner"], ["r"], name=label + "r"),
            ]
            if not functions:
                opsets = [helper.make_opsetid("", 18)]
                functions.append(helper.make_function("own", "F", ["p", "q"], ["r"], body, opsets))
            nodes.append(helper.make_node("F", [a, b], [output], name=label, domain="own"))
        else:
            nodes.append(helper.make_node(operator, [a] if operator in UNARY else [a, b], [output], name=label))
        names.append(output)
    return model(nodes, (constant(f"{prefix}constant", 0.5, -1.0, 2.0),), functions=functions, name=nodes_named)


def evaluated(built_model: Any) -> Any:
    x = numpy.array([[1.0, -2.0, 0.25], [0.0, 3.0, -1.0]], dtype="float32")
    return ReferenceEvaluator(built_model).run(None, {"x": x})[0]


@given(programs())
@settings(max_examples=60, deadline=None)
def test_names_do_not_matter_and_the_meaning_stays(steps: Steps) -> None:
    first, second = built(steps, "a_", "node"), built(steps, "/layer/", "")
    before = evaluated(first)
    canonicalise(first)
    canonicalise(second)
    assert first == second
    numpy.testing.assert_array_equal(evaluated(first), before)
    onnx.checker.check_model(first)


@given(programs())
@settings(max_examples=30, deadline=None)
def test_a_second_time_changes_nothing(steps: Steps) -> None:
    once = built(steps, "v", "n")  # the spelling of canonical names, in another order
    canonicalise(once)
    twice = onnx.load_model_from_string(once.SerializeToString())
    canonicalise(twice)
    assert once == twice


@given(programs(), programs())
@settings(max_examples=60, deadline=None)
def test_models_with_one_digest_compute_the_same(one: Steps, two: Steps) -> None:
    first, second = built(one, "a", "n"), built(two, "b", "m")
    values = evaluated(first), evaluated(second)
    if digest(first) == digest(second):
        numpy.testing.assert_array_equal(*values)


RELU = helper.make_node("Relu", ["x"], ["y"])


@pytest.mark.parametrize(
    "other",
    [
        lambda: model([helper.make_node("Neg", ["x"], ["y"])]),
        lambda: model([RELU], (constant("unused", 1.0),)),
        lambda: model([RELU], producer_name="p", functions=[helper.make_function("own", "F", [], [], [], [])]),
        lambda: helper.make_model(model([RELU]).graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8),
        lambda: helper.make_model(model([RELU]).graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9),
    ],
)
def test_what_is_more_than_a_name_keeps_files_apart(other: Any) -> None:
    assert digest(other()) != digest(model([RELU]))


def test_values_of_initialisers_count_and_their_names_and_order_do_not() -> None:
    nodes = [helper.make_node("Add", ["x", "p"], ["t"]), helper.make_node("Mul", ["t", "q"], ["y"])]
    renamed = [helper.make_node("Add", ["x", "b"], ["t"]), helper.make_node("Mul", ["t", "a"], ["y"])]
    first = digest(model(nodes, (constant("p", 1.0), constant("q", 2.0))))
    assert first == digest(model(renamed, (constant("a", 2.0), constant("b", 1.0))))
    assert first != digest(model(nodes, (constant("p", 2.0), constant("q", 1.0))))


def test_symbolic_dimensions_count_by_which_are_equal_and_not_by_name() -> None:
    def shaped(*shape: str) -> str:
        nodes = [helper.make_node("Relu", ["x"], ["t"]), helper.make_node("Relu", ["t"], ["y"])]
        return digest(model(nodes, value_info=[value("t", shape)]))

    assert shaped("s0", "s1") == shaped("batch", "width")
    assert shaped("s0", "s0") != shaped("s0", "s1")


def test_producer_doc_strings_and_metadata_do_not_count() -> None:
    loud = model([helper.make_node("Relu", ["x"], ["y"], doc_string="stack")], producer_name="pytorch", doc_string="d")
    loud.metadata_props.add(key="k", value="v")
    loud.graph.input[0].doc_string = "in"
    assert digest(loud) == digest(model([RELU]))


def test_names_of_inputs_and_outputs_stay() -> None:
    built_model = model([RELU])
    canonicalise(built_model)
    assert [item.name for item in (*built_model.graph.input, *built_model.graph.output)] == ["x", "y"]
