"""Are these the numbers that eager PyTorch gave?"""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence, Tuple

import numpy


def compare(
    runs: Sequence[Sequence[Any]], expected: Sequence[Any], atol: float, rtol: float
) -> Tuple[bool, Dict[str, Any]]:
    """Whether every run gives the expected arrays within the tolerance, and the largest differences.

    The tolerance is elementwise, ``|a - b| <= atol + rtol * |b|`` with b the eager value, as in numpy.isclose;
    NaN equals NaN. Another shape, count or dtype counts as an infinite difference, given as None.
    """
    worst_abs: Optional[float] = 0.0
    worst_rel: Optional[float] = 0.0
    right = True
    for run in runs:
        if len(run) != len(expected):
            return False, {"max_abs_error": None, "max_rel_error": None}
        for got, want in zip(run, expected):
            if got.shape != want.shape or got.dtype != want.dtype:
                return False, {"max_abs_error": None, "max_rel_error": None}
            difference = numpy.abs(got.astype("float64") - want)
            same_nan = numpy.isnan(got) & numpy.isnan(want)
            difference[same_nan] = 0.0
            size = numpy.abs(want)
            right = right and bool((difference <= atol + rtol * size).all())
            if difference.size:
                worst_abs = _worse(worst_abs, difference)
                worst_rel = _worse(worst_rel, difference / numpy.maximum(size, atol))
    return right, {"max_abs_error": worst_abs, "max_rel_error": worst_rel}


def worse_of(first: Dict[str, Any], second: Dict[str, Any]) -> Dict[str, Any]:
    """The larger of both answers of ``compare``; None, which is infinite, is the largest."""
    pairs = {name: (first[name], second[name]) for name in ("max_abs_error", "max_rel_error")}
    return {name: None if None in pair else max(pair) for name, pair in pairs.items()}


def _worse(worst: Optional[float], values: Any) -> Optional[float]:
    largest = float(values.max())
    if worst is None or not numpy.isfinite(largest):
        return None
    return max(worst, float("{:.3g}".format(largest)))
