"""One spelling for files that differ in names only, so that each distinct model is judged once.

Names of values and nodes inside a graph, of symbolic dimensions, and the order of attributes, initialisers and value
infos say nothing about what a file computes. What a caller can see stays: names of inputs and outputs, operators and
their versions, initialisers' values, function names, IR version, order of nodes. The result is only hashed, never run.
"""

from __future__ import annotations

import hashlib
from typing import Any, Dict, Iterator, List, Set

import onnx

GRAPH, GRAPHS = onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS


def digest(model: Any) -> str:
    """Twenty hex digits that are equal for equal models; works in place."""
    canonicalise(model)
    data: bytes = model.SerializeToString(deterministic=True)
    return hashlib.sha256(data).hexdigest()[:20]


def canonicalise(model: Any) -> None:
    """Give everything that only has a name for the file's own use its canonical one, in place; idempotent.

    A model with training information stays as it is: its names are used from outside the graph.
    """
    if model.training_info:
        return
    for field in ("producer_name", "producer_version", "domain", "model_version"):
        model.ClearField(field)
    _forget(model)
    _sort(model.opset_import, lambda item: item.domain)
    interface = {value.name for value in list(model.graph.input) + list(model.graph.output)}
    names = _Names(interface)
    _Graph(model.graph, names, {name: name for name in interface}).rewrite()
    for function in model.functions:
        _sort(function.opset_import, lambda item: item.domain)
        _forget(function)
        _function(function)


class _Names:
    """Hands out ``v0``, ``v1``, … for values, ``d0``, … for dimensions and ``n0``, … for nodes, once each."""

    def __init__(self, taken: Set[str]) -> None:
        self._taken = taken
        self._counts: Dict[str, int] = {}
        self.dimensions: Dict[str, str] = {}

    def new(self, kind: str) -> str:
        while True:
            number = self._counts.get(kind, 0)
            self._counts[kind] = number + 1
            name = kind + str(number)
            if name not in self._taken:
                return name

    def dimension(self, name: str) -> str:
        if name not in self.dimensions:
            self.dimensions[name] = self.new("d")
        return self.dimensions[name]


class _Graph:
    """A graph with the canonical names of all values that it can see; outer graphs' values come in with ``known``."""

    def __init__(self, graph: Any, names: _Names, known: Dict[str, str]) -> None:
        self._graph = graph
        self._names = names
        self._known = known

    def rewrite(self) -> None:
        graph, known = self._graph, self._known
        graph.name = "g"
        _forget(graph)
        own = {tensor.name for tensor in graph.initializer} | {item.values.name for item in graph.sparse_initializer}
        for value in list(graph.input) + list(graph.output):
            self._dimensions(value)
        for node in graph.node:
            self._node(node, own)
        for name in own:  # initialisers that no node uses
            self._define(name)
        for value in graph.output:
            value.name = known.get(value.name, value.name)
        for value in graph.value_info:
            value.name = known.get(value.name, value.name)
        _sort(graph.value_info, lambda value: value.name)
        for value in graph.value_info:
            self._dimensions(value)
        for tensor in graph.initializer:
            tensor.name = known[tensor.name]
        for item in graph.sparse_initializer:
            item.values.name = known[item.values.name]
        for note in graph.quantization_annotation:
            note.tensor_name = known.get(note.tensor_name, note.tensor_name)
            for entry in note.quant_parameter_tensor_names:
                entry.value = known.get(entry.value, entry.value)
        _sort(graph.quantization_annotation, lambda note: note.tensor_name)
        _sort(graph.initializer, lambda tensor: (len(tensor.name), tensor.name))

    def _node(self, node: Any, own: Set[str]) -> None:
        node.name = self._names.new("n")
        _forget(node)
        _sort(node.attribute, lambda attribute: attribute.name)
        for position, name in enumerate(node.input):
            if name in own:
                self._define(name)
            node.input[position] = self._known.get(name, name)
        for subgraph in _subgraphs(node):
            for name in _captured(subgraph):
                if name in own:
                    self._define(name)
            inner = dict(self._known)
            for value in subgraph.input:
                inner[value.name] = self._names.new("v")
            nested = _Graph(subgraph, self._names, inner)
            for value in subgraph.input:
                value.name = inner[value.name]
            nested.rewrite()
        for position, name in enumerate(node.output):
            if name:
                self._define(name)
                node.output[position] = self._known[name]

    def _define(self, name: str) -> None:
        if name not in self._known:
            self._known[name] = self._names.new("v")

    def _dimensions(self, value: Any) -> None:
        _clear(value, "doc_string")
        _clear(value, "metadata_props")
        for dimension in _shape(value.type):
            if dimension.HasField("dim_param"):
                dimension.dim_param = self._names.dimension(dimension.dim_param)


def _function(function: Any) -> None:
    interface = set(function.input) | set(function.output)
    body = onnx.GraphProto()
    body.node.extend(function.node)
    if "value_info" in function.DESCRIPTOR.fields_by_name:
        function.ClearField("value_info")
    _Graph(body, _Names(interface), {name: name for name in interface}).rewrite()
    del function.node[:]
    function.node.extend(body.node)


def _subgraphs(node: Any) -> Iterator[Any]:
    for attribute in node.attribute:
        if attribute.type == GRAPH:
            yield attribute.g
        elif attribute.type == GRAPHS:
            yield from attribute.graphs


def _captured(graph: Any) -> Iterator[str]:
    """Names that the graph or the graphs in it read, in order."""
    for node in graph.node:
        yield from node.input
        for subgraph in _subgraphs(node):
            yield from _captured(subgraph)
    for value in graph.output:
        yield value.name


def _shape(kind: Any) -> Iterator[Any]:
    which = kind.WhichOneof("value")
    if which in ("tensor_type", "sparse_tensor_type"):
        yield from getattr(kind, which).shape.dim
    elif which in ("sequence_type", "optional_type"):
        yield from _shape(getattr(kind, which).elem_type)


def _sort(items: Any, key: Any) -> None:
    ordered: List[Any] = sorted(items, key=key)
    if ordered != list(items):
        copies = [type(item).FromString(item.SerializeToString()) for item in ordered]
        del items[:]
        items.extend(copies)


def _forget(message: Any) -> None:
    for field in ("doc_string", "metadata_props"):
        _clear(message, field)
    for attribute in getattr(message, "attribute", ()):
        if not isinstance(attribute, str):
            attribute.ClearField("doc_string")


def _clear(message: Any, field: str) -> None:
    if field in message.DESCRIPTOR.fields_by_name:
        message.ClearField(field)
