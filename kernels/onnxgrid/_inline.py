"""Replacing calls of model-local functions by their nodes, on the wire format."""

import os

from . import _file
from . import _proto as p


def inline(model, path=None):
    """The plain form of ``model``: every model-local function call replaced by its body.

    What remains runs in runtimes that know no functions (OpenVINO, onnxruntime before 1.9).
    ``model`` is a path, the bytes of a file, or an ``onnx.ModelProto``; bytes come back for the
    first two and a ModelProto for the last.  With ``path`` the result is also written there.
    Weights in external files stay where they are: write beside the original.

    Raises ValueError where the file is not a complete ONNX model, where a function needs another
    opset than the model has, or where functions call each other in a circle.
    """
    if isinstance(model, (str, os.PathLike)):
        with open(os.fspath(model), "rb") as stream:
            data = stream.read()
    elif isinstance(model, (bytes, bytearray, memoryview)):
        data = bytes(model)
    else:
        data = model.SerializeToString()
    result = inline_bytes(data)
    if path is not None:
        _file.write_atomically(path, result)
    if hasattr(model, "SerializeToString"):
        return type(model).FromString(result)
    return result


def inline_bytes(data):
    """``inline`` from bytes to bytes."""
    parts = list(p.fields(data))
    opsets = dict(_file.opset_of(x) for number, _, x in parts if number == p.Model.OPSET_IMPORT)
    functions = {}
    for number, _, payload in parts:
        if number == p.Model.FUNCTIONS:
            function = _Function(payload)
            functions[function.domain, function.name] = function
    if not functions:
        return bytes(data)
    for function in functions.values():
        function.check(opsets)
    writer = _Inliner(functions)
    # A file finished by us records two: the exporter's own, then the one that functions need.
    # Where only the latter is left, opsets up to 14 can do with 7, which onnxruntime 1.7 reads.
    ir_version = next(x for number, _, x in parts if number == p.Model.IR_VERSION)
    if opsets.get("", 0) <= 14:
        ir_version = min(ir_version, 7)
    out = [p.field(p.Model.IR_VERSION, ir_version)]
    for number, wire, payload in parts:
        if number == p.Model.IR_VERSION:
            continue
        if number == p.Model.GRAPH:
            out.append(p.field(number, writer.graph(payload, _Names("", {}))))
        elif number == p.Model.OPSET_IMPORT:
            domain = _file.opset_of(payload)[0]
            if domain in writer.domains or domain not in {key[0] for key in functions}:
                out.append(p.raw(number, wire, payload))
        elif number != p.Model.FUNCTIONS:
            out.append(p.raw(number, wire, payload))
    return b"".join(out)


class _Function:
    def __init__(self, payload):
        self.name = self.domain = ""
        self.inputs, self.outputs, self.nodes, self.opsets = [], [], [], {}
        for number, _, part in p.fields(payload):
            if number == p.Function.NAME:
                self.name = p.text(part)
            elif number == p.Function.DOMAIN:
                self.domain = p.text(part)
            elif number == p.Function.INPUT:
                self.inputs.append(p.text(part))
            elif number == p.Function.OUTPUT:
                self.outputs.append(p.text(part))
            elif number == p.Function.NODE:
                self.nodes.append(part)
            elif number == p.Function.OPSET_IMPORT:
                domain, version = _file.opset_of(part)
                self.opsets[domain] = version

    def check(self, opsets):
        for domain, version in self.opsets.items():
            if opsets.get(domain, version) != version:
                raise ValueError(
                    "inline: function {}::{} needs opset {} of {!r}, the model has {}; export the "
                    "model again at that opset".format(
                        self.domain, self.name, version, domain or "ai.onnx", opsets[domain]
                    )
                )


class _Names:
    """How names of a body read in the graph around the call; "" stays "no value"."""

    def __init__(self, prefix, known, attributes=None, active=()):
        self.prefix = prefix
        self.known = known
        self.attributes = attributes
        self.active = active

    def of(self, name):
        if not name or not self.prefix:
            return name
        return self.known.get(name, self.prefix + name)


