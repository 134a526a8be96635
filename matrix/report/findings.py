"""What the whole table says that no single square does: where exporters begin to work, and where trouble is silent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from matrix.report.known import OWN_ROUTES
from matrix.report.places import Place, places
from matrix.verdicts import USABLE, VERDICTS

if TYPE_CHECKING:
    from matrix.records import CellRecord
    from matrix.report.table import Table

#: The export ends without an error, yet the file is not what was asked for: what nobody notices without measuring.
SILENT = ("mismatch", "dynamic-lost", "route-not-taken", "unloadable", "off-spec", "drift")
VIOLENT = ("crash", "timeout")


@dataclass(frozen=True, slots=True)
class Finding:
    """The same verdict of one route at the same places, for one or more cases; ``example`` is one of the cells."""

    verdict: str
    route: str
    cases: tuple[str, ...]
    where: tuple[Place, ...]
    example: CellRecord
    count: int


def thresholds(table: Table) -> list[Finding]:
    """Where PyTorch's own exporters give a usable file, cases with the same answer together."""
    return _grouped(table, {"pass": USABLE}, OWN_ROUTES)


def silent(table: Table) -> list[Finding]:
    """Files that were written without an error and are wrong, worst kinds first."""
    return _grouped(table, {name: frozenset({name}) for name in SILENT}, frozenset(table.routes))


def violent(table: Table) -> list[Finding]:
    """What takes the process with it."""
    return _grouped(table, {name: frozenset({name}) for name in VIOLENT}, frozenset(table.routes))


def _grouped(table: Table, kinds: dict[str, frozenset[str]], routes: frozenset[str]) -> list[Finding]:
    kind_of = {name: kind for kind, names in kinds.items() for name in names}
    found: dict[tuple[str, str, str], list[CellRecord]] = {}
    for case in table.cases:
        for record in table.records[case]:
            if record["verdict"] in kind_of and record["route"] in routes:
                found.setdefault((kind_of[record["verdict"]], record["route"], case), []).append(record)
    together: dict[tuple[str, str, tuple[Place, ...]], list[str]] = {}
    for (kind, route, case), records in found.items():
        where = places(table, ((record["torch"], record["opset"]) for record in records))
        together.setdefault((kind, route, where), []).append(case)
    order = [*kinds]
    keys = sorted(together, key=lambda key: (order.index(key[0]), table.routes.index(key[1])))
    return [_finding(table, key, together[key], found) for key in keys]


def _finding(
    table: Table,
    key: tuple[str, str, tuple[Place, ...]],
    cases: list[str],
    found: dict[tuple[str, str, str], list[CellRecord]],
) -> Finding:
    kind, route, where = key
    records = [record for case in cases for record in found[kind, route, case]]
    first = [record for record in records if record["case"] == cases[0]]
    example = min(first, key=lambda record: (table.releases.index(record["torch"]), record["opset"]))
    return Finding(VERDICTS[kind].name, route, tuple(cases), where, example, len(records))
