"""Writing our operators into the graph that the TorchScript exporter is building."""

import torch
from torch.onnx import symbolic_helper

from . import _session
from ._function import build, tensor_dtype
from ._lowering import GridNodes, float_dtype
from ._nodes import FLOAT, INT, Var
from ._spec import AffineGrid, AffineGridSample, GridSample, Rotate

_MODES = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")
_SHIM = _session.Session("shim")


def export_opset():
    """The opset that the running TorchScript export was asked for."""
    try:
        from torch.onnx._internal.torchscript_exporter._globals import GLOBALS  # 2.9 and later
    except ImportError:
        try:
            from torch.onnx._globals import GLOBALS  # 1.12 and later
        except ImportError:
            return symbolic_helper._export_onnx_opset_version
    return GLOBALS.export_onnx_opset_version


class TracedNodes(GridNodes):
    """Nodes of the graph ``g``; native values are ``torch._C.Value``."""

    def __init__(self, g, opset, dtype, dims):
        super().__init__(opset, dtype, dims)
        self.g = g
        self._static = has_static_inputs(g)

    def emit(self, op, inputs, attributes, outputs):
        suffixed = {}
        for key, value in attributes.items():
            sample = value[0] if isinstance(value, list) and value else value
            suffix = {int: "i", float: "f", str: "s"}.get(type(sample), "t")
            suffixed["{}_{}".format(key, suffix)] = value
        result = self.g.op(op, *inputs, outputs=outputs, **suffixed)
        return list(result) if outputs > 1 else [result]

    def close(self):
        """Let go of the graph: a Python reference to it that outlives the symbolic function
        (ours would, in a cycle) makes the exporter's next pass fail on 1.x.
        """
        self.g = None
        self._constants.clear()
        self._shapes.clear()

    def static_shape(self, var):
        return shape_of(self.native(var)) if self._static else None


def has_static_inputs(g):
    """Whether no axis of any input is dynamic.

    Only then are recorded extents trusted: behind operators without shape inference they are
    those of the example, whatever axes are dynamic.
    """
    return all(
        not isinstance(kind, torch._C.TensorType) or None not in (kind.varyingSizes() or [None])
        for kind in (value.type() for value in g.inputs())
    )


def shape_of(value):
    """Extents of a traced value, None where dynamic; None if not even the rank is known."""
    kind = value.type()
    return kind.varyingSizes() if hasattr(kind, "varyingSizes") else None


def dtype_of(value):
    kind = value.type()
    return tensor_dtype(kind.scalarType() if hasattr(kind, "scalarType") else None)


def _constant(value, kind):
    return symbolic_helper._maybe_get_const(value, kind)


def _set_type(result, like, shape):
    """Annotate ``result`` with dtype and shape; dynamic extents stay unknown."""
    kind = like.type()
    if shape is None or not hasattr(kind, "with_sizes"):
        return
    try:
        result.setType(kind.with_sizes(shape))
    except (RuntimeError, TypeError):
        # Releases whose types cannot hold unknown extents keep what the tracer recorded.
        return


def write(g, spec, *values):
    """Write ``spec`` applied to ``values`` by the route in force; returns the result's value."""
    session = _session.current() or _SHIM
    if session.route == "fused" and isinstance(spec, GridSample):
        spec, values = _fuse(spec, session, values)
    if spec.inputs[0] == "X":
        spec.channels = (shape_of(values[0]) or [None, None])[1]
    if session.route in ("custom", "fused"):
        return _write_custom(g, spec, session, values)
    if session.route == "contrib" and spec.in_contrib():
        return _write_contrib(g, spec, values)
    return _write_nodes(g, spec, session, values)


def _fuse(spec, session, values):
    """``spec`` with the affine grid that feeds it, if one does (its node is left unused)."""
    image, grid = values
    source = grid.node()
    if source.kind() != "{}::AffineGrid".format(session.domain):
        return spec, values
    a = spec.attributes
    fused = AffineGridSample(
        spec.dims, a["mode"], a["padding_mode"], a["align_corners"], source.i("align_corners")
    )
    theta, size = list(source.inputs())
    return fused, (image, theta, size)


def write_custom(g, spec, *values):
    """Write ``spec`` as a node of the custom domain, whatever the route."""
    return _write_custom(g, spec, _session.current() or _session.Session("custom"), values)


def rank_of(value):
    """Number of dimensions of a traced value; RuntimeError where the tracer lost it."""
    shape = shape_of(value)
    if shape is None:
        raise RuntimeError(
            "onnxgrid: the rank of an input is unknown where it is exported; the operator that "
            "makes it lacks shape inference (give its symbolic function a setType)"
        )
    return len(shape)


