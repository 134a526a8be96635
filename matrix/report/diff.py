"""Two runs compared: only what changed, regressions first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from matrix.report.places import Place, places
from matrix.verdicts import VERDICTS

if TYPE_CHECKING:
    from matrix.records import CellRecord
    from matrix.report.table import Table
    from matrix.results import Results

Kind = Literal["regression", "improvement", "opset", "new", "gone"]
KINDS: tuple[Kind, ...] = ("regression", "improvement", "opset", "new", "gone")


@dataclass(frozen=True, slots=True)
class Change:
    """The same change of one route at the same places, for one or more cases; ``example`` is the first of its cells.

    ``opset`` is a change of the emitted opset alone: ``before`` and ``after`` are then numbers.
    """

    kind: Kind
    route: str
    before: str
    after: str
    cases: tuple[str, ...]
    where: tuple[Place, ...]
    example: str
    count: int


#: Kind, route, before and after: what makes two changed cells the same change.
_Key = tuple[Kind, str, str, str]


def compare(before: Results, table: Table) -> list[Change]:
    """What ``table`` says otherwise than the earlier results. A cell measured in only one of them is new or gone."""
    found: dict[tuple[_Key, str], list[tuple[str, int]]] = {}
    for name in before.cells.keys() | table.results.cells.keys():
        old, new = before.cells.get(name), table.results.cells.get(name)
        record = new or old
        change = _changed(old, new)
        if record is not None and change is not None:
            kind, was, now = change
            changed = (kind, record["route"], was, now), record["case"]
            found.setdefault(changed, []).append((record["torch"], record["opset"]))
    together: dict[tuple[_Key, tuple[Place, ...]], list[str]] = {}
    for key, case in sorted(found):
        together.setdefault((key, places(table, found[key, case])), []).append(case)
    order = sorted(together, key=lambda one: (KINDS.index(one[0][0]), -_severity(one[0]), one))
    return [_change(table, key, where, together[key, where], found) for key, where in order]


def _changed(old: CellRecord | None, new: CellRecord | None) -> tuple[Kind, str, str] | None:
    was, now = old["verdict"] if old else "not-run", new["verdict"] if new else "not-run"
    if was != now:
        return _kind(was, now), was, now
    emitted = [str(record.get("emitted_opset", "–")) if record else "–" for record in (old, new)]
    return ("opset", emitted[0], emitted[1]) if emitted[0] != emitted[1] else None


def _kind(was: str, now: str) -> Kind:
    if VERDICTS[was].tone == "blank":
        return "new"
    if VERDICTS[now].tone == "blank":
        return "gone"
    return "regression" if VERDICTS[now].rank > VERDICTS[was].rank else "improvement"


def _severity(key: _Key) -> int:
    """How far apart the verdicts are; what was usable before counts most."""
    kind, _, was, now = key
    return VERDICTS[now].rank - VERDICTS[was].rank if kind == "regression" else 0


def _change(
    table: Table,
    key: _Key,
    where: tuple[Place, ...],
    cases: list[str],
    found: dict[tuple[_Key, str], list[tuple[str, int]]],
) -> Change:
    kind, route, before, after = key
    order = {release: position for position, release in enumerate(table.releases)}
    release, opset = min(found[key, cases[0]], key=lambda place: (order.get(place[0], len(order)), *place))
    count = sum(len(found[key, case]) for case in cases)
    return Change(kind, route, before, after, tuple(cases), where, f"torch-{release}/opset-{opset}", count)
