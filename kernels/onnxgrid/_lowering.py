"""The operations of ``_formula`` as ONNX nodes: which pixels to gather, and how.

Pixels are gathered as rows in channels-last order: GatherND with a batch axis from opset 12 on,
rows of a flattened image below.
"""

import itertools

import torch

from ._nodes import FLOAT, INT, Nodes
from ._torch_facts import volumetric_nearest_rounds_away


class GridNodes(Nodes):
    """``Nodes`` with the sampling operations; see ``_formula`` for what they mean."""

    def spatial_size(self, image):
        return self.cast(self._extents(image), FLOAT)

    def _extents(self, image):
        return self.extents(image, [self.dims + 1 - axis for axis in range(self.dims)])

    # --- affine_grid ------------------------------------------------------------------

    def theta_column(self, theta, column, dims):
        """Column ``column`` of (N, D, D + 1) as (N, 1, …, 1, D)."""
        column = self.op("Gather", theta, self.ints([column]), axis=2)
        return self.reshape(column, [-1] + [1] * dims + [dims])

    def axis_index(self, size, axis, dims):
        """Index along grid axis ``axis`` as a float (1, …, length, …, 1), and the length."""
        length = self.take(size, [dims + 1 - axis])
        index = self.cast(self.arange(length), FLOAT)
        shape = [1] * (dims + 2)
        shape[dims - axis] = -1
        return self.reshape(index, shape), self.cast(length, FLOAT)

    # --- grid_sample ------------------------------------------------------------------

    def rounds_away(self):
        return self.dims == 3 and volumetric_nearest_rounds_away()

    def interpolate(self, image, taps, padding_mode):
        """Sum of pixels at every combination of ``taps`` (position, weight) over the axes."""
        dims = self.dims
        limit = self._extents(image) - 1
        if padding_mode == "zeros":
            image = self.pad_zeros(image)
            limit = limit + 2
            taps = [(position + 1.0, weight) for position, weight in taps]
        gather = self._row_gatherer(image, dims)
        indices = [
            self.split(self.clip_index(position, limit), dims + 1, dims) for position, _ in taps
        ]
        if taps[0][1] is None:
            result = gather(indices[0])
        else:
            weights = [self.split(weight, dims + 1, dims) for _, weight in taps]
            total = self._product_sum if len(taps) == 2 else self._nested_sum
            result = total(gather, indices, weights, dims)
        return self.transpose(result, [0, dims + 1] + list(range(1, dims + 1)))

    def _product_sum(self, gather, indices, weights, dims):
        """Multiply the weights of a corner first, then add the weighted corners."""
        total = None
        partial = {}
        for corner in itertools.product(range(len(indices)), repeat=dims):
            weight = weights[corner[0]][dims - 1]
            for depth in range(1, dims):
                key = corner[: depth + 1]
                if key not in partial:
                    partial[key] = weight * weights[corner[depth]][dims - 1 - depth]
                weight = partial[key]
            index = [indices[corner[dims - 1 - axis]][axis] for axis in range(dims)]
            term = gather(index) * weight
            total = term if total is None else total + term
        return total

    def _nested_sum(self, gather, indices, weights, dims, chosen=()):
        """Add along x first, then along y: fewer nodes where there are many taps."""
        axis = dims - 1 - len(chosen)
        total = None
        for tap, index in enumerate(indices):
            piece = (index[axis],) + chosen
            if axis:
                value = self._nested_sum(gather, indices, weights, dims, piece)
            else:
                value = gather(list(piece))
            term = value * weights[tap][axis]
            total = term if total is None else total + term
        return total

    def _row_gatherer(self, image, dims):
        rows = self.transpose(image, [0] + list(range(2, dims + 2)) + [1])
        if self.opset >= 12:

            def gather(index):
                joined = self.op("Concat", *index[::-1], kind=INT, axis=dims + 1)
                return self.op("GatherND", rows, joined, batch_dims=1)

            return gather
        # GatherND has no batch axis yet: number the pixels of the whole batch.
        flat = self.op("Flatten", rows, axis=dims + 1)
        batch = self.reshape(self.arange(self.extents(image, [0])), [-1] + [1] * (dims + 1))
        lengths = [self.extents(image, [dims + 1 - axis]) for axis in range(dims)]
        numbers = {}

        def gather_flat(index):
            row = batch
            key = ()
            for axis in reversed(range(dims)):
                key += (id(index[axis]),)
                if key not in numbers:
                    numbers[key] = row * lengths[axis] + index[axis]
                row = numbers[key]
            if self.opset == 11:
                return self.op("GatherND", flat, row)
            row = self.op("Squeeze", row, kind=INT, axes=[dims + 1])
            return self.op("Gather", flat, row, axis=0)

        return gather_flat


def float_dtype(dtype):
    """The dtype to compute in: float64 stays, everything else by way of float32."""
    return torch.float64 if dtype == torch.float64 else torch.float32
