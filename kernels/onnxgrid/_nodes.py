"""Values and arithmetic of an ONNX graph under construction.

``Var`` is a value with operators; ``Nodes`` turns them into ONNX nodes.  Two classes say where
the nodes go: ``_torchscript.TracedNodes`` (the graph that PyTorch's exporter is building) and
``_function.BodyNodes`` (a function body).  Constants are folded while building and written only
when a node needs them, once each.
"""

import torch

#: Kinds of values: shapes are INT (int64, as ONNX has them), pixel numbers INDEX (int32, which is
#: faster in every runtime and enough: an image with 2**31 pixels fills 8 GB per channel).
FLOAT, INT, INDEX, BOOL = "float", "int", "index", "bool"

ONNX_DTYPES = {
    torch.float32: 1,
    torch.int32: 6,
    torch.int64: 7,
    torch.bool: 9,
    torch.float16: 10,
    torch.float64: 11,
    torch.bfloat16: 16,
}

_FOLD = {
    "Add": torch.add,
    "Sub": torch.sub,
    "Mul": torch.mul,
    "Div": torch.div,
    "Max": torch.max,
    "Min": torch.min,
}


class Var:
    """A value of the graph, or a constant that no node has needed yet."""

    __slots__ = ("const", "kind", "nodes", "value")

    def __init__(self, nodes, kind, value=None, const=None):
        self.nodes = nodes
        self.kind = kind
        self.value = value
        self.const = const

    def __add__(self, other):
        return self.nodes.binary("Add", self, other)

    def __radd__(self, other):
        return self.nodes.binary("Add", other, self)

    def __sub__(self, other):
        return self.nodes.binary("Sub", self, other)

    def __rsub__(self, other):
        return self.nodes.binary("Sub", other, self)

    def __mul__(self, other):
        return self.nodes.binary("Mul", self, other)

    def __rmul__(self, other):
        return self.nodes.binary("Mul", other, self)

    def __truediv__(self, other):
        return self.nodes.binary("Div", self, other)


