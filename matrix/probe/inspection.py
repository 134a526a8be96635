"""What an exported file holds: opsets, operators, attributes, size, and a digest of its meaning."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any, Dict, Tuple

import onnx

from matrix.probe.spec import violations

#: Operators whose attributes are worth keeping: those that the cases are about.
_SPATIAL = frozenset({"GridSample", "AffineGrid", "AffineGridSample", "Rotate"})


def inspect(data: bytes) -> Tuple[Any, Dict[str, Any]]:
    """The parsed model and the fields of a cell that can be read off a file."""
    model = onnx.load_model_from_string(data)
    domains = {item.domain or "ai.onnx": item.version for item in model.opset_import}
    operators: Dict[str, int] = dict(Counter(map(_name, model.graph.node)))
    facts: Dict[str, Any] = {
        "emitted_opset": domains.get("ai.onnx"),
        "ir_version": model.ir_version,
        "domains": domains,
        "operators": dict(sorted(operators.items())),
        "nodes": len(model.graph.node),
        "bytes": len(data),
    }
    spatial = [node for node in model.graph.node if node.op_type in _SPATIAL]
    if spatial:
        facts["attributes"] = {_name(node): _attributes(node) for node in spatial}
    if model.functions:
        facts["functions"] = sorted(function.domain + "::" + function.name for function in model.functions)
    broken = violations(model, facts["emitted_opset"])
    if broken:
        facts["off_spec"] = broken
    return model, facts


def check(model: Any) -> str:
    """What ``onnx.checker`` says against the model; empty when nothing. Its word never decides a verdict."""
    try:
        onnx.checker.check_model(model)
    except Exception as error:  # noqa: BLE001 - whatever it raises is its answer
        return str(error).strip().splitlines()[0][:300]
    return ""


def normalise(model: Any) -> Tuple[str, bytes]:
    """Digest and bytes of the model without what does not change its meaning: producer, doc strings, metadata.

    Works in place.
    """
    for field in ("producer_name", "producer_version", "doc_string", "domain", "model_version"):
        model.ClearField(field)
    _clear(model, "metadata_props")
    _strip(model.graph)
    for function in model.functions:
        _strip(function)
    data: bytes = model.SerializeToString(deterministic=True)
    return hashlib.sha256(data).hexdigest()[:20], data


def _strip(graph: Any) -> None:
    for field in ("doc_string", "metadata_props"):
        _clear(graph, field)
    for node in graph.node:
        _clear(node, "doc_string")
        _clear(node, "metadata_props")
        for attribute in node.attribute:
            _clear(attribute, "doc_string")
    for field in ("value_info", "input", "output", "initializer"):
        for value in getattr(graph, field, ()):
            if not isinstance(value, str):
                _clear(value, "doc_string")
                _clear(value, "metadata_props")


def _clear(message: Any, field: str) -> None:
    if field in message.DESCRIPTOR.fields_by_name:
        message.ClearField(field)


def _name(node: Any) -> str:
    domain = "" if node.domain in ("", "ai.onnx") else str(node.domain) + "::"
    return domain + str(node.op_type)


def _attributes(node: Any) -> Dict[str, Any]:
    values = {}
    for attribute in node.attribute:
        value = onnx.helper.get_attribute_value(attribute)
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        elif not isinstance(value, (int, float, str)):
            value = [item for item in value] if hasattr(value, "__iter__") else str(value)  # noqa: C416
        values[attribute.name] = value
    return values
