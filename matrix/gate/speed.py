"""Whether a route became slower, against the same run's anchor.

Machines differ and are busy, so seconds of two runs are not comparable. Within one run they are: the anchor is what
PyTorch's own exporters (native, dynamo) took for the same stage in the same environment, which no change of ours can
move. Medians of ratios over many cells, so that one slow cell decides nothing; and, from three environments on, the
median over environments, so that a minute in which the machine was busy decides nothing either.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from matrix.report.known import OWN_ROUTES

if TYPE_CHECKING:
    from matrix.results import Results

STAGES = ("export", "run")
#: Below this many cells in both runs, or for cells quicker than this, there is nothing to judge.
CELLS, ANCHORS, SECONDS = 10, 5, 1e-4
#: From so many environments on, a route is judged over all of them together.
ENVIRONMENTS = 3


def slower(baseline: Results, now: Results, factor: float) -> tuple[list[tuple[str, str]], list[str]]:
    """What fell by more than the factor, with a sentence, and what has too little data.

    Subjects are ``speed/shim/export`` over three environments or more, else ``speed/torch-1.8.0/shim/export``.
    """
    ratios = _ratios(baseline, now)
    slowdowns: dict[tuple[str, str], dict[str, float]] = {}
    unjudged = []
    for (environment, route, stage), values in sorted(ratios.items()):
        if route in OWN_ROUTES:
            continue
        anchor = [ratio for own in sorted(OWN_ROUTES) for ratio in ratios.get((environment, own, stage), [])]
        if len(values) < CELLS or len(anchor) < ANCHORS:
            unjudged.append(f"speed/{environment}/{route}/{stage}")
        else:
            slowdowns.setdefault((route, stage), {})[environment] = median(values) / median(anchor)
    found = []
    for (route, stage), by_environment in slowdowns.items():
        together = len(by_environment) >= ENVIRONMENTS
        judged = {"": median(by_environment.values())} if together else by_environment
        for environment, slowdown in judged.items():
            if slowdown > factor:
                subject = "/".join(filter(None, ("speed", environment, route, stage)))
                times = f"{slowdown:.2f} times as long as in the baseline, measured against PyTorch's own exporters"
                found.append((subject, f"{stage} by {route} takes {times} (allowed: {factor:g})"))
    return found, unjudged


def _ratios(baseline: Results, now: Results) -> dict[tuple[str, str, str], list[float]]:
    """Seconds now over seconds before, per environment, route and stage, of cells with the same verdict in both."""
    ratios: dict[tuple[str, str, str], list[float]] = {}
    for name, after in now.cells.items():
        before = baseline.cells.get(name)
        if before is None or before["verdict"] != after["verdict"]:
            continue
        for stage in STAGES:
            was, is_ = before.get("seconds", {}).get(stage, 0.0), after.get("seconds", {}).get(stage, 0.0)
            if was >= SECONDS and is_ > 0:
                ratios.setdefault((f"torch-{after['torch']}", after["route"], stage), []).append(is_ / was)
    return ratios
