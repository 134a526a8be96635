"""The sampling formulas, written once.

Every function takes a *backend* ``b`` (PyTorch tensors, nodes of a traced graph, or nodes of
an ONNX function body) and values that understand ``+ - * /``.  Coordinates keep the axes of
the grid joined in one dimension (where, is the backend's choice), in the grid's own order
(x, y[, z]), so one node serves all axes.

Sources: the documentation of ``torch.nn.functional.grid_sample``, ``affine_grid`` and
``torch.rot90``, the ONNX operator specification of GridSample-20 and AffineGrid-20, and
R. G. Keys, "Cubic convolution interpolation for digital image processing" (1981) with a = -0.75.
"""

CUBIC_A = -0.75

MODES = ("bilinear", "nearest", "bicubic")
PADDING_MODES = ("zeros", "border", "reflection")


def unnormalize(coord, size, align_corners):
    """Map [-1, 1] to pixel positions; ``size`` holds the extent of each axis as a float."""
    if align_corners:
        return (coord + 1.0) * ((size - 1.0) * 0.5)
    return (coord + 1.0) * (size * 0.5) - 0.5


def reflect(b, coord, size, align_corners):
    """Fold positions at the borders (pixel centres if aligned, else pixel edges)."""
    if align_corners:
        low, period = 0.0, b.at_least_one((size - 1.0) * 2.0)
    else:
        low, period = -0.5, size * 2.0
    distance = b.abs(coord - low if low else coord)
    folded = b.fold(b.phase(distance, period), period)
    return folded + low if low else folded


def confine(b, coord, size, padding_mode, align_corners):
    """Bring positions into the image as the padding mode asks; zeros are left alone."""
    if padding_mode == "zeros":
        return coord
    if padding_mode == "reflection":
        coord = reflect(b, coord, size, align_corners)
    return b.clip(coord, size - 1.0)


def cubic_weights(t):
    """The four weights of cubic convolution at a fraction ``t`` past the second tap."""
    a = CUBIC_A

    def outer(x):
        return ((x * a - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a

    def inner(x):
        return (x * (a + 2.0) - (a + 3.0)) * x * x + 1.0

    rest = 1.0 - t
    return outer(t + 1.0), inner(t), inner(rest), outer(rest + 1.0)


def grid_sample(b, image, grid, mode, padding_mode, align_corners):
    """Sample ``image`` (N, C, *spatial) at ``grid`` (N, *out, D): the result is (N, C, *out)."""
    size = b.spatial_size(image)
    coord = unnormalize(b.coordinates(grid), size, align_corners)
    if mode == "bicubic":
        first = b.floor(coord)
        weights = cubic_weights(coord - first)
        taps = [
            (confine(b, first + offset if offset else first, size, padding_mode, align_corners), w)
            for offset, w in zip((-1.0, 0.0, 1.0, 2.0), weights)
        ]
        return b.interpolate(image, taps, padding_mode)
    coord = confine(b, coord, size, padding_mode, align_corners)
    if mode == "nearest":
        signed = padding_mode == "zeros"
        position = b.round_away(coord, signed) if b.rounds_away() else b.round(coord)
        return b.interpolate(image, [(position, None)], padding_mode)
    if padding_mode == "zeros":
        coord = b.only_finite(coord)
    low = b.floor(coord)
    fraction = coord - low
    return b.interpolate(image, [(low, 1.0 - fraction), (low + 1.0, fraction)], padding_mode)


def axis_positions(b, index, length, align_corners):
    """Normalised positions of ``length`` samples, as ``affine_grid`` lays them out."""
    if align_corners:
        return (index + index - (length - 1.0)) / b.at_least_one(length - 1.0)
    return (index + index - (length - 1.0)) / length


def affine_grid(b, theta, size, dims, align_corners):
    """``theta`` (N, D, D + 1) and an output size (N, C, *out): the grid (N, *out, D)."""
    grid = b.theta_column(theta, dims, dims)
    for axis in range(dims):
        index, length = b.axis_index(size, axis, dims)
        grid = grid + b.theta_column(theta, axis, dims) * axis_positions(b, index, length, align_corners)
    return grid


def rot90(b, tensor, k, dims):
    """Turn by ``k`` quarter turns from ``dims[0]`` towards ``dims[1]``, as ``torch.rot90``."""
    k, (first, second) = k % 4, dims
    if k == 0:
        return b.copy(tensor)
    if k == 2:
        return b.flip(b.flip(tensor, first), second)
    return b.swap(b.flip(tensor, second if k == 1 else first), first, second)
