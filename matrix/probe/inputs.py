"""The tensors of each case, at size 0 (traced) and size 1 (checked afterwards).

They leave [-1, 1], hold the borders and exact ties (a sample half-way between two pixels), and no image is square.
A tie is exact in binary only where the size (align_corners off) or the size minus one (on) is a power of two, so the
sizes are chosen accordingly. Random numbers come from numpy's frozen RandomState stream: the same everywhere.
All tensors are float32.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple

import numpy
import torch

from matrix.probe.cases import Case

Tensors = Tuple[torch.Tensor, ...]

_BATCH = (2, 3)
_CHANNELS = 3
_EXTENT = {4: ((4, 8), (2, 16)), 5: ((2, 4, 8), (4, 2, 16))}
_OUTPUT = {4: ((5, 6), (7, 4)), 5: ((3, 4, 5), (2, 5, 6))}


def inputs_of(case: Case, size: int) -> Tensors:
    """The positional arguments of the case's module at size 0 or 1."""
    return _BUILDERS[case.inputs](case, size)


def _extent(case: Case, size: int) -> Tuple[int, ...]:
    return tuple(extent + 1 if case.aligned else extent for extent in _EXTENT[case.rank][size])


def _normal(shape: Tuple[int, ...], seed: int) -> torch.Tensor:
    return _tensor(numpy.random.RandomState(seed).standard_normal(shape))


def _tensor(array: Any) -> torch.Tensor:
    return torch.from_numpy(numpy.ascontiguousarray(array, dtype="float32"))


def _grid(case: Case, size: int) -> torch.Tensor:
    """(N, [Do,] Ho, Wo, 2 or 3): random points up to 1.6, with ties, borders and far points among them."""
    extent = _extent(case, size)
    shape = (_BATCH[size],) + _OUTPUT[case.rank][size] + (len(extent),)
    points = numpy.random.RandomState(1).uniform(-1.6, 1.6, shape)
    flat = points.reshape(-1, len(extent))
    for axis, pixels in enumerate(reversed(extent)):  # a point is (x, y[, z]): its first coordinate runs along width
        halves = numpy.arange(-1.5, pixels + 1.0)
        ties = 2 * halves / (pixels - 1) - 1 if case.aligned else (2 * halves + 1) / pixels - 1
        special = numpy.concatenate([ties, [-1.0, 1.0, 0.0, -3.0, 2.5, 7.0]])
        rows = numpy.arange(axis, len(flat), 3)[: len(special)]
        flat[rows, axis] = special[: len(rows)]
    return _tensor(points)


def _theta(case: Case, size: int) -> torch.Tensor:
    dims = case.rank - 2
    noise = numpy.random.RandomState(2).standard_normal((_BATCH[size], dims, dims + 1))
    return _tensor(numpy.eye(dims, dims + 1) + 0.3 * noise)


def _image(case: Case, size: int) -> torch.Tensor:
    return _normal((_BATCH[size], _CHANNELS) + _extent(case, size), seed=0)


def _flow(case: Case, size: int) -> torch.Tensor:
    height, width = _extent(case, size)
    return 2 * _normal((_BATCH[size], 2, height, width), seed=3)


def _attention(case: Case, size: int) -> Tensors:
    batch, queries, heads, points, channels = _BATCH[size], (5, 9)[size], 2, 4, 4
    shapes = case.arguments["shapes"]
    random = numpy.random.RandomState(4)
    value = random.standard_normal((batch, sum(h * w for h, w in shapes), heads, channels))
    locations = random.uniform(-0.2, 1.2, (batch, queries, heads, len(shapes), points, 2))
    weights = random.uniform(0.0, 1.0, (batch, queries, heads, len(shapes), points))
    weights /= weights.sum((-2, -1), keepdims=True)
    return _tensor(value), _tensor(locations), _tensor(weights)


_BUILDERS: Dict[str, Callable[[Case, int], Tensors]] = {
    "image_and_grid": lambda case, size: (_image(case, size), _grid(case, size)),
    "theta_and_image": lambda case, size: (_theta(case, size), _image(case, size)),
    "angle_and_image": lambda case, size: (_normal((_BATCH[size],), seed=5), _image(case, size)),
    "image": lambda case, size: (_image(case, size),),
    "image_and_flow": lambda case, size: (_image(case, size), _flow(case, size)),
    "attention": _attention,
}
