"""Three models that have nothing to do with grid_sample, and one that has: see docs/your-own-model.md."""

import torch
from torch.nn import functional as F

from matrix.probe.own import case


@case(
    inputs=[((1, 3, 8, 8),), ((2, 3, 5, 9),)],
    dynamic_axes={"image": {0: "n", 2: "h", 3: "w"}, "output": {0: "n", 2: "patches"}},
)
def unfold():
    """Sliding windows as columns (im2col)."""
    return torch.nn.Unfold(3, padding=1)


class Nearest(torch.nn.Module):
    """For each query the index of the nearest point, and its distance."""

    def forward(self, queries, points):
        distances = torch.cdist(queries, points)
        return distances.min(dim=2)[0]


@case(
    name="nearest-point",
    inputs=[((1, 6, 3), (1, 10, 3)), ((2, 4, 3), (2, 7, 3))],
    dynamic_axes={"queries": {0: "n", 1: "q"}, "points": {0: "n", 1: "p"}, "output": {0: "n", 1: "q"}},
    atol=1e-4,
)
def nearest_point():
    return Nearest()


class Warp(torch.nn.Module):
    """A model that calls grid_sample: the routes that replace it are measured too."""

    def forward(self, image, grid):
        return F.grid_sample(image, grid.clamp(-1, 1), align_corners=True).relu()


@case(
    inputs=lambda size: (torch.randn(1 + size, 2, 6, 7 + size), torch.rand(1 + size, 4 + size, 5, 2) * 2 - 1),
    dynamic_axes={
        "image": {0: "n", 2: "h", 3: "w"},
        "grid": {0: "n", 1: "ho", 2: "wo"},
        "output": {0: "n", 2: "ho", 3: "wo"},
    },
    operators=["grid_sample"],
)
def warp():
    return Warp()
