"""Facts about the installed PyTorch, asked of PyTorch itself and not of its version number."""

import functools

import torch


@functools.lru_cache(maxsize=None)
def volumetric_nearest_rounds_away():
    """Whether 5-D nearest sampling rounds ties away from zero (older releases) or to even."""
    with torch.no_grad():
        image = torch.arange(2.0).reshape(1, 1, 1, 1, 2)
        # Between the two pixels: position 0.5 rounds to 1 away from zero, to 0 if to even.
        return bool(torch.grid_sampler(image, torch.zeros(1, 1, 1, 1, 3), 1, 0, False).item())
