"""Two runs compared: only what changed, regressions first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from matrix.report.places import Place, places
from matrix.verdicts import VERDICTS

if TYPE_CHECKING:
    from matrix.report.table import Table
    from matrix.results import Results

Kind = Literal["regression", "improvement", "opset", "new", "gone"]
KINDS: tuple[Kind, ...] = ("regression", "improvement", "opset", "new", "gone")


@dataclass(frozen=True, slots=True)
class Change:
    """The same change of one route for one case, wherever it happened; ``cells`` are all of them in order.

    ``opset`` is a change of the emitted opset alone: ``before`` and ``after`` are then numbers.
    """

    kind: Kind
    route: str
    case: str
    before: str
    after: str
    where: tuple[Place, ...]
    cells: tuple[str, ...]


def compare(before: Results, table: Table) -> list[Change]:
    """What ``table`` says otherwise than the earlier results. A cell measured in only one of them is new or gone."""
    groups: dict[tuple[Kind, str, str, str, str], list[tuple[str, int, str]]] = {}
    for name in before.cells.keys() | table.results.cells.keys():
        old, new = before.cells.get(name), table.results.cells.get(name)
        record = new or old
        if record is None:
            continue
        was, now = old["verdict"] if old else "not-run", new["verdict"] if new else "not-run"
        kind = _kind(was, now)
        if kind is None and old and new and old.get("emitted_opset") != new.get("emitted_opset"):
            kind, was, now = "opset", str(old.get("emitted_opset", "–")), str(new.get("emitted_opset", "–"))
        if kind is not None:
            key = (kind, record["route"], record["case"], was, now)
            groups.setdefault(key, []).append((record["torch"], record["opset"], name))
    keys = sorted(groups, key=lambda key: (KINDS.index(key[0]), -_severity(key), key))
    return [_change(table, key, groups[key]) for key in keys]


def _kind(was: str, now: str) -> Kind | None:
    if was == now:
        return None
    if VERDICTS[was].tone == "blank":
        return "new"
    if VERDICTS[now].tone == "blank":
        return "gone"
    return "regression" if VERDICTS[now].rank > VERDICTS[was].rank else "improvement"


def _severity(key: tuple[Kind, str, str, str, str]) -> int:
    """How far apart the verdicts are; what was usable before counts most."""
    kind, _, _, was, now = key
    return VERDICTS[now].rank - VERDICTS[was].rank if kind == "regression" else 0


def _change(table: Table, key: tuple[Kind, str, str, str, str], found: list[tuple[str, int, str]]) -> Change:
    kind, route, case, before, after = key
    order = {release: position for position, release in enumerate(table.releases)}
    found.sort(key=lambda one: (order.get(one[0], len(order)), one[1]))
    where = places(table, ((release, opset) for release, opset, _ in found))
    return Change(kind, route, case, before, after, where, tuple(name for *_, name in found))
