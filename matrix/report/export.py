"""Cells as JSON and CSV, one line per cell, for other programs."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from matrix.results import complete

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matrix.records import CellRecord
    from matrix.results import Results

#: Columns of the CSV file; what is nested in a record is left to JSON.
COLUMNS = (
    "cell", "torch", "opset", "route", "case", "verdict", "stage", "emitted_opset", "ir_version", "nodes", "bytes",
    "max_abs_error", "max_rel_error", "runtime", "error_type", "error_message", "measured_at", "machine", "origin",
)  # fmt: skip


def as_json(results: Results) -> str:
    """JSON Lines: every field of every cell, absent ones as null, with ``runtimes`` and ``origin``."""
    lines = (
        complete(cell) | {"runtimes": results.runtimes_of(cell), "origin": results.origin.get(cell["cell"], "")}
        for cell in in_order(results)
    )
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)


def as_csv(results: Results) -> str:
    """Comma-separated values with a head line (RFC 4180); text that a spreadsheet would run as a formula is quoted."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for cell in in_order(results):
        values: dict[str, Any] = dict(cell)
        error = cell.get("error")
        values |= {"origin": results.origin.get(cell["cell"], "")}
        values |= {"error_type": error["type"], "error_message": error["message"]} if error else {}
        writer.writerow([_harmless(values.get(name)) for name in COLUMNS])
    return out.getvalue()


def in_order(results: Results) -> Iterator[CellRecord]:
    """Cells by environment (from old to new), case, route and opset, in whatever order they were measured."""
    from packaging.version import InvalidVersion, Version

    def key(record: CellRecord) -> tuple[Any, ...]:
        try:
            release: tuple[int, ...] = Version(record["torch"]).release
        except InvalidVersion:
            release = ()
        return release, record["torch"], record["case"], record["route"], record["opset"]

    yield from sorted(results.cells.values(), key=key)


def _harmless(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value[:1] in {"=", "+", "-", "@", "\t", "\r"} else value
