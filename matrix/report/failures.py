"""What failed in a case, grouped so that it can be read: one entry per kind of failure instead of one per cell."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from matrix.report.naming import command, ranges
from matrix.verdicts import VERDICTS

if TYPE_CHECKING:
    from matrix.records import CellRecord
    from matrix.report.table import Table


@dataclass(frozen=True, slots=True)
class Failure:
    """One kind of failure: a route's verdict at a stage with messages that differ only in numbers."""

    route: str
    verdict: str
    stage: str
    example: CellRecord
    command: str
    where: list[tuple[str, str]]
    count: int


def failures(table: Table, case: str) -> list[Failure]:
    """Kinds of failure of one case by route and rank; ``where`` pairs releases with opsets."""
    groups: dict[tuple[str, str, str, str], list[CellRecord]] = {}
    for record in table.records[case]:
        if VERDICTS[record["verdict"]].tone in {"bad", "broken", "partial"}:
            error = record.get("error")
            message = f"{error['type']}: {_shape(error['message'])}" if error else ""
            groups.setdefault((record["route"], record["verdict"], record["stage"], message), []).append(record)
    order = {route: position for position, route in enumerate(table.routes)}
    keys = sorted(groups, key=lambda key: (order[key[0]], VERDICTS[key[1]].rank, key[2:]))
    return [_failure(table, key, groups[key]) for key in keys]


def _failure(table: Table, key: tuple[str, str, str, str], records: list[CellRecord]) -> Failure:
    route, verdict, stage, _ = key
    by_release: dict[str, set[int]] = {}
    for record in records:
        by_release.setdefault(record["torch"], set()).add(record["opset"])
    by_opsets: dict[str, list[str]] = {}
    for release in table.releases:
        if release in by_release:
            by_opsets.setdefault(ranges(by_release[release], table.opsets), []).append(release)
    where = [(_releases(table, releases), opsets) for opsets, releases in by_opsets.items()]
    example = min(records, key=lambda record: (table.releases.index(record["torch"]), record["opset"]))
    return Failure(route, verdict, stage, example, command(example["cell"]), where, len(records))


def _releases(table: Table, releases: list[str]) -> str:
    """Releases that follow each other as a range."""
    positions = [table.releases.index(release) for release in releases]
    runs: list[list[int]] = []
    for position in positions:
        if runs and position == runs[-1][1] + 1:
            runs[-1][1] = position
        else:
            runs.append([position, position])
    return ", ".join(
        table.releases[first] if first == last else f"{table.releases[first]}–{table.releases[last]}"
        for first, last in runs
    )


@lru_cache(maxsize=65536)
def _shape(message: str) -> str:
    return re.sub(r"\d+", "#", message)
