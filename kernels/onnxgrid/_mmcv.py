"""A stand-in for ``mmcv.ops.bilinear_grid_sample`` that needs no compiled package."""

from torch import Tensor

from ._api import grid_sample


def bilinear_grid_sample(im: Tensor, grid: Tensor, align_corners: bool = False) -> Tensor:
    """Sample ``im`` (N, C, H, W) at ``grid`` (N, Ho, Wo, 2), bilinear with zeros outside.

    Name and signature are those of mmcv's function; the values are
    ``torch.nn.functional.grid_sample``'s, also for transposed grids and non-finite positions,
    and 5-D input is taken too.  Returns (N, C, Ho, Wo).
    """
    return grid_sample(im, grid, "bilinear", "zeros", align_corners)