class _Inliner:
    """Copies graphs, expanding calls; ``domains`` collects the domains of what remains."""

    def __init__(self, functions):
        self.functions = functions
        self.domains = set()
        self._calls = 0

    def graph(self, payload, names):
        out = []
        for number, wire, part in p.fields(payload):
            if number == p.Graph.NODE:
                for node in self.node(part, names):
                    out.append(p.field(p.Graph.NODE, node))
            elif names.prefix and number in (p.Graph.INPUT, p.Graph.OUTPUT, p.Graph.VALUE_INFO):
                out.append(p.field(number, _renamed(part, 1, names)))
            elif names.prefix and number == p.Graph.INITIALIZER:
                out.append(p.field(number, _renamed(part, 8, names)))
            else:
                out.append(p.raw(number, wire, part))
        return b"".join(out)

    def node(self, payload, names):
        """The serialized nodes that stand for one node."""
        parts = list(p.fields(payload))
        texts = {number: p.text(x) for number, _, x in parts if number in (p.Node.OP_TYPE, p.Node.DOMAIN)}
        domain, op = texts.get(p.Node.DOMAIN, ""), texts.get(p.Node.OP_TYPE, "")
        function = self.functions.get((domain, op))
        if function is not None:
            return self._expand(function, parts, names)
        self.domains.add("" if domain == "ai.onnx" else domain)
        out = []
        for number, wire, part in parts:
            if number in (p.Node.INPUT, p.Node.OUTPUT):
                out.append(p.field(number, names.of(p.text(part))))
            elif number == p.Node.NAME and names.prefix:
                out.append(p.field(number, names.prefix + p.text(part)))
            elif number == p.Node.ATTRIBUTE:
                out.extend(p.field(number, x) for x in self._attribute(part, names))
            else:
                out.append(p.raw(number, wire, part))
        return [b"".join(out)]

    def _attribute(self, payload, names):
        """The attribute with references resolved and graphs copied; none if it is left out."""
        parts = list(p.fields(payload))
        found = {number: part for number, _, part in parts}
        if p.Attribute.REF_NAME in found and names.attributes is not None:
            given = names.attributes.get(p.text(found[p.Attribute.REF_NAME]))
            if given is None:
                return []
            name = p.field(p.Attribute.NAME, p.text(found[p.Attribute.NAME]))
            rest = [p.raw(*x) for x in p.fields(given) if x[0] != p.Attribute.NAME]
            return [name + b"".join(rest)]
        out = []
        for number, wire, part in parts:
            if number in (p.Attribute.G, p.Attribute.GRAPHS) and wire == p.BYTES:
                out.append(p.field(number, self.graph(part, names)))
            else:
                out.append(p.raw(number, wire, part))
        return [b"".join(out)]

    def _expand(self, function, parts, names):
        key = (function.domain, function.name)
        if key in names.active:
            raise ValueError("inline: function {}::{} calls itself".format(*key))
        inputs = [names.of(p.text(x)) for number, _, x in parts if number == p.Node.INPUT]
        outputs = [names.of(p.text(x)) for number, _, x in parts if number == p.Node.OUTPUT]
        attributes = {}
        for number, _, part in parts:
            if number == p.Node.ATTRIBUTE:
                for item in self._attribute(part, names):
                    label = next(x for n, _, x in p.fields(item) if n == p.Attribute.NAME)
                    attributes[p.text(label)] = item
        known = dict.fromkeys(function.inputs, "")
        known.update(zip(function.inputs, inputs))
        known.update((k, v) for k, v in zip(function.outputs, outputs) if v)
        self._calls += 1
        prefix = "{}_{}/".format(function.name, self._calls)
        inner = _Names(prefix, known, attributes, names.active + (key,))
        return [x for node in function.nodes for x in self.node(node, inner)]


def _renamed(payload, name_field, names):
    out = []
    for number, wire, part in p.fields(payload):
        if number == name_field:
            out.append(p.field(number, names.of(p.text(part))))
        else:
            out.append(p.raw(number, wire, part))
    return b"".join(out)
