"""The modules of the cases: what users write, in the spelling that every release from 1.8 on understands."""

from __future__ import annotations

from typing import Any, Tuple

import numpy
import torch
from torch import nn
from torch.nn import functional as F

from matrix.probe.cases import Case


def module_of(case: Case) -> nn.Module:
    """The case's module, in evaluation mode, with weights that are the same on every release."""
    module: nn.Module = globals()[case.module](**case.arguments)
    random = numpy.random.RandomState(6)
    for parameter in module.parameters():
        values = 0.3 * random.standard_normal(tuple(parameter.shape))
        parameter.data = torch.from_numpy(numpy.asarray(values, dtype="float32"))
        parameter.requires_grad_(False)
    return module.eval()


class GridSample(nn.Module):
    """``F.grid_sample`` and nothing else."""

    def __init__(self, mode: str, padding_mode: str, align_corners: bool) -> None:
        super().__init__()
        self.mode, self.padding_mode, self.align_corners = mode, padding_mode, align_corners

    def forward(self, input: torch.Tensor, grid: torch.Tensor) -> torch.Tensor:  # noqa: A002
        return F.grid_sample(
            input, grid, mode=self.mode, padding_mode=self.padding_mode, align_corners=self.align_corners
        )


class AffineGrid(nn.Module):
    """``F.affine_grid`` for the size of an image."""

    def __init__(self, align_corners: bool) -> None:
        super().__init__()
        self.align_corners = align_corners

    def forward(self, theta: torch.Tensor, image: torch.Tensor) -> torch.Tensor:
        return F.affine_grid(theta, image.size(), align_corners=self.align_corners)


class SpatialTransformer(nn.Module):
    """affine_grid followed by grid_sample (Jaderberg et al., Spatial Transformer Networks, 2015)."""

    def forward(self, theta: torch.Tensor, image: torch.Tensor) -> torch.Tensor:
        grid = F.affine_grid(theta, image.size(), align_corners=False)
        return F.grid_sample(image, grid, mode="bilinear", padding_mode="zeros", align_corners=False)


class QuarterTurns(nn.Module):
    """``torch.rot90`` by one, two and three quarter turns."""

    def forward(self, image: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return torch.rot90(image, 1, [2, 3]), torch.rot90(image, 2, [2, 3]), torch.rot90(image, 3, [2, 3])


class Rotation(nn.Module):
    """Rotation of each image by its own angle (radians)."""

    def forward(self, angle: torch.Tensor, image: torch.Tensor) -> torch.Tensor:
        cos, sin, zero = torch.cos(angle), torch.sin(angle), torch.zeros_like(angle)
        theta = torch.stack([torch.stack([cos, -sin, zero], dim=1), torch.stack([sin, cos, zero], dim=1)], dim=1)
        grid = F.affine_grid(theta, image.size(), align_corners=False)
        return F.grid_sample(image, grid, mode="bilinear", padding_mode="zeros", align_corners=False)


class SpatialTransformerClassifier(nn.Module):
    """A small classifier that straightens its input first."""

    def __init__(self) -> None:
        super().__init__()
        self.localise = nn.Conv2d(3, 4, 3, padding=1)
        self.theta = nn.Linear(4, 6)
        self.features = nn.Conv2d(3, 8, 3, padding=1)
        self.classify = nn.Linear(8, 5)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        pose = F.adaptive_avg_pool2d(F.relu(self.localise(image)), 1).flatten(1)
        identity = torch.tensor([1.0, 0.0, 0.0, 0.0, 1.0, 0.0])
        theta = (self.theta(pose) + identity).view(-1, 2, 3)
        grid = F.affine_grid(theta, image.size(), align_corners=False)
        straight = F.grid_sample(image, grid, mode="bilinear", padding_mode="zeros", align_corners=False)
        return self.classify(F.adaptive_avg_pool2d(F.relu(self.features(straight)), 1).flatten(1))


class FlowWarp(nn.Module):
    """Backward warp of an image by an optical flow (N, 2, H, W) in pixels."""

    def forward(self, image: torch.Tensor, flow: torch.Tensor) -> torch.Tensor:
        height, width = image.shape[2], image.shape[3]
        columns = torch.arange(width, dtype=flow.dtype).view(1, 1, -1)
        rows = torch.arange(height, dtype=flow.dtype).view(1, -1, 1)
        x = 2.0 * (columns + flow[:, 0]) / (width - 1) - 1.0
        y = 2.0 * (rows + flow[:, 1]) / (height - 1) - 1.0
        grid = torch.stack([x, y], dim=3)
        return F.grid_sample(image, grid, mode="bilinear", padding_mode="border", align_corners=True)


class DeformableAttention(nn.Module):
    """The sampling core of multi-scale deformable attention (Zhu et al., Deformable DETR, 2021, equation 3).

    ``value`` (N, sum of H*W over the levels, heads, channels); ``locations`` (N, queries, heads, levels, points, 2) in
    [0, 1] of each level; ``weights`` (N, queries, heads, levels, points). Returns (N, queries, heads * channels).
    """

    def __init__(self, shapes: Tuple[Tuple[int, int], ...]) -> None:
        super().__init__()
        self.shapes = shapes

    def forward(self, value: torch.Tensor, locations: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        heads, channels, points = value.shape[2], value.shape[3], weights.shape[4]
        queries = locations.shape[1]
        grids = 2.0 * locations - 1.0
        sampled = []
        start = 0
        for level, (height, width) in enumerate(self.shapes):
            image = value[:, start : start + height * width].permute(0, 2, 3, 1)
            image = image.reshape(-1, channels, height, width)
            grid = grids[:, :, :, level].permute(0, 2, 1, 3, 4).reshape(-1, queries, points, 2)
            sampled.append(F.grid_sample(image, grid, mode="bilinear", padding_mode="zeros", align_corners=False))
            start += height * width
        attention = weights.permute(0, 2, 1, 3, 4).reshape(-1, 1, queries, len(self.shapes) * points)
        merged = (torch.cat(sampled, dim=-1) * attention).sum(-1)
        return merged.view(-1, heads * channels, queries).transpose(1, 2)


def eager(module: nn.Module, arguments: Tuple[torch.Tensor, ...]) -> Tuple[Any, ...]:
    """The oracle: what this release's eager mode computes, as a tuple of numpy arrays."""
    with torch.no_grad():
        outputs = module(*arguments)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    return tuple(output.detach().numpy() for output in outputs)
