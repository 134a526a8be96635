"""The routes under the dynamo exporter (PyTorch 2.5 and later).

That exporter ignores ``Function.symbolic`` and registered symbolic functions without a word.  So
while it captures the model a ``TorchFunctionMode`` replaces our operators by marker operators of
a private library, whose translation writes one node of the custom domain each; this catches
third-party code too, however it imported the function.  The bodies are added to the finished
program, at the opset that was delivered, and inlined where the route wants plain operators.
"""

import importlib
import os

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode

from . import _checks, _inline, _session, _spec
from ._formula import MODES, PADDING_MODES

_library = None


def export(original, arguments, route, domain):
    """``torch.onnx.export(dynamo=True)`` by ``route``; returns the ONNXProgram or None."""
    arguments = dict(arguments)
    target = arguments.pop("f", None)
    session = _session.Session(route, domain, arguments.get("opset_version"))
    capture = _Capture(session)
    with _session.running(session), _translations(original, arguments, session), capture:
        _session.capturing += 1
        try:
            program = original(**arguments)
        finally:
            _session.capturing -= 1
    _finish(program, session)
    if target is not None:
        _save(program, target, arguments)
    return program


# --- capturing ----------------------------------------------------------------------------


def _markers():
    """The marker operators, defined on first use."""
    global _library
    if _library is None:
        _library = torch.library.Library("onnxgrid_markers", "DEF")
        # Sizes are single numbers: 2.5 joins a symbolic list with a Concat that lacks its axis.
        sizes = {4: "SymInt n, SymInt c, SymInt h, SymInt w"}
        sizes[5] = sizes[4].replace("SymInt h", "SymInt d, SymInt h")
        for schema, function in (
            ("sample(Tensor x, Tensor grid, int key) -> Tensor", _shape_of_sample),
            ("affine4(Tensor theta, {}, int key) -> Tensor".format(sizes[4]), _shape_of_affine),
            ("affine5(Tensor theta, {}, int key) -> Tensor".format(sizes[5]), _shape_of_affine),
            ("fused4(Tensor x, Tensor theta, {}, int key) -> Tensor".format(sizes[4]), _shape_of_fused),
            ("fused5(Tensor x, Tensor theta, {}, int key) -> Tensor".format(sizes[5]), _shape_of_fused),
            ("rotate(Tensor x, int first, int second, bool swap, int key) -> Tensor", _shape_of_rotated),
        ):
            _library.define(schema)
            _library.impl(schema.split("(")[0], function, "CompositeExplicitAutograd")
    return torch.ops.onnxgrid_markers


def _shape_of_sample(x, grid, key):
    return x.new_empty(list(x.shape[:2]) + list(grid.shape[1:-1]))


def _shape_of_affine(theta, *size_and_key):
    size = size_and_key[:-1]
    return theta.new_empty([size[0]] + list(size[2:]) + [len(size) - 2])


def _shape_of_fused(x, theta, *size_and_key):
    return x.new_empty(list(x.shape[:2]) + list(size_and_key[2:-1]))


def _shape_of_rotated(x, first, second, swap, key):
    shape = list(x.shape)
    if swap:
        shape[first], shape[second] = shape[second], shape[first]
    return x.new_empty(shape)


def mark_sample(image, grid, mode, padding_mode, align_corners):
    """The marker of a checked ``grid_sample`` for the session in force."""
    session = _session.current()
    dims = image.dim() - 2
    channels = image.shape[1] if type(image.shape[1]) is int else None
    made_by = session.grids.get(id(grid)) if session.route == "fused" else None
    if made_by is not None:
        _, theta, size, grid_align = made_by
        spec = _spec.AffineGridSample(dims, mode, padding_mode, align_corners, grid_align)
        spec.channels = channels
        marker = getattr(_markers(), "fused{}".format(len(size)))
        return marker(image, theta, *size, session.number(spec, image.dtype))
    spec = _spec.GridSample(dims, mode, padding_mode, align_corners)
    spec.channels = channels
    return _markers().sample(image, grid, session.number(spec, image.dtype))


