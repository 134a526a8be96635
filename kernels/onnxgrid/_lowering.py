"""The operations of ``_formula`` as ONNX nodes: which pixels to gather, and how.

Coordinates have their axis first, (D, N, *out): splitting them then copies whole planes.
Pixels are gathered in one of two ways, chosen by the number of channels known at export:

- few channels: GatherElements, one index for every channel (opset 11 and later);
- many or unknown: rows of the channels-last image, four taps at a time, weighted by MatMul.
"""

import itertools

import torch

from ._nodes import FLOAT, INDEX, Nodes
from ._torch_facts import volumetric_nearest_rounds_away

#: Up to so many channels GatherElements is faster in onnxruntime (docs/performance.md).
FEW_CHANNELS = 24


class GridNodes(Nodes):
    """``Nodes`` with the sampling operations; see ``_formula`` for what they mean."""

    def coordinates(self, grid):
        """(N, *out, D) as (D, N, *out)."""
        return self.transpose(grid, [self.dims + 1] + list(range(self.dims + 1)))

    def spatial_size(self, image):
        return self._per_axis(self.cast(self._extents(image), FLOAT))

    def _per_axis(self, vector):
        """A vector (D) as (D, 1, ..., 1), to go with coordinates."""
        return self.reshape(vector, [self.dims] + [1] * (self.dims + 1))

    def _extents(self, image):
        return self.extents(image, [self.dims + 1 - axis for axis in range(self.dims)])

    def rounds_away(self):
        return self.dims == 3 and volumetric_nearest_rounds_away()

    # --- affine_grid ------------------------------------------------------------------

    def theta_column(self, theta, column, dims):
        """Column ``column`` of (N, D, D + 1) as (N, 1, ..., 1, D)."""
        column = self.op("Gather", theta, self.ints([column]), axis=2)
        return self.reshape(column, [-1] + [1] * dims + [dims])

    def axis_index(self, size, axis, dims):
        """Index along grid axis ``axis`` as a float (1, ..., length, ..., 1), and the length."""
        length = self.take(size, [dims + 1 - axis])
        index = self.cast(self.arange(length), FLOAT)
        shape = [1] * (dims + 2)
        shape[dims - axis] = -1
        return self.reshape(index, shape), self.cast(length, FLOAT)

    # --- grid_sample ------------------------------------------------------------------

    def interpolate(self, image, taps, padding_mode):
        """Sum of pixels at every combination of ``taps`` (position, weight) over the axes."""
        few = self.opset >= 11 and self.channels is not None and self.channels <= FEW_CHANNELS
        limit = self._extents(image) - 1
        channels = self.extents(image, [1]) if few else None
        if padding_mode == "zeros":
            image = self.pad_zeros(image)
            limit = limit + 2
            taps = [(position + 1.0, weight) for position, weight in taps]
        indices = self._indices([position for position, _ in taps], limit)
        weights = None
        if taps[0][1] is not None:
            weights = [self.split(weight, 0, self.dims) for _, weight in taps]
        if few:
            return self._sum_elements(image, channels, taps[0][0], indices, weights)
        return self._sum_rows(image, indices, weights)

    def _indices(self, positions, limit):
        """Per tap, the pixel index along each axis; the taps are clipped together."""
        limits = self.reshape(
            self.concat([limit] * len(positions), 0), [-1] + [1] * (self.dims + 1)
        )
        together = positions[0] if len(positions) == 1 else self.concat(positions, 0)
        pieces = self.split(self.clip_index(together, limits), 0, self.dims * len(positions))
        return [pieces[at : at + self.dims] for at in range(0, len(pieces), self.dims)]

    def _corners(self, indices, first, lengths):
        """Pixel number at each combination of taps, a tuple from the last axis to the first."""
        numbers = {(): first}
        for axis in reversed(range(self.dims)):
            longer = {}
            for corner, number in numbers.items():
                start = None if number is None else number * lengths[axis]
                for tap, index in enumerate(indices):
                    piece = index[axis]
                    longer[corner + (tap,)] = piece if start is None else start + piece
            numbers = longer
        return numbers

    def _lengths(self, image):
        """The extent of each axis, to number pixels with."""
        return [
            self.cast(self.extents(image, [self.dims + 1 - axis]), INDEX)
            for axis in range(self.dims)
        ]

    def _corner_weights(self, weights):
        """Product of the weights at each combination of taps."""
        products = {(): None}
        for axis in reversed(range(self.dims)):
            products = {
                corner + (tap,): pieces[axis] if product is None else product * pieces[axis]
                for corner, product in products.items()
                for tap, pieces in enumerate(weights)
            }
        return products

    def _sum_elements(self, image, channels, position, indices, weights):
        """Few channels: an image as (N, C, pixels), and GatherElements."""
        batch = self.extents(position, [1])
        flat = self.concat([batch, self.ints([1, -1])], 0)
        lengths = self._lengths(image)
        pixels = self.reshape(image, [0, 0, -1])
        spread = self.concat([self.ints([1]), channels, self.ints([1])], 0)
        products = self._corner_weights(weights) if weights else {}
        total = None
        for corner, number in self._corners(indices, None, lengths).items():
            index = self.op("Expand", self.reshape(number, flat), spread, kind=INDEX)
            term = self.op("GatherElements", pixels, index, axis=2)
            if weights:
                term = term * self.reshape(products[corner], flat)
            total = term if total is None else total + term
        out = self.extents(position, list(range(2, self.dims + 2)))
        return self.reshape(total, self.concat([batch, channels, out], 0))

    def _sum_rows(self, image, indices, weights):
        """Many channels: pixels of the whole batch as rows (pixels, C), and Gather."""
        dims = self.dims
        rows = self.transpose(image, [0] + list(range(2, dims + 2)) + [1])
        rows = self.op("Flatten", rows, axis=dims + 1)
        lengths = self._lengths(image)
        batch = self.cast(self.arange(self.extents(image, [0])), INDEX)
        batch = self.reshape(batch, [1, -1] + [1] * dims)
        if batch.const is not None and not batch.const.any():
            batch = None
        numbers = self._corners(indices, batch, lengths)
        if weights is None:
            index = self.squeeze(numbers[(0,) * dims], 0)
            result = self.op("Gather", rows, index, axis=0)
        else:
            products = self._corner_weights(weights)
            result = None
            for group in self._groups(len(weights)):
                term = self._weighted(rows, [(numbers[c], products[c]) for c in group])
                result = term if result is None else result + term
            result = self.squeeze(result, dims + 1)
        return self.transpose(result, [0, dims + 1] + list(range(1, dims + 1)))

    def _groups(self, taps):
        """Combinations of taps in fours, so that no gather holds more than four outputs."""
        outer = self.dims - (2 if taps == 2 else 1)
        for head in itertools.product(range(taps), repeat=outer):
            tails = itertools.product(range(taps), repeat=self.dims - outer)
            yield [head + tail for tail in tails]

    def _weighted(self, rows, corners):
        """Weighted sum of some corners: (N, *out, 1, taps) times (N, *out, taps, C)."""
        last = list(range(1, self.dims + 2)) + [0]
        index = self.transpose(self.concat([number for number, _ in corners], 0), last)
        weight = self.transpose(self.concat([product for _, product in corners], 0), last)
        pixels = self.op("Gather", rows, index, axis=0)
        return self.op("MatMul", self.unsqueeze(weight, self.dims + 1), pixels)


def float_dtype(dtype):
    """The dtype to compute in: float64 stays, everything else by way of float32."""
    return torch.float64 if dtype == torch.float64 else torch.float32