class Nodes:
    """ONNX nodes of one operator at one opset.

    Float arithmetic happens in ``dtype`` (float32 or float64); ``dims`` is the number of spatial
    dimensions of an image, or the rank of the tensor to rotate.
    """

    def __init__(self, opset, dtype, dims):
        self.opset = opset
        self.dtype = dtype
        self.dims = dims
        #: Channels of the image where something is known of them: a hint, no promise.
        self.channels = None
        self._constants = {}
        self._shapes = {}

    def emit(self, op, inputs, attributes, outputs):
        """Append a node; ``inputs`` and the returned list are native values."""
        raise NotImplementedError

    def static_shape(self, var):
        """The extents of ``var`` that never change between runs, None for the others."""
        return

    # --- values -----------------------------------------------------------------------

    def constant(self, data, kind):
        return Var(self, kind, const=torch.as_tensor(data, dtype=self._dtype_of(kind)))

    def _dtype_of(self, kind):
        return {FLOAT: self.dtype, INT: torch.int64, INDEX: torch.int32, BOOL: torch.bool}[kind]

    def lift(self, other, kind):
        return other if isinstance(other, Var) else self.constant(other, kind)

    def native(self, var):
        """The native value behind ``var``; a constant gets its node now, if it has none."""
        if var.value is None:
            key = (var.const.dtype, tuple(var.const.shape), tuple(var.const.reshape(-1).tolist()))
            if key not in self._constants:
                self._constants[key] = self._write_constant(var.const)
            var.value = self._constants[key]
        return var.value

    def _write_constant(self, data):
        if self.opset >= 9 or data.is_floating_point():
            return self.emit("Constant", [], {"value": data}, 1)[0]
        # Constant-1, the one of opsets 7 and 8, holds floats alone.
        values = self.emit("Constant", [], {"value": data.float()}, 1)
        return self.emit("Cast", values, {"to": ONNX_DTYPES[data.dtype]}, 1)[0]

    def op(self, op, *inputs, kind=FLOAT, outputs=1, **attributes):
        """One node; the result is a ``Var``, or a list of them when ``outputs`` > 1."""
        natives = [self.native(var) for var in inputs]
        results = [Var(self, kind, value) for value in self.emit(op, natives, attributes, outputs)]
        return results if outputs > 1 else results[0]

    def binary(self, op, left, right):
        kind = left.kind if isinstance(left, Var) else right.kind
        left, right = self.lift(left, kind), self.lift(right, kind)
        if left.const is not None and right.const is not None:
            return Var(self, kind, const=_FOLD[op](left.const, right.const))
        return self.op(op, left, right, kind=kind)

    def ints(self, data):
        return self.constant(data, INT)

    def cast(self, var, kind):
        if var.kind == kind:
            return var
        if var.const is not None:
            return self.constant(var.const, kind)
        return self.op("Cast", var, kind=kind, to=ONNX_DTYPES[self._dtype_of(kind)])

    def cast_dtype(self, var, dtype):
        return self.op("Cast", var, to=ONNX_DTYPES[dtype])

    # --- shapes -----------------------------------------------------------------------

    def extents(self, var, axes):
        """The sizes of ``var`` along ``axes`` as an int64 vector."""
        static = self.static_shape(var)
        if static is not None and all(static[axis] is not None for axis in axes):
            return self.ints([static[axis] for axis in axes])
        key = id(self.native(var))
        if key not in self._shapes:
            self._shapes[key] = (self.op("Shape", var, kind=INT), var)
        return self.take(self._shapes[key][0], axes)

    def take(self, vector, positions):
        """Some entries of an int vector, as a vector; a scalar if ``positions`` is an int."""
        if vector.const is not None:
            return Var(self, INT, const=vector.const[torch.as_tensor(positions)])
        return self.op("Gather", vector, self.ints(positions), kind=vector.kind, axis=0)

    def reshape(self, var, shape):
        """``var`` in another shape: a list of extents, or an int64 vector of the graph."""
        if not isinstance(shape, Var):
            if var.const is not None:
                return Var(self, var.kind, const=var.const.reshape(shape))
            shape = self.ints(shape)
        return self.op("Reshape", var, shape, kind=var.kind, **self.allow_zero())

    def allow_zero(self):
        return {"allowzero": 0} if self.opset >= 14 else {}

    def transpose(self, var, perm):
        return self.op("Transpose", var, kind=var.kind, perm=list(perm))

    def unsqueeze(self, var, axis):
        """``var`` with a dimension of extent 1 at ``axis``."""
        if self.opset >= 13:
            return self.op("Unsqueeze", var, self.ints([axis]), kind=var.kind)
        return self.op("Unsqueeze", var, kind=var.kind, axes=[axis])

    def squeeze(self, var, axis):
        """``var`` without the dimension of extent 1 at ``axis``."""
        if self.opset >= 13:
            return self.op("Squeeze", var, self.ints([axis]), kind=var.kind)
        return self.op("Squeeze", var, kind=var.kind, axes=[axis])

    def concat(self, parts, axis):
        if all(part.const is not None for part in parts):
            return Var(self, parts[0].kind, const=torch.cat([part.const for part in parts], axis))
        return self.op("Concat", *parts, kind=parts[0].kind, axis=axis)

    def swap(self, var, first, second):
        perm = list(range(self.dims))
        perm[first], perm[second] = perm[second], perm[first]
        return self.transpose(var, perm)

    def copy(self, var):
        return self.op("Identity", var)

    def split(self, var, axis, parts):
        """``parts`` slices of extent 1 along ``axis``."""
        if self.opset >= 18:
            attributes = {"num_outputs": parts}
        elif self.opset >= 13:
            attributes = {}
        else:
            attributes = {"split": [1] * parts}
        return self.op("Split", var, kind=var.kind, outputs=parts, axis=axis, **attributes)

    def arange(self, length):
        """0 … length - 1 as an int64 vector; ``length`` is an int64 vector of one entry."""
        if length.const is not None:
            return self.ints(list(range(int(length.const))))
        if self.opset >= 11:
            stop = self.take(length, 0)
            return self.op("Range", self.ints(0), stop, self.ints(1), kind=INT)
        if self.opset >= 9:
            ones = self.op("ConstantOfShape", length, value=torch.ones(1))
            return self.reshape(self.op("NonZero", ones, kind=INT), [-1])
        return self.cast(self.reshape(self._count(length), [-1]), INT)

    def _count(self, length):
        """Opsets 7 and 8 have no range: a one-unit RNN adds up ones, which counts."""
        repeats = self.concat([length, self.ints([1, 1])], 0)
        one = Var(self, FLOAT, const=torch.ones(1, 1, 1))
        ones = self.op("Tile", one, repeats)
        attributes = {"hidden_size": 1, "activations": ["Relu"], "direction": "forward"}
        counted = self.op("RNN", ones, one, one, **attributes)
        return counted - Var(self, FLOAT, const=torch.ones(()))

    def flip(self, var, axis):
        if self.opset >= 10:
            bounds = [self.ints([bound]) for bound in (-1, -(2**62), axis, -1)]
            return self.op("Slice", var, *bounds)
        length = self.extents(var, [axis])
        return self.op("Gather", var, (length - 1) - self.arange(length), axis=axis)

    # --- arithmetic -------------------------------------------------------------------

    def abs(self, var):
        return self.op("Abs", var)

    def floor(self, var):
        return self.op("Floor", var)

    def round(self, var):
        """Nearest integer, ties to even."""
        if self.opset >= 11:
            return self.op("Round", var)
        whole = self.floor(var)
        rest = var - whole
        odd = whole - self.floor(whole * 0.5) * 2.0
        below, above = self.test("Less", rest, 0.5), self.test("Greater", rest, 0.5)
        return whole + above + odd * (1.0 - below - above)

    def round_away(self, var, signed):
        """Nearest integer, ties away from zero; ``var`` is negative only if ``signed``."""
        size = self.abs(var) if signed else var
        whole = self.floor(size)
        up = whole + 1.0 - self.test("Less", size - whole, 0.5)
        if not signed:
            return up
        if self.opset >= 9:
            return up * self.op("Sign", var)
        return up * (1.0 - self.test("Less", var, 0.0) * 2.0)

    def test(self, op, left, right):
        """1.0 where the comparison ``op`` holds, else 0.0."""
        return self.cast(self.op(op, left, self.lift(right, FLOAT), kind=BOOL), FLOAT)

    def maximum(self, left, right):
        if self.opset >= 8:
            return self.binary("Max", left, self.lift(right, left.kind))
        right = self.lift(right, FLOAT)
        if left.const is not None and right.const is not None:
            return self.binary("Max", left, right)
        return self.op("Relu", left - right) + right

    def minimum(self, left, right):
        if self.opset >= 8 or (left.const is not None and right.const is not None):
            return self.binary("Min", left, right)
        return right - self.op("Relu", right - left)

    def at_least_one(self, var):
        return self.maximum(var, 1.0)

    def phase(self, distance, period):
        """``distance`` modulo ``period``."""
        return distance - self.floor(distance / period) * period

    def fold(self, phase, period):
        return self.minimum(phase, period - phase)

    def clip(self, coord, limit):
        positive = self.maximum(coord, 0.0) if self.opset >= 8 else self.op("Relu", coord)
        return self.minimum(positive, limit)

    def only_finite(self, coord):
        """5-D sampling takes non-finite positions for points outside; 4-D makes NaN of them."""
        if self.dims < 3 or self.opset < 9:
            return coord
        finite = self.op("Less", self.abs(coord), self.lift(1e30, FLOAT), kind=BOOL)
        return self.op("Where", finite, coord, self.lift(-2.0, FLOAT))

    def clip_index(self, index, limit):
        """``index`` (integers kept as floats) as INDEX within 0 … ``limit``, NaN included.

        A NaN must not reach Gather as an index out of range.  Max and Min take integers from
        opset 12 on; before that a comparison that is false for NaN does it (from opset 9).
        """
        if self.opset >= 12:
            whole, limit = self.cast(index, INDEX), self.cast(limit, INDEX)
            positive = self.op("Max", whole, self.constant(0, INDEX), kind=INDEX)
            return self.op("Min", positive, limit, kind=INDEX)
        limit = self.cast(limit, FLOAT)
        if self.opset < 9:
            return self.cast(self.clip(index, limit), INDEX)
        zero = self.lift(0.0, FLOAT)
        below = self.op("Less", index, limit, kind=BOOL)
        index = self.op("Where", below, index, limit)
        above = self.op("Greater", index, zero, kind=BOOL)
        return self.cast(self.op("Where", above, index, zero), INDEX)

    def pad_zeros(self, image):
        """One pixel of zeros around each spatial axis of (N, C, *spatial)."""
        pads = [0, 0] + [1] * self.dims
        if self.opset >= 11:
            return self.op("Pad", image, self.ints(pads + pads), mode="constant")
        return self.op("Pad", image, mode="constant", pads=pads + pads, value=0.0)