def mark_affine(theta, size, align_corners):
    """The marker of a checked ``affine_grid`` for the session in force."""
    session = _session.current()
    spec = _spec.AffineGrid(len(size) - 2, align_corners)
    marker = getattr(_markers(), "affine{}".format(len(size)))
    grid = marker(theta, *size, session.number(spec, theta.dtype))
    session.grids[id(grid)] = (grid, theta, list(size), align_corners)
    return grid


def mark_rotate(tensor, k, dims):
    """The marker of a checked ``rot90`` for the session in force."""
    session = _session.current()
    spec = _spec.Rotate(tensor.dim(), k, dims)
    first, second = spec.attributes["dims"]
    swap = bool(spec.attributes["k"] % 2)
    return _markers().rotate(tensor, first, second, swap, session.number(spec, tensor.dtype))


def _grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    _checks.check_modes(mode, padding_mode)
    align_corners = _checks.resolve_align_corners("grid_sample", align_corners)
    _checks.check_grid_sample(input, grid, mode)
    return mark_sample(input, grid, mode, padding_mode, align_corners)


def _grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners):
    mode, padding_mode = MODES[interpolation_mode], PADDING_MODES[padding_mode]
    return _grid_sample(input, grid, mode, padding_mode, align_corners)


def _affine_grid(theta, size, align_corners=None):
    align_corners = _checks.resolve_align_corners("affine_grid", align_corners)
    _checks.check_affine_grid(theta, size, align_corners)
    return mark_affine(theta, size, align_corners)


def _rot90(input, k=1, dims=(0, 1)):
    return mark_rotate(input, k, dims)


_REPLACED = {
    F.grid_sample: _grid_sample,
    F.affine_grid: _affine_grid,
    torch.grid_sampler: _grid_sampler,
    torch.grid_sampler_2d: _grid_sampler,
    torch.grid_sampler_3d: _grid_sampler,
    torch.affine_grid_generator: _affine_grid,
    torch.rot90: _rot90,
    torch.Tensor.rot90: _rot90,
}


class _Capture(TorchFunctionMode):
    """Replaces our operators while a model is captured for ``session``."""

    def __init__(self, session):
        super().__init__()
        self.session = session

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return _REPLACED.get(func, func)(*args, **(kwargs or {}))


# --- translating --------------------------------------------------------------------------


class _translations:
    """Context manager: the exporter translates the markers of ``session``."""

    def __init__(self, original, arguments, session):
        table = _table(session)
        self._registry = None
        import inspect

        if "custom_translation_table" in inspect.signature(original).parameters:
            given = arguments.get("custom_translation_table") or {}
            arguments["custom_translation_table"] = {**given, **table}
            return
        # 2.5 has no such argument; its registry is filled by a class method.
        registration = importlib.import_module("torch.onnx._internal.exporter._registration")
        schemas = importlib.import_module("torch.onnx._internal.exporter._schemas")
        self._registry = registration.ONNXRegistry
        self._from_torchlib = self._registry.__dict__["from_torchlib"]
        fill = self._registry.from_torchlib

        def from_torchlib():
            registry = fill()
            for target, translation in table.items():
                translation.signature = schemas.OpSignature.from_function(
                    translation, session.domain, translation.name
                )
                registry.register_op(target, translation)
            return registry

        self._replacement = staticmethod(from_torchlib)

    def __enter__(self):
        if self._registry is not None:
            self._registry.from_torchlib = self._replacement

    def __exit__(self, *exc):
        if self._registry is not None:
            self._registry.from_torchlib = self._from_torchlib


