"""What failed in a case, grouped so that it can be read: one entry per kind of failure instead of one per cell."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from matrix.report.naming import command
from matrix.report.places import Place, places
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
    where: tuple[Place, ...]
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
    where = places(table, ((record["torch"], record["opset"]) for record in records))
    example = min(records, key=lambda record: (table.releases.index(record["torch"]), record["opset"]))
    return Failure(route, verdict, stage, example, command(example["cell"]), where, len(records))


@lru_cache(maxsize=65536)
def _shape(message: str) -> str:
    return re.sub(r"\d+", "#", message)
