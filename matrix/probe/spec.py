"""What the ONNX specification says against a file, where neither the checker nor the runtimes look.

Sources: the operator documents of the ONNX standard. GridSample-16: X and grid have rank 4, mode is bilinear, nearest
or bicubic. GridSample-20 and -22: rank r + 2, mode is linear, nearest or cubic. AffineGrid-20: theta has rank 3.
Everything else (does the operator exist at this opset, are its attributes known) is asked from ``onnx.defs``.
"""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, List, Optional

import onnx

_GRID_SAMPLE_MODES = {
    16: frozenset({"bilinear", "nearest", "bicubic"}),
    20: frozenset({"linear", "nearest", "cubic"}),
}

_SCHEMAS: Dict[Any, Any] = {}


def violations(model: Any, opset: Optional[int]) -> List[str]:
    """Rules of the specification that the nodes of the default domain break, each said once.

    ``opset`` is the file's opset of the default domain. Function bodies are looked at too.
    """
    found: List[str] = []
    if opset is None:
        return ["no opset of the default domain is declared"]
    ranks = None
    for node in model.graph.node:
        if node.domain not in ("", "ai.onnx"):
            continue
        if node.op_type == "GridSample" and ranks is None:
            ranks = _ranks(model)
        found += _node_violations(node, opset, ranks or {})
    for function in model.functions:
        versions = {item.domain: item.version for item in function.opset_import}
        for node in function.node:
            if node.domain in ("", "ai.onnx"):
                found += _node_violations(node, versions.get("", opset), {})
    return sorted(set(found))


def _node_violations(node: Any, opset: int, ranks: Dict[str, int]) -> List[str]:
    schema = _schema(node.op_type, opset)
    if schema is None:
        return ["{} does not exist at opset {}".format(node.op_type, opset)]
    found = []
    if schema["deprecated"]:
        found.append("{} is deprecated at opset {}".format(node.op_type, opset))
    unknown = {attribute.name for attribute in node.attribute} - schema["attributes"]
    if unknown:
        found.append("{}-{} has no attribute {}".format(node.op_type, schema["since"], ", ".join(sorted(unknown))))
    if node.op_type == "GridSample":
        found += _grid_sample_violations(node, schema["since"], ranks)
    return found


def _grid_sample_violations(node: Any, since: int, ranks: Dict[str, int]) -> List[str]:
    found = []
    modes = _GRID_SAMPLE_MODES[20 if since >= 20 else 16]
    mode = next((a.s.decode("utf-8", "replace") for a in node.attribute if a.name == "mode"), None)
    if mode is not None and mode not in modes:
        found.append("GridSample-{} knows no mode {}, only {}".format(since, mode, ", ".join(sorted(modes))))
    rank = ranks.get(node.input[0])
    if since < 20 and rank is not None and rank != 4:
        found.append("GridSample-{} takes rank 4, not {}".format(since, rank))
    if rank is not None and rank > 4 and mode in ("cubic", "bicubic"):
        found.append("GridSample-{} has no cubic mode beyond rank 4".format(since))
    return found


def _schema(name: str, opset: int) -> Any:
    key = (name, opset)
    if key not in _SCHEMAS:
        try:
            schema = onnx.defs.get_schema(name, opset, "")
            attributes: FrozenSet[str] = frozenset(schema.attributes)
            _SCHEMAS[key] = {
                "since": schema.since_version,
                "deprecated": schema.deprecated,
                "attributes": attributes,
            }
        except Exception:  # noqa: BLE001 - onnx.defs.SchemaError; its name moved between releases of onnx
            _SCHEMAS[key] = None
    return _SCHEMAS[key]


def _ranks(model: Any) -> Dict[str, int]:
    """Rank by value name, from what the file says, completed by shape inference."""
    graph = model.graph
    known = {}
    for value in list(graph.input) + list(graph.value_info):
        if value.type.tensor_type.HasField("shape"):
            known[value.name] = len(value.type.tensor_type.shape.dim)
    needed = {node.input[0] for node in graph.node if node.op_type == "GridSample"}
    if needed - set(known):
        try:
            inferred = onnx.shape_inference.infer_shapes(model)
        except Exception:  # noqa: BLE001 - a file that inference refuses is judged by what it declares
            return known
        for value in inferred.graph.value_info:
            if value.type.tensor_type.HasField("shape"):
                known.setdefault(value.name, len(value.type.tensor_type.shape.dim))
    return known