def spatial_dims(image, grid):
    """Spatial dimensions of a sampling; 2 where the tracer lost both ranks."""
    shape = shape_of(image) or shape_of(grid)
    return 2 if shape is None else len(shape) - 2


def affine_dims(theta, size):
    """Spatial dimensions of an affine grid; 2 where the tracer lost both shapes."""
    shape = shape_of(theta)
    if shape is not None and shape[1] is not None:
        return shape[1]
    shape = shape_of(size)
    return 2 if shape is None or shape[0] is None else shape[0] - 2


def _write_nodes(g, spec, session, values):
    dtype = dtype_of(values[0])
    compute = float_dtype(dtype)
    nodes = TracedNodes(g, export_opset(), compute, spec.dims)
    try:
        inputs = list(_inputs(nodes, spec, values))
        dtypes = [dtype_of(value) for value in values]
        native = session.route == "auto"
        return nodes.native(build(nodes, spec, inputs, dtype, dtypes, native))
    finally:
        nodes.close()


def _inputs(nodes, spec, values):
    for label, value in zip(spec.inputs, values):
        known = _constant(value, "is") if label == "size" else value
        if isinstance(known, torch._C.Value):
            yield Var(nodes, INT if label == "size" else FLOAT, value)
        else:
            yield nodes.ints(list(known))


def _write_custom(g, spec, session, values):
    name = session.function_name(spec, dtype_of(values[0]))
    return _write_operator(g, session.domain, name, spec, values)


def _write_contrib(g, spec, values):
    return _write_operator(g, _session.CONTRIB_DOMAIN, spec.name, spec, values)


def _write_operator(g, domain, name, spec, values):
    attributes = {
        key + ("_s" if isinstance(value, str) else "_i"): value
        for key, value in spec.attributes.items()
    }
    result = g.op("{}::{}".format(domain, name), *values, **attributes)
    shapes = [shape_of(value) for value in values]
    if shapes[0] is not None and (len(shapes) == 1 or shapes[1] is not None):
        _set_type(result, values[0], spec.output_shape(*shapes))
    return result


# --- symbolic functions of PyTorch's own operators ----------------------------------------


def grid_sampler(g, image, grid, mode, padding_mode, align_corners):
    """``aten::grid_sampler`` and its 2-D and 3-D forms."""
    dims = spatial_dims(image, grid)
    mode = _MODES[_constant(mode, "i")]
    padding_mode = _PADDINGS[_constant(padding_mode, "i")]
    align_corners = bool(_constant(align_corners, "b"))
    return write(g, GridSample(dims, mode, padding_mode, align_corners), image, grid)


def affine_grid_generator(g, theta, size, align_corners):
    """``aten::affine_grid_generator``."""
    size, dims = _size_vector(g, size)
    return write(g, AffineGrid(dims, bool(_constant(align_corners, "b"))), theta, size)


def rot90(g, tensor, k=1, dims=(0, 1)):
    """``aten::rot90``."""
    spec = Rotate(rank_of(tensor), _constant(k, "i"), _constant(dims, "is"))
    return write(g, spec, tensor)


def _size_vector(g, size):
    """An output size as an int64 vector value, and its number of spatial dimensions."""
    constant = _constant(size, "is")
    if not isinstance(constant, torch._C.Value):
        data = torch.tensor([int(item) for item in constant], dtype=torch.int64)
        return g.op("Constant", value_t=data), len(data) - 2
    if not symbolic_helper._is_packed_list(size):
        shape = shape_of(size)
        return size, (shape[0] if shape and shape[0] else 4) - 2
    entries = []
    for item in symbolic_helper._unpack_list(size):
        number = _constant(item, "i")
        if isinstance(number, torch._C.Value):
            one = g.op("Constant", value_t=torch.tensor([1], dtype=torch.int64))
            kept = {"allowzero_i": 0} if export_opset() >= 14 else {}
            entries.append(g.op("Reshape", item, one, **kept))
        else:
            entries.append(g.op("Constant", value_t=torch.tensor([int(number)])))
    return g.op("Concat", *entries, axis_i=0), len(entries) - 2


SYMBOLICS = {
    "grid_sampler": grid_sampler,
    "grid_sampler_2d": grid_sampler,
    "grid_sampler_3d": grid_sampler,
    "affine_grid_generator": affine_grid_generator,
    "rot90": rot90,
}
