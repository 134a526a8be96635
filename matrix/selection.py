"""What the user asked for: a small frozen predicate over releases, opsets, routes, cases and cell ids."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from matrix.errors import UnknownNameError, UsageError
from matrix.probe.cases import CASES
from matrix.probe.routes import ROUTES, default_routes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matrix.catalog import Catalog, Release

_RANGE = re.compile(r"(\d+)(?:-(\d+))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Names as the user wrote them; an empty tuple means "not restricted".

    ``cells`` are patterns over whole cell ids, such as ``torch-1.8.0/opset-11/*``.
    """

    torch: tuple[str, ...] = ()
    opsets: tuple[str, ...] = ()
    routes: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    all_cases: bool = False
    quick: bool = False

    @property
    def is_narrow(self) -> bool:
        """Whether less than whole environments is asked for."""
        return bool(self.quick or self.opsets or self.routes or self.cases or self.cells)

    def chosen_releases(self, catalog: Catalog) -> list[Release]:
        """In order of interest. A pattern with wildcards chooses among the catalog's; a version may also be derived."""
        names = self.torch or (catalog.quick if self.quick else ())
        names += tuple(name for pattern in self.cells if (name := _torch_of(pattern)))
        chosen: dict[str, Release] = {}
        for name in names:
            if _is_pattern(name):
                found = [release for release in catalog.releases if fnmatchcase(release.version, name)]
                if not found:
                    raise UnknownNameError("PyTorch release", name, catalog.by_version)
            else:
                found = [catalog.release(name)]
            chosen |= {release.version: release for release in found}
        releases = list(chosen.values()) if names else list(catalog.releases)
        return catalog.in_order_of_interest(releases)

    def chosen_opsets(self, catalog: Catalog) -> list[int]:
        """Raises UsageError for what is no range and UnknownNameError for what the catalog does not ask for."""
        if not self.opsets:
            return list(catalog.opsets)
        chosen: set[int] = set()
        for text in self.opsets:
            match = _RANGE.fullmatch(text)
            if match is None:
                raise UsageError(f"{text!r} is no opset.", "Write 11, 11-16 or 11,16,20.")
            first, last = int(match[1]), int(match[2] or match[1])
            wanted = range(first, last + 1)
            if not wanted or first not in catalog.opsets or last not in catalog.opsets:
                known = f"{catalog.opsets[0]}-{catalog.opsets[-1]}"
                raise UsageError(f"no opset matches {text!r}.", f"The matrix asks for opsets {known}.")
            chosen |= set(wanted)
        return sorted(chosen)

    def chosen_routes(self) -> list[str]:
        """The default ones unless routes are named; a cell pattern adds those that it names."""
        if self.routes:
            return _matching("route", self.routes, ROUTES)
        named = {pattern.split("/")[2] for pattern in self.cells if pattern.count("/") >= 2}
        default = default_routes()
        return [
            route for route in ROUTES if route in default or any(fnmatchcase(route, name) for name in named - {"*"})
        ]

    def chosen_cases(self) -> list[str]:
        if self.cases:
            return _matching("case", self.cases, CASES)
        names_a_case = any(not pattern.endswith("/*") for pattern in self.cells)
        if self.all_cases or names_a_case:
            return list(CASES)
        return [case.id for case in CASES.values() if case.core]

    def accepts(self, cell_id: str) -> bool:
        """Whether the id matches one of the cell patterns, or there are none."""
        return not self.cells or any(fnmatchcase(cell_id, pattern) for pattern in self.cells)


def _matching(kind: str, patterns: Sequence[str], known: Iterable[str]) -> list[str]:
    known = list(known)
    chosen: set[str] = set()
    for pattern in patterns:
        found = [name for name in known if fnmatchcase(name, pattern)]
        if not found:
            raise UnknownNameError(kind, pattern, known)
        chosen.update(found)
    return [name for name in known if name in chosen]


def _is_pattern(text: str) -> bool:
    return any(character in text for character in "*?[")


def _torch_of(pattern: str) -> str | None:
    """The release part of a cell pattern, when the pattern has one."""
    head = pattern.split("/", 1)[0]
    return head.removeprefix("torch-") if head.startswith("torch-") else None
