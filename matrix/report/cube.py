"""All verdicts in a form that a browser filters at once: one character per cell, one string per case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matrix.report.known import OWN_ROUTES
from matrix.report.naming import letters, slug
from matrix.report.squares import SHOWN_AS_ROUTE
from matrix.verdicts import USABLE, VERDICTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matrix.report.table import Table

_CODES = {name: chr(ord("a") + verdict.rank) for name, verdict in VERDICTS.items()}


def cube(table: Table, runtimes: Sequence[str], models: str) -> dict[str, Any]:
    """Axes, verdicts, runtimes and cells; a cell's character is at ``(release * opsets + opset) * routes + route``.

    ``models`` is where kept files are, relative to the first page; empty for nowhere.
    """
    return {
        "releases": table.releases,
        "opsets": table.opsets,
        "routes": table.routes,
        "letters": list(letters(table.routes).values()),
        "verdicts": [[verdict.name, verdict.symbol, verdict.tone] for verdict in VERDICTS.values()],
        "usable": sorted(USABLE),
        "own": [route for route in table.routes if route in OWN_ROUTES],
        "shownAsRoute": sorted(SHOWN_AS_ROUTE),
        "cases": [[case, slug(case), table.group(case)] for case in table.cases],
        "runtimes": list(runtimes),
        "runtimeFiles": {name: slug(name) for name in runtimes},
        "models": models,
        "machines": dict(sorted(table.results.machines.items())),
        "cells": {case: _cells(table, case) for case in table.cases},
    }


def _cells(table: Table, case: str) -> str:
    codes: dict[tuple[str, ...], str] = {}
    parts = []
    for row in table.squares[case]:
        for square in row:
            if square not in codes:
                codes[square] = "".join(_CODES[name] for name in square)
            parts.append(codes[square])
    return "".join(parts)
