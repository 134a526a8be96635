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
    """One verdict at one stage with messages that differ only in numbers, at the same places for all ``routes``."""

    routes: tuple[str, ...]
    verdict: str
    stage: str
    example: CellRecord
    command: str
    where: tuple[Place, ...]


#: Verdict, stage and the message without its numbers.
_Kind = tuple[str, str, str]


def failures(table: Table, case: str) -> list[Failure]:
    """Kinds of failure of one case in the order of their first route, worst verdict last."""
    found: dict[tuple[_Kind, str], list[CellRecord]] = {}
    for record in table.records[case]:
        if VERDICTS[record["verdict"]].tone in {"bad", "broken", "partial"}:
            error = record.get("error")
            message = f"{error['type']}: {_shape(error['message'])}" if error else ""
            kind = (record["verdict"], record["stage"], message)
            found.setdefault((kind, record["route"]), []).append(record)
    order = {route: position for position, route in enumerate(table.routes)}
    together: dict[tuple[_Kind, tuple[Place, ...]], list[str]] = {}
    for kind, route in sorted(found, key=lambda key: (order[key[1]], VERDICTS[key[0][0]].rank, key[0])):
        where = places(table, ((record["torch"], record["opset"]) for record in found[kind, route]))
        together.setdefault((kind, where), []).append(route)
    return [
        _failure(table, kind, tuple(routes), where, found[kind, routes[0]])
        for (kind, where), routes in together.items()
    ]


def _failure(
    table: Table, kind: _Kind, routes: tuple[str, ...], where: tuple[Place, ...], records: list[CellRecord]
) -> Failure:
    verdict, stage, _ = kind
    example = min(records, key=lambda record: (table.releases.index(record["torch"]), record["opset"]))
    return Failure(routes, verdict, stage, example, command(example["cell"]), where)


@lru_cache(maxsize=65536)
def _shape(message: str) -> str:
    return re.sub(r"\d+", "#", message)