def _table(session):
    from typing import Union

    from onnxscript import opset18 as op
    from onnxscript import values
    from onnxscript.onnx_types import BFLOAT16, BOOL, DOUBLE, FLOAT, FLOAT16, INT32, INT64, UINT8

    tensor = Union[FLOAT, DOUBLE, FLOAT16, BFLOAT16]
    anything = Union[FLOAT, DOUBLE, FLOAT16, BFLOAT16, INT64, INT32, UINT8, BOOL]

    def node(key, *inputs):
        return _operator(values, session, key)(*inputs, **session.entry(key)[1].attributes)

    def size(*extents):
        one = op.Constant(value_ints=[1])
        return op.Concat(*[op.Reshape(extent, one) for extent in extents], axis=0)

    def sample(x: tensor, grid: tensor, key: int):
        return node(key, x, grid)

    def affine4(theta: tensor, n: INT64, c: INT64, h: INT64, w: INT64, key: int):
        return node(key, theta, size(n, c, h, w))

    def affine5(theta: tensor, n: INT64, c: INT64, d: INT64, h: INT64, w: INT64, key: int):
        return node(key, theta, size(n, c, d, h, w))

    def fused4(x: tensor, theta: tensor, n: INT64, c: INT64, h: INT64, w: INT64, key: int):
        return node(key, x, theta, size(n, c, h, w))

    def fused5(
        x: tensor, theta: tensor, n: INT64, c: INT64, d: INT64, h: INT64, w: INT64, key: int
    ):
        return node(key, x, theta, size(n, c, d, h, w))

    def rotate(x: anything, first: int, second: int, swap: bool, key: int):
        return node(key, x)

    opset = values.Opset(session.domain, _spec.DOMAIN_VERSION)
    markers = _markers()
    return {
        getattr(markers, f.__name__).default: values.TracedOnnxFunction(opset, f)
        for f in (sample, affine4, affine5, fused4, fused5, rotate)
    }


def _operator(values, session, key):
    """The callable that records a node of the operator ``key``, with a schema made for it."""
    import onnx

    spec, domain = session.entry(key)[1], session.node_domain(key)
    schema_class = onnx.defs.OpSchema
    kinds = {str: "STRING", int: "INT", list: "INTS"}
    schema = schema_class(
        session.node_name(key),
        domain,
        1,
        inputs=[
            schema_class.FormalParameter(label, "I" if label == "size" else "T")
            for label in spec.inputs
        ],
        outputs=[schema_class.FormalParameter("Y", "T")],
        type_constraints=[
            ("T", ["tensor({})".format(t) for t in _ELEMENT_TYPES], ""),
            ("I", ["tensor(int64)"], ""),
        ],
        attributes=[
            schema_class.Attribute(
                label, getattr(schema_class.AttrType, kinds[type(value)]), required=False
            )
            for label, value in spec.attributes.items()
        ],
    )
    return values.Op(values.Opset(domain, 1), session.node_name(key), schema)


_ELEMENT_TYPES = (
    "float", "double", "float16", "bfloat16",
    "int64", "int32", "int16", "int8", "uint8", "bool",
)


# --- finishing ----------------------------------------------------------------------------


def _finish(program, session):
    """Add the bodies to the program, inlined unless the route wants custom nodes."""
    import onnx

    model = program.model
    left = sorted(
        {n.op_type for n in model.graph if n.domain in ("", "ai.onnx")} & {"GridSample", "AffineGrid"}
    )
    if left and session.route != "auto":
        raise RuntimeError(
            "onnxgrid: {} was captured before the route '{}' could take it; pass the module "
            "itself to torch.onnx.export, not an exported program or a scripted module".format(
                " and ".join(left), session.route
            )
        )
    if not session.functions:
        return
    ir = importlib.import_module(type(model).__module__.split("._")[0])
    opset = model.opset_imports[""]
    keep = session.route in ("custom", "fused")
    bodies = session.bodies(opset)
    model.opset_imports[session.domain] = _spec.DOMAIN_VERSION
    if session.route == "contrib":
        model.opset_imports[_session.CONTRIB_DOMAIN] = 1
    for body in bodies:
        part = ir.serde.deserialize_function(onnx.FunctionProto.FromString(body))
        model.functions[part.identifier()] = part
    if keep:
        model.ir_version = max(model.ir_version or 0, 8)
        return
    proto = onnx.ModelProto.FromString(_inline.inline_bytes(program.model_proto.SerializeToString()))
    program.model = ir.serde.deserialize_model(proto)


def _save(program, target, arguments):
    if not isinstance(target, (str, os.PathLike)):
        target.write(program.model_proto.SerializeToString())
        return
    program.save(
        target,
        include_initializers=arguments.get("export_params", True),
        keep_initializers_as_inputs=arguments.get("keep_initializers_as_inputs", False),
        external_data=arguments.get("external_data", True),
    )
