"""What an operator of ours is, apart from its inputs: the attributes that select a formula."""

import torch

from . import _formula

DEFAULT_DOMAIN = "custom.ops"
DOMAIN_VERSION = 1


class Spec:
    """One operator with its attributes; a file holds one body for each ``key``.

    ``name`` is the operator's name in a custom domain, ``inputs`` the names of its inputs,
    ``attributes`` its ONNX attributes (str, int or list of int), ``dims`` the number of spatial
    dimensions.  ``channels`` is how many the image is likely to have: it chooses among graphs
    that are all right for any number, so it is no part of the key.
    """

    name = ""
    inputs = ()

    def __init__(self, dims, attributes):
        self.dims = dims
        self.attributes = attributes
        self.channels = None

    def key(self):
        attributes = tuple(sorted((name, str(value)) for name, value in self.attributes.items()))
        return self.name, self.dims, attributes

    def build(self, nodes, *inputs):
        """The operator as standard nodes."""
        raise NotImplementedError

    def native(self, nodes, dtype, *inputs):
        """The operator as ONNX's own node, where the opset has it for these inputs; else None."""
        return

    def in_contrib(self):
        """Whether onnxruntime's own domain has the operator."""
        return False

    def output_shape(self, *shapes):
        """The output's extents from the inputs' (None where unknown)."""
        raise NotImplementedError


class GridSample(Spec):
    name = "GridSample"
    inputs = ("X", "Grid")

    def __init__(self, dims, mode, padding_mode, align_corners):
        attributes = {
            "mode": mode,
            "padding_mode": padding_mode,
            "align_corners": int(align_corners),
        }
        super().__init__(dims, attributes)

    def build(self, nodes, image, grid):
        a = self.attributes
        return _formula.grid_sample(
            nodes, image, grid, a["mode"], a["padding_mode"], bool(a["align_corners"])
        )

    def native(self, nodes, dtype, image, grid):
        # GridSample-16 is 4-D, and no runtime has it for float64; -20 is complete.
        if nodes.opset < 16 or (nodes.opset < 20 and (self.dims > 2 or dtype == torch.float64)):
            return None
        attributes = dict(self.attributes)
        if nodes.opset >= 20:
            renamed = {"bilinear": "linear", "bicubic": "cubic"}
            attributes["mode"] = renamed.get(attributes["mode"], attributes["mode"])
        return nodes.op("GridSample", image, grid, **attributes)

    def in_contrib(self):
        return self.dims == 2

    def output_shape(self, image, grid):
        return list(image[:2]) + list(grid[1:-1])


class AffineGrid(Spec):
    name = "AffineGrid"
    inputs = ("theta", "size")

    def __init__(self, dims, align_corners):
        super().__init__(dims, {"align_corners": int(align_corners)})

    def build(self, nodes, theta, size):
        return _formula.affine_grid(
            nodes, theta, size, self.dims, bool(self.attributes["align_corners"])
        )

    def native(self, nodes, dtype, theta, size):
        # Aligned, onnxruntime puts the only sample of an axis of extent 1 at -1, PyTorch at 0.
        if nodes.opset < 20 or self.attributes["align_corners"]:
            return None
        return nodes.op("AffineGrid", theta, size, **self.attributes)

    def output_shape(self, theta, size):
        return [theta[0]] + [None] * self.dims + [self.dims]


class AffineGridSample(Spec):
    """``affine_grid`` feeding ``grid_sample``, both with the same or different alignment."""

    name = "AffineGridSample"
    inputs = ("X", "theta", "size")

    def __init__(self, dims, mode, padding_mode, align_corners, grid_align_corners):
        attributes = {
            "mode": mode,
            "padding_mode": padding_mode,
            "align_corners": int(align_corners),
            "grid_align_corners": int(grid_align_corners),
        }
        super().__init__(dims, attributes)

    def build(self, nodes, image, theta, size):
        a = self.attributes
        grid = _formula.affine_grid(nodes, theta, size, self.dims, bool(a["grid_align_corners"]))
        return _formula.grid_sample(
            nodes, image, grid, a["mode"], a["padding_mode"], bool(a["align_corners"])
        )

    def output_shape(self, image, theta, size):
        return list(image[:2]) + [None] * self.dims


class Rotate(Spec):
    """Quarter turns, as ``torch.rot90``: ``k`` of them from ``dims[0]`` towards ``dims[1]``."""

    name = "Rotate"
    inputs = ("X",)

    def __init__(self, rank, k, dims):
        super().__init__(rank, {"k": int(k) % 4, "dims": [int(dim) % rank for dim in dims]})

    def build(self, nodes, tensor):
        return _formula.rot90(nodes, tensor, self.attributes["k"], self.attributes["dims"])

    def output_shape(self, tensor):
        shape, (first, second) = list(tensor), self.attributes["dims"]
        if self.attributes["k"] % 2:
            shape[first], shape[second] = shape[second], shape[first]
        return shape
