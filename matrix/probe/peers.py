"""Other people's substitutes for the operators, measured where they are installed."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
from typing import Any, Callable, Iterator, Optional

import torch
from torch.nn import functional

from matrix.probe.failures import UnavailableError


@contextlib.contextmanager
def mmcv() -> Iterator[None]:
    """Inside, ``F.grid_sample`` is mmcv's ``bilinear_grid_sample``: 4-D, bilinear, zeros.

    Raises UnavailableError where mmcv is not installed.
    """
    sample = _mmcv_function()

    def grid_sample(
        input: torch.Tensor,  # noqa: A002
        grid: torch.Tensor,
        mode: str = "bilinear",  # noqa: ARG001
        padding_mode: str = "zeros",  # noqa: ARG001
        align_corners: Optional[bool] = None,
    ) -> Any:
        return sample(input, grid, align_corners=bool(align_corners))

    original = functional.grid_sample
    functional.grid_sample = grid_sample
    try:
        yield
    finally:
        functional.grid_sample = original


def _mmcv_function() -> Callable[..., Any]:
    """The function out of its own file: ``mmcv.ops`` imports a compiled part, which this function does not use."""
    spec = importlib.util.find_spec("mmcv")
    if spec is None or spec.origin is None:
        raise UnavailableError(
            "mmcv is not installed in this environment; keep it (--keep-envs), then: "
            "uv pip install --no-deps --python {} mmcv-lite==2.1.0".format(sys.executable)
        )
    path = os.path.join(os.path.dirname(spec.origin), "ops", "point_sample.py")  # noqa: PTH118, PTH120
    named = importlib.util.spec_from_file_location("matrix_mmcv_point_sample", path)
    assert named is not None
    assert named.loader is not None
    module = importlib.util.module_from_spec(named)
    named.loader.exec_module(module)
    function: Callable[..., Any] = module.bilinear_grid_sample
    return function
