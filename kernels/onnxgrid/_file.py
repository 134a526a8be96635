"""Reading the head of an exported file and finishing it by appending."""

import io
import os

from . import _proto


class Head:
    """IR version and opsets of a model, read without loading the graph."""

    def __init__(self, ir_version, opsets):
        self.ir_version = ir_version
        self.opsets = opsets


def read_head(stream):
    """``Head`` of the model in a binary stream, from its start; skips the graph."""
    stream.seek(0)
    ir_version, opsets = 0, {}
    while True:
        tag = _stream_varint(stream)
        if tag is None:
            return Head(ir_version, opsets)
        number, wire = tag >> 3, tag & 7
        if wire == _proto.VARINT:
            value = _stream_varint(stream)
            if number == _proto.Model.IR_VERSION:
                ir_version = value
            continue
        size = {_proto.FIXED32: 4, _proto.FIXED64: 8}.get(wire)
        if size is None:
            size = _stream_varint(stream)
        if number == _proto.Model.OPSET_IMPORT:
            domain, version = opset_of(stream.read(size))
            opsets[domain] = version
        else:
            stream.seek(size, io.SEEK_CUR)


def opset_of(data):
    """(domain, version) of an OperatorSetIdProto; the ONNX domain is "", also where spelled out."""
    domain, version = "", 0
    for number, _, payload in _proto.fields(data):
        if number == _proto.OpsetId.DOMAIN:
            domain = _proto.text(payload)
        elif number == _proto.OpsetId.VERSION:
            version = payload
    return "" if domain == "ai.onnx" else domain, version


def _stream_varint(stream):
    number = shift = 0
    while True:
        byte = stream.read(1)
        if not byte:
            return None
        number |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return number
        shift += 7


def write_atomically(path, data):
    """Write ``data`` beside ``path`` and move it there."""
    path = os.fspath(path)
    partial = path + ".part"
    with open(partial, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(partial, path)


def finish(target, session):
    """Append the function bodies that ``session`` collected to a path or a seekable stream."""
    if not session.functions:
        return
    if isinstance(target, (str, os.PathLike)):
        with open(os.fspath(target), "r+b") as stream:
            _append(stream, session)
    elif hasattr(target, "seek") and hasattr(target, "read"):
        _append(target, session)
    else:
        raise TypeError(
            "onnxgrid: export to a path or a BytesIO; {} cannot be read back, which route "
            "'{}' needs to add its function bodies".format(type(target).__name__, session.route)
        )


def _append(stream, session):
    trailer = session.trailer(read_head(stream))
    stream.seek(0, io.SEEK_END)
    stream.write(trailer)
