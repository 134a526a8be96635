"""The overview: for every case and release, the route that covers the most opsets, and which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from matrix.report.naming import ranges
from matrix.report.squares import SHOWN_AS_ROUTE, tone
from matrix.report.table import HERE, Square, best_route
from matrix.verdicts import USABLE, VERDICTS, Verdict, best

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matrix.report.table import Table


@dataclass(frozen=True, slots=True)
class Coverage:
    """What one square of the overview says.

    ``route`` is the one that works at the most opsets, ``opsets`` where it works; ``preferred`` is a route earlier in
    the list that works at fewer. Without any working route, ``route`` is empty or has a partial verdict.
    """

    verdict: Verdict
    tone: str
    route: str
    opsets: str
    preferred: str
    preferred_opsets: str
    covered: int
    here: bool


def coverage(table: Table, case: str, row: int) -> Coverage:
    """One square: case × release over all opsets."""
    squares = table.squares[case][row]
    here = any(mark & HERE for mark in table.marks[case][row])
    works = {route: _opsets(table, squares, position) for position, route in enumerate(table.routes)}
    works = {route: opsets for route, opsets in works.items() if opsets}
    covered = len({opset for opsets in works.values() for opset in opsets})
    if not works:
        return _nothing_works(table, squares, here)
    widest = max(works, key=lambda route: len(works[route]))
    first = next(iter(works))
    names = [squares[table.opsets.index(opset)][table.routes.index(widest)] for opset in works[widest]]
    return Coverage(
        verdict=VERDICTS[best(names)],
        tone=tone(best(names), widest),
        route=widest,
        opsets=ranges(works[widest], table.opsets),
        preferred="" if first == widest else first,
        preferred_opsets="" if first == widest else ranges(works[first], table.opsets),
        covered=covered,
        here=here,
    )


def _opsets(table: Table, squares: Sequence[Square], position: int) -> list[int]:
    return [opset for opset, square in zip(table.opsets, squares, strict=True) if square[position] in USABLE]


def _nothing_works(table: Table, squares: Sequence[Square], here: bool) -> Coverage:
    name = best([square[best_route(square)] for square in squares])
    partial = name in SHOWN_AS_ROUTE
    at = [opset for opset, square in zip(table.opsets, squares, strict=True) if name in square]
    first = squares[table.opsets.index(at[0])]
    route = table.routes[first.index(name)] if partial else ""
    opsets = ranges(at, table.opsets) if partial else ""
    return Coverage(VERDICTS[name], VERDICTS[name].tone, route, opsets, "", "", 0, here)
