"""A few numbers about the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from matrix.report.squares import tone
from matrix.report.table import Square, best_route
from matrix.verdicts import USABLE

if TYPE_CHECKING:
    from matrix.report.table import Table

#: Verdicts that are no measurement.
UNMEASURED = frozenset({"not-run", "not-applicable", "unavailable"})


@dataclass(frozen=True, slots=True)
class Summary:
    """Cells that exist, that were measured, that are usable; the first and last day of measuring."""

    cells: int
    measured: int
    usable: int
    first_day: str
    last_day: str
    verdicts: dict[str, int]


def summary(table: Table) -> Summary:
    """Count the table; cells that are not applicable do not exist."""
    counts: dict[str, int] = {}
    squares: dict[tuple[str, ...], int] = {}
    for rows in table.squares.values():
        for row in rows:
            for square in row:
                squares[square] = squares.get(square, 0) + 1
    for square, times in squares.items():
        for name in square:
            counts[name] = counts.get(name, 0) + times
    days = {record["measured_at"][:10] for record in table.results.cells.values()}
    return Summary(
        cells=sum(count for name, count in counts.items() if name != "not-applicable"),
        measured=sum(count for name, count in counts.items() if name not in UNMEASURED),
        usable=sum(count for name, count in counts.items() if name in USABLE),
        first_day=min(days, default=""),
        last_day=max(days, default=""),
        verdicts=counts,
    )


def squares_by_tone(table: Table) -> dict[str, int]:
    """Squares (case, release, opset) by the tone of their best route."""
    counts: dict[str, int] = {}
    for position in range(len(table.releases)):
        for name, count in tones_of(table, position).items():
            counts[name] = counts.get(name, 0) + count
    return counts


def tones_of(table: Table, row: int) -> dict[str, int]:
    """The same for the release at one position."""
    squares: dict[Square, int] = {}
    for rows in table.squares.values():
        for square in rows[row]:
            squares[square] = squares.get(square, 0) + 1
    counts: dict[str, int] = {}
    for square, times in squares.items():
        best = best_route(square)
        name = tone(square[best], table.routes[best])
        counts[name] = counts.get(name, 0) + times
    return counts


def by_release(table: Table) -> list[tuple[str, int, int]]:
    """Every release with how many of its cells were measured and how many are usable."""
    measured = dict.fromkeys(table.releases, 0)
    usable = dict.fromkeys(table.releases, 0)
    for record in table.results.cells.values():
        if record["verdict"] not in UNMEASURED:
            measured[record["torch"]] += 1
            usable[record["torch"]] += record["verdict"] in USABLE
    return [(release, measured[release], usable[release]) for release in table.releases]
