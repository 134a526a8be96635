"""Since which opset the ONNX standard has an operator. Source: the operator documents of ONNX."""

from __future__ import annotations

from matrix.probe.cases import AFFINE_GRID, GRID_SAMPLE, ROT90, Case

_SINCE = {
    (GRID_SAMPLE, 4): ("GridSample", 16),
    (GRID_SAMPLE, 5): ("GridSample for volumes", 20),
    (AFFINE_GRID, 4): ("AffineGrid", 20),
    (AFFINE_GRID, 5): ("AffineGrid", 20),
}


def needed(case: Case) -> list[tuple[str, int]]:
    """Name and first opset of each operator of the case that ONNX has as one operator."""
    return [_SINCE[name, case.rank] for name in case.operators if (name, case.rank) in _SINCE]


def made_of_others(case: Case) -> bool:
    """Whether exporters write the case's operators with others of the standard (rot90: Transpose and Slice)."""
    return case.operators == (ROT90,)
