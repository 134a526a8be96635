"""The whole table as a cube of verdicts: what every page looks things up in, built in one pass over the cells."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matrix.verdicts import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matrix.records import CellRecord
    from matrix.report.known import Known
    from matrix.results import Results

#: One verdict name per route, in the order of ``Table.routes``.
Square = tuple[str, ...]

#: Where records of the committed run come from; what comes from elsewhere lies over it and is marked.
REFERENCE = "reference"

#: Marks on a square that are not verdicts: measured on this machine; at least one of its records is out of date.
HERE, STALE = 1, 2

#: A route that does not exist says less about a square than one that nobody has tried yet.
_RANK = {name: verdict.rank for name, verdict in VERDICTS.items()} | {"not-applicable": len(VERDICTS)}


@dataclass(frozen=True, slots=True)
class Table:
    """Axes and verdicts.

    ``squares[case][release][opset]`` is a Square by position on the axes; ``marks`` has the same shape and holds
    HERE and STALE bits. What the results hold beyond the known lists is appended to the axes.
    """

    results: Results
    known: Known
    releases: tuple[str, ...]
    opsets: tuple[int, ...]
    routes: tuple[str, ...]
    cases: tuple[str, ...]
    squares: dict[str, list[list[Square]]]
    marks: dict[str, list[list[int]]]
    records: dict[str, list[CellRecord]]

    def group(self, case: str) -> str:
        return self.known.cases.get(case, "")

    def groups(self) -> list[tuple[str, list[str]]]:
        """Cases by group, both in the order in which they are known."""
        groups: dict[str, list[str]] = {}
        for case in self.cases:
            groups.setdefault(self.group(case), []).append(case)
        return list(groups.items())


def best_route(square: Square) -> int:
    """Position of the route with the best verdict; the first one among equals."""
    ranks = [_RANK[name] for name in square]
    return ranks.index(min(ranks))


def build(results: Results, known: Known) -> Table:
    """Sort every cell into its place; what was not measured is ``not-run``, ``not-applicable`` or ``unavailable``."""
    records = _by_case(results, known)
    found = [record for group in records.values() for record in group]
    releases = _releases(known.releases, {record["torch"] for record in found})
    opsets = tuple(sorted({*known.opsets, *(record["opset"] for record in found)}))
    routes = (*known.routes, *sorted({record["route"] for record in found} - {*known.routes}))
    unavailable = {
        name.removeprefix("torch-") for name, env in results.environments.items() if env["verdict"] == "unavailable"
    }
    table = Table(results, known, releases, opsets, routes, tuple(records), {}, {}, records)
    for case, group in records.items():
        blanks = [_blank(known, release, case, routes, release in unavailable) for release in releases]
        table.squares[case], table.marks[case] = _fill(table, group, blanks)
    return table


def _by_case(results: Results, known: Known) -> dict[str, list[CellRecord]]:
    groups: dict[str, list[CellRecord]] = {case: [] for case in known.cases}
    for record in results.cells.values():
        groups.setdefault(record["case"], []).append(record)
    extra = sorted(groups.keys() - {*known.cases})
    return {case: groups[case] for case in (*known.cases, *extra)}


def _releases(known: tuple[str, ...], found: Iterable[str]) -> tuple[str, ...]:
    """Known releases in their order, others (``--torch 1.8.1``) put where their version belongs."""
    extra = {*found} - {*known}
    return tuple(sorted({*known, *extra}, key=_version_key)) if extra else known


def _version_key(text: str) -> tuple[tuple[int, ...], str]:
    from packaging.version import InvalidVersion, Version

    try:
        version = Version(text)
    except InvalidVersion:
        return tuple(int(number) for number in re.findall(r"\d+", text)), text
    return version.release, text


def _blank(known: Known, release: str, case: str, routes: tuple[str, ...], unavailable: bool) -> list[str]:
    missing = "unavailable" if unavailable else "not-run"
    return [missing if known.applicable(release, route, case) else "not-applicable" for route in routes]


def _fill(table: Table, group: list[CellRecord], blanks: list[list[str]]) -> tuple[list[list[Square]], list[list[int]]]:
    release_at = {release: position for position, release in enumerate(table.releases)}
    opset_at = {opset: position for position, opset in enumerate(table.opsets)}
    route_at = {route: position for position, route in enumerate(table.routes)}
    squares = [[list(blank) for _ in table.opsets] for blank in blanks]
    marks = [[0] * len(table.opsets) for _ in table.releases]
    stale, origin = table.known.stale, table.results.origin
    mixed = REFERENCE in origin.values()
    for record in group:
        row, column = release_at[record["torch"]], opset_at[record["opset"]]
        squares[row][column][route_at[record["route"]]] = record["verdict"]
        if mixed and origin.get(record["cell"], REFERENCE) != REFERENCE:
            marks[row][column] |= HERE
        if record["cell"] in stale:
            marks[row][column] |= STALE
    return [[tuple(square) for square in row] for row in squares], marks
