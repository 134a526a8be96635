"""What a plan costs in seconds: as the reference run measured it, else a guess by exporter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matrix import locks
from matrix.probe.routes import DYNAMO, ROUTES, TORCHSCRIPT

if TYPE_CHECKING:
    from matrix.catalog import Release
    from matrix.cells import Cell
    from matrix.results import Results

#: Used where the reference run does not know better: seconds per cell by exporter, and per environment.
SECONDS = {TORCHSCRIPT: 0.02, DYNAMO: 0.4}
SECONDS_PER_ENVIRONMENT = 25.0
BYTES_PER_SECOND = 100e6


def cell_seconds(cell: Cell, known: Results) -> float:
    """On one core."""
    record = known.cells.get(cell.id)
    if record is not None and record["verdict"] != "unavailable" and "seconds" in record:
        return sum(record["seconds"].values())
    return SECONDS[ROUTES[cell.route].exporter]


def setup_seconds(release: Release) -> float:
    """Making its environment where nothing is cached."""
    return SECONDS_PER_ENVIRONMENT + (locks.download_bytes(release) or 0) / BYTES_PER_SECOND
