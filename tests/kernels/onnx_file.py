"""A few hundred bytes of ONNX at a time: single-node models, written without any package.

Field numbers: onnx/onnx.proto (ModelProto, GraphProto, NodeProto, AttributeProto, ValueInfoProto).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

FLOAT, INT64, BOOL, FLOAT16, DOUBLE, INT32, UINT8 = 1, 7, 9, 10, 11, 6, 2
ELEMENT = {
    "float32": FLOAT,
    "int64": INT64,
    "bool": BOOL,
    "float16": FLOAT16,
    "float64": DOUBLE,
    "int32": INT32,
    "uint8": UINT8,
}
Attribute = int | str | Sequence[int]


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while True:
        out.append(value & 127 | (128 if value > 127 else 0))
        value >>= 7
        if not value:
            return bytes(out)


def _field(number: int, value: int | bytes | str) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _attribute(name: str, value: Attribute) -> bytes:
    out = _field(1, name)
    if isinstance(value, int):
        return out + _field(20, 2) + _field(3, value)
    if isinstance(value, str):
        return out + _field(20, 3) + _field(4, value)
    return out + _field(20, 7) + b"".join(_field(8, item) for item in value)


def node(
    op: str, inputs: Sequence[str], outputs: Sequence[str], domain: str, attributes: Mapping[str, Attribute]
) -> bytes:
    """A NodeProto."""
    out = b"".join(_field(1, name) for name in inputs) + b"".join(_field(2, name) for name in outputs)
    out += _field(4, op) + (_field(7, domain) if domain else b"")
    return out + b"".join(_field(5, _attribute(*item)) for item in attributes.items())


def _value(name: str, element: int, rank: int | None) -> bytes:
    tensor = _field(1, element)
    if rank is not None:
        tensor += _field(2, b"".join(_field(1, _field(2, f"{name}_{axis}")) for axis in range(rank)))
    return _field(1, name) + _field(2, _field(1, tensor))


def graph_model(
    nodes: Sequence[bytes],
    inputs: Mapping[str, tuple[str, int | None]],
    output: tuple[str, int | None],
    domain: str = "",
    opset: int = 11,
    ir_version: int = 6,
    functions: Sequence[bytes] = (),
) -> bytes:
    """A model of ``nodes`` with one output Y; inputs and output are (dtype name, rank), all axes dynamic."""
    graph = b"".join(_field(1, item) for item in nodes) + _field(2, "graph")
    graph += b"".join(_field(11, _value(n, ELEMENT[d], rank)) for n, (d, rank) in inputs.items())
    graph += _field(12, _value("Y", ELEMENT[output[0]], output[1]))
    out = _field(1, ir_version) + _field(7, graph) + _field(8, _field(2, opset))
    if domain:
        out += _field(8, _field(1, domain) + _field(2, 1))
    return out + b"".join(_field(25, item) for item in functions)


def model(
    op: str,
    inputs: Mapping[str, tuple[str, int | None]],
    output: tuple[str, int | None],
    attributes: Mapping[str, Attribute],
    domain: str = "custom.ops",
    opset: int = 11,
    ir_version: int = 6,
    functions: Sequence[bytes] = (),
) -> bytes:
    """A model of one node."""
    only = node(op, list(inputs), ["Y"], domain, attributes)
    return graph_model([only], inputs, output, domain, opset, ir_version, functions)


def function(
    name: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    attributes: Sequence[str],
    nodes: Sequence[bytes],
    domain: str = "custom.ops",
    opset: int = 11,
) -> bytes:
    """A FunctionProto: the body that a runtime without the native operator falls back on."""
    out = _field(1, name)
    out += b"".join(_field(4, item) for item in inputs) + b"".join(_field(5, item) for item in outputs)
    out += b"".join(_field(6, item) for item in attributes) + b"".join(_field(7, item) for item in nodes)
    return out + _field(9, _field(2, opset)) + _field(10, domain)
