"""What every runtime made of the files: the environments' own and those that judged the files afterwards."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from matrix.report.places import Place, places
from matrix.verdicts import USABLE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matrix.records import RunRecord
    from matrix.report.table import Table


@dataclass(slots=True)
class Runtime:
    """One runtime: verdicts of the cells whose files it judged, counted, and by case and route where it is right."""

    name: str
    further: bool
    verdicts: dict[str, int] = field(default_factory=dict)
    right: dict[tuple[str, str], list[tuple[str, int]]] = field(default_factory=dict)
    wrong: dict[tuple[str, str, str], list[tuple[str, int]]] = field(default_factory=dict)

    def add(self, case: str, route: str, verdict: str, found: Sequence[tuple[str, int]]) -> None:
        """Take the verdict of the cells in these places."""
        self.verdicts[verdict] = self.verdicts.get(verdict, 0) + len(found)
        if verdict in USABLE:
            self.right.setdefault((case, route), []).extend(found)
        else:
            self.wrong.setdefault((case, route, verdict), []).extend(found)

    @property
    def judged(self) -> int:
        return sum(self.verdicts.values())

    @property
    def usable(self) -> int:
        return sum(count for name, count in self.verdicts.items() if name in USABLE)

    def where(self, table: Table, case: str, route: str) -> tuple[Place, ...]:
        """Releases and opsets whose files it runs rightly."""
        return places(table, self.right.get((case, route), ()))

    def troubles(self, table: Table) -> list[tuple[str, str, str, tuple[Place, ...]]]:
        """Case, route, verdict and places of everything else, in the order of the table."""
        order = sorted(self.wrong, key=lambda key: (table.cases.index(key[0]), table.routes.index(key[1]), key[2]))
        return [(*key, places(table, self.wrong[key])) for key in order]


def runtimes(table: Table) -> list[Runtime]:
    """All runtimes of the results by name and version; empty without a cell that ran."""
    found: dict[str, Runtime] = {}
    for case in table.cases:
        for (route, own, _), (places_, judged) in _alike(table, case).items():
            for name, run in judged.items():
                if name != own:
                    runtime = found.setdefault(name, Runtime(name, further=True))
                    runtime.further = True
                    runtime.add(case, route, run["verdict"], places_)
        for record in table.records[case]:
            own = record.get("runtime")
            if own is not None and "digest" in record:
                place = (record["torch"], record["opset"])
                found.setdefault(own, Runtime(own, further=False)).add(
                    case, record["route"], record["verdict"], [place]
                )
    return sorted(found.values(), key=lambda runtime: _natural(runtime.name))


def _alike(
    table: Table, case: str
) -> dict[tuple[str, str | None, int], tuple[list[tuple[str, int]], Mapping[str, RunRecord]]]:
    """Places of the case's cells by route, own runtime and what further runtimes said: most cells share a file."""
    alike: dict[tuple[str, str | None, int], tuple[list[tuple[str, int]], Mapping[str, RunRecord]]] = {}
    for record in table.records[case]:
        judged = table.results.runs.get(record.get("digest", ""))
        if judged:
            key = (record["route"], record.get("runtime"), id(judged))
            alike.setdefault(key, ([], judged))[0].append((record["torch"], record["opset"]))
    return alike


def _natural(name: str) -> tuple[str, tuple[int, ...], str]:
    kind = re.split(r"[-\d]", name, maxsplit=1)[0]
    return kind, tuple(int(number) for number in re.findall(r"\d+", name)), name
