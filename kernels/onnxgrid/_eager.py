"""The formulas on PyTorch tensors: what runs without an export, and what dynamo traces."""

import itertools

import torch

from . import _formula
from ._torch_facts import volumetric_nearest_rounds_away


def compute_dtype(dtype):
    """float16 and bfloat16 are computed in float32: old releases have no half kernels on CPU."""
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype


class TensorOps:
    """The backend of ``_formula`` for tensors of one dtype and device.

    Branches are chosen so that the gradients at ties, too, are those of PyTorch's kernels:
    a clipped or outermost position has none, a fold has that of the side it comes from.
    """

    def __init__(self, like, dims):
        self.dtype = like.dtype
        self.device = like.device
        self.dims = dims

    def number(self, value, shape=(1,)):
        """``value`` (an int, perhaps symbolic) as a tensor, made on the device."""
        return torch.full(shape, value, dtype=self.dtype, device=self.device)

    def spatial_size(self, image):
        sizes = [image.shape[self.dims + 1 - axis] for axis in range(self.dims)]
        return torch.cat([self.number(size) for size in sizes])

    def coordinates(self, grid):
        return grid

    def at_least_one(self, value):
        return torch.clamp(value, min=1.0)

    def abs(self, value):
        return torch.where(value < 0, -value, value)

    def floor(self, value):
        return torch.floor(value)

    def round(self, value):
        return torch.round(value)

    def rounds_away(self):
        return self.dims == 3 and volumetric_nearest_rounds_away()

    def round_away(self, value, signed):
        whole = torch.trunc(value)
        return torch.where(torch.abs(value - whole) < 0.5, whole, whole + torch.sign(value))

    def phase(self, distance, period):
        if self.dims == 3:
            return torch.fmod(distance, period.expand_as(distance))
        return distance - torch.floor(distance / period) * period

    def fold(self, phase, period):
        return torch.where(phase < period * 0.5, phase, period - phase)

    def clip(self, coord, limit):
        # NaN goes to 0 in PyTorch's 4-D kernels and to the limit in the 5-D ones.
        limit, zero = limit.expand_as(coord), torch.zeros_like(coord)
        if self.dims == 3:
            coord = torch.where(coord < limit, coord, limit)
            return torch.where(coord > 0, coord, zero)
        coord = torch.where(coord > 0, coord, zero)
        return torch.where(coord < limit, coord, limit)

    def only_finite(self, coord):
        if self.dims < 3:
            return coord
        return torch.where(torch.abs(coord) < 1e30, coord, torch.full_like(coord, -2.0))

    def interpolate(self, image, taps, padding_mode):
        dims, channels = self.dims, image.shape[1]
        padded = padding_mode == "zeros" or len(taps) == 2
        size = self.spatial_size(image)
        if padded:
            # The second of two taps may lie one past the border, with weight zero; a pixel of
            # zeros there keeps an infinite border pixel from making NaN of it.
            image = torch.nn.functional.pad(image, [1, 1] * dims)
        shift = 1.0 if padded else 0.0
        limit = size - 1.0 + 2.0 * shift
        indices = [self._index(position + shift, limit) for position, _ in taps]
        pixels = image.flatten(2)
        extents = [image.shape[dims + 1 - axis] for axis in range(dims)]

        def gather(corner):
            flat = indices[corner[-1]][..., dims - 1]
            for axis in reversed(range(dims - 1)):
                flat = flat * extents[axis] + indices[corner[axis]][..., axis]
            flat = flat.flatten(1).unsqueeze(1)
            return torch.gather(pixels, 2, flat.expand(-1, channels, -1))

        total = None
        for corner in itertools.product(range(len(taps)), repeat=dims):
            term = gather(corner)
            if taps[0][1] is not None:
                weight = taps[corner[0]][1][..., 0]
                for axis in range(1, dims):
                    weight = weight * taps[corner[axis]][1][..., axis]
                term = term * weight.flatten(1).unsqueeze(1)
            total = term if total is None else total + term
        return total.reshape(image.shape[:2] + taps[0][0].shape[1:-1])

    def _index(self, position, limit):
        position, limit = position.detach(), limit.expand_as(position)
        position = torch.where(position > 0, position, torch.zeros_like(position))
        return torch.where(position < limit, position, limit).to(torch.int64)

    def theta_column(self, theta, column, dims):
        return theta[:, :, column].reshape([-1] + [1] * dims + [dims])

    def axis_index(self, size, axis, dims):
        length = size[dims + 1 - axis]
        index = torch.arange(length, dtype=self.dtype, device=self.device)
        shape = [1] * (dims + 2)
        shape[dims - axis] = -1
        return index.reshape(shape), self.number(length)

    def copy(self, tensor):
        return tensor.clone()

    def flip(self, tensor, axis):
        return torch.flip(tensor, [axis])

    def swap(self, tensor, first, second):
        return tensor.transpose(first, second)


def grid_sample(image, grid, mode, padding_mode, align_corners):
    """``_formula.grid_sample`` on checked tensors of one dtype."""
    dtype = image.dtype
    wide = compute_dtype(dtype)
    image, grid = image.to(wide), grid.to(wide)
    ops = TensorOps(image, image.dim() - 2)
    return _formula.grid_sample(ops, image, grid, mode, padding_mode, align_corners).to(dtype)


def affine_grid(theta, size, align_corners):
    """``_formula.affine_grid`` on a checked theta."""
    dtype = theta.dtype
    theta = theta.to(compute_dtype(dtype))
    dims = len(size) - 2
    return _formula.affine_grid(TensorOps(theta, dims), theta, size, dims, align_corners).to(dtype)


def rot90(tensor, k, dims):
    """``_formula.rot90`` with dimensions counted from either end."""
    rank = tensor.dim()
    return _formula.rot90(TensorOps(tensor, rank), tensor, k, [dim % rank for dim in dims])
