"""Fingerprints: a cell whose fingerprint has a result need not be measured again."""

from __future__ import annotations

import functools
import hashlib
from typing import TYPE_CHECKING

from matrix import locks, own
from matrix.catalog import ROOT
from matrix.cells import Cell
from matrix.environment import Source
from matrix.probe.cases import CASES
from matrix.probe.routes import ROUTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from matrix.catalog import Catalog, Release
    from matrix.results import Results

_PROBE = ROOT / "matrix" / "probe"
_KERNELS = ROOT / "kernels" / "onnxgrid"

#: The files of the probe that can change an outcome; the others only carry it.
_MEASURING = (
    "cases", "cell", "comparison", "data", "export", "failures", "inputs", "inspection", "modules", "peers", "routes",
    "spec",
)  # fmt: skip


class Fingerprints:
    """Fingerprints of one environment's cells."""

    def __init__(self, catalog: Catalog, release: Release, source: Source) -> None:
        self._environment = "|".join([release.version, locks.digest(catalog, release), *source.arguments()])

    def of(self, cell: Cell) -> str:
        """Twelve hex digits over all that may change the cell's outcome."""
        kernels = kernels_digest() if ROUTES[cell.route].helper else ""
        parts = [self._environment, probe_digest(), kernels, cell.id]
        if cell.case in CASES and (source := own.digest(CASES[cell.case])):
            parts.append(source)
        return hashlib.sha256("|".join(parts).encode()).hexdigest()[:12]


def stale(catalog: Catalog, results: Results, sources: Mapping[str, Source]) -> set[str]:
    """Ids of the cells that would be measured again: something that may change their outcome has changed since.

    ``sources`` gives, by origin of a record, where its packages came from; other origins used the default.
    """
    makers: dict[tuple[str, str], Fingerprints] = {}
    found = set()
    for name, record in results.cells.items():
        origin = results.origin[name]
        key = (record["torch"], origin)
        if key not in makers:
            makers[key] = Fingerprints(catalog, catalog.release(record["torch"]), sources.get(origin, Source()))
        cell = Cell.parse(name)
        known = cell.route in ROUTES and cell.case in CASES
        if known and makers[key].of(cell) != record["fingerprint"]:
            found.add(name)
    return found


@functools.cache
def probe_digest() -> str:
    return _digest(_PROBE / f"{name}.py" for name in _MEASURING)


@functools.cache
def kernels_digest() -> str:
    return _digest(sorted(_KERNELS.rglob("*.py")))


def _digest(paths: Iterable[Path]) -> str:
    total = hashlib.sha256()
    for path in paths:
        total.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()[:12]
