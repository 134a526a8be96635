"""Just enough of the protobuf wire format to read and extend ONNX files without ``onnx``.

Field numbers are those of onnx.proto (ModelProto, GraphProto, NodeProto, AttributeProto,
TensorProto, FunctionProto).  Messages are kept as lists of (field, wire type, payload), so what
we do not know survives unchanged.
"""

import struct

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class Model:
    IR_VERSION, GRAPH, OPSET_IMPORT, FUNCTIONS = 1, 7, 8, 25


class Graph:
    NODE, NAME, INITIALIZER, INPUT, OUTPUT, VALUE_INFO = 1, 2, 5, 11, 12, 13


class Node:
    INPUT, OUTPUT, NAME, OP_TYPE, ATTRIBUTE, DOC, DOMAIN = 1, 2, 3, 4, 5, 6, 7


class Attribute:
    NAME, F, I, S, T, G, FLOATS, INTS, STRINGS, TENSORS, GRAPHS = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    TYPE, REF_NAME = 20, 21
    TYPE_F, TYPE_I, TYPE_S, TYPE_T, TYPE_FLOATS, TYPE_INTS, TYPE_STRINGS = 1, 2, 3, 4, 6, 7, 8


class Function:
    NAME, INPUT, OUTPUT, ATTRIBUTE, NODE, DOC, OPSET_IMPORT, DOMAIN = 1, 4, 5, 6, 7, 8, 9, 10


class OpsetId:
    DOMAIN, VERSION = 1, 2


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, payload):
    """One field: an int becomes a varint, a float fixed32, str and bytes are delimited."""
    if isinstance(payload, int):
        return varint(number << 3 | VARINT) + varint(payload)
    if isinstance(payload, float):
        return varint(number << 3 | FIXED32) + struct.pack("<f", payload)
    data = payload.encode() if isinstance(payload, str) else payload
    return varint(number << 3 | BYTES) + varint(len(data)) + data


def read_varint(data, position):
    number = shift = 0
    while True:
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, position
        shift += 7


def fields(data):
    """(field, wire type, payload) of each field: an int for varints, else a memoryview."""
    data = memoryview(data)
    position = 0
    while position < len(data):
        tag, position = read_varint(data, position)
        number, wire = tag >> 3, tag & 7
        if wire == VARINT:
            payload, position = read_varint(data, position)
        else:
            if wire == BYTES:
                size, position = read_varint(data, position)
            elif wire in (FIXED32, FIXED64):
                size = 4 if wire == FIXED32 else 8
            else:
                raise ValueError("not an ONNX file: unknown wire type {}".format(wire))
            payload = data[position : position + size]
            if len(payload) != size:
                raise ValueError("not a complete ONNX file: it ends inside a field")
            position += size
        yield number, wire, payload


def raw(number, wire, payload):
    """The inverse of one step of ``fields``."""
    head = varint(number << 3 | wire)
    if wire == VARINT:
        return head + varint(payload)
    if wire == BYTES:
        return head + varint(len(payload)) + bytes(payload)
    return head + bytes(payload)


def text(payload):
    return bytes(payload).decode()


def tensor(value):
    """TensorProto of a torch tensor."""
    from ._nodes import ONNX_DTYPES  # needs torch, which is not there where files are only inlined

    value = value.detach().cpu().contiguous()
    out = b"".join(field(1, int(extent)) for extent in value.shape)
    out += field(2, ONNX_DTYPES[value.dtype])
    return out + field(9, value.numpy().tobytes())


def attribute(name, value):
    """AttributeProto of an int, float, str, tensor or a list of int or str."""
    out = field(Attribute.NAME, name)
    if isinstance(value, int):
        return out + field(Attribute.I, value) + field(Attribute.TYPE, Attribute.TYPE_I)
    if isinstance(value, float):
        return out + field(Attribute.F, value) + field(Attribute.TYPE, Attribute.TYPE_F)
    if isinstance(value, str):
        return out + field(Attribute.S, value) + field(Attribute.TYPE, Attribute.TYPE_S)
    if hasattr(value, "detach"):
        return out + field(Attribute.T, tensor(value)) + field(Attribute.TYPE, Attribute.TYPE_T)
    strings = bool(value) and isinstance(value[0], str)
    number = Attribute.STRINGS if strings else Attribute.INTS
    kind = Attribute.TYPE_STRINGS if strings else Attribute.TYPE_INTS
    return out + b"".join(field(number, item) for item in value) + field(Attribute.TYPE, kind)


def node(op, inputs, outputs, attributes, domain="", name=""):
    """NodeProto."""
    out = b"".join(field(Node.INPUT, item) for item in inputs)
    out += b"".join(field(Node.OUTPUT, item) for item in outputs)
    out += field(Node.NAME, name) + field(Node.OP_TYPE, op)
    for key in sorted(attributes):
        out += field(Node.ATTRIBUTE, attribute(key, attributes[key]))
    return out + (field(Node.DOMAIN, domain) if domain else b"")


def opset_id(domain, version):
    """OperatorSetIdProto."""
    return field(OpsetId.DOMAIN, domain) + field(OpsetId.VERSION, version)
