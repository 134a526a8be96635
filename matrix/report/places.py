"""Many cells in few words: ``1.12.1: 16; 2.0.1–2.3.1: 16–18``."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from matrix.report.naming import ranges

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matrix.report.table import Table

#: Releases, and the opsets at which it holds for them.
Place = tuple[str, str]


def places(table: Table, found: Iterable[tuple[str, int]]) -> tuple[Place, ...]:
    """Pairs of release and opset, neighbouring releases with the same opsets joined, in the order of the releases."""
    return _joined(frozenset(found), tuple(table.releases), tuple(table.opsets))


@lru_cache(maxsize=1 << 14)  # runtimes are right in the same places again and again
def _joined(found: frozenset[tuple[str, int]], releases: tuple[str, ...], axis: tuple[int, ...]) -> tuple[Place, ...]:
    by_release: dict[str, set[int]] = {}
    for release, opset in found:
        by_release.setdefault(release, set()).add(opset)
    joined: list[tuple[str, str, str]] = []
    previous = ""
    for release in (*releases, *sorted(by_release.keys() - {*releases})):
        opsets = ranges(by_release[release], axis) if release in by_release else ""
        if opsets and opsets == previous:
            joined[-1] = (joined[-1][0], release, opsets)
        elif opsets:
            joined.append((release, release, opsets))
        previous = opsets
    return tuple((first if first == last else f"{first}–{last}", opsets) for first, last, opsets in joined)
