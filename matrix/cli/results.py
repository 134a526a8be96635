"""results: print what is known about cells."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from matrix import catalog as catalogs
from matrix import results as stored
from matrix.cli.common import add_source, known_results
from matrix.options import add_selection, selection_of
from matrix.plan import make_plan

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from matrix.cells import Cell
    from matrix.cli.common import Commands
    from matrix.records import CellRecord
    from matrix.results import Results


def add(commands: Commands) -> None:
    results = commands.add_parser("results", help="print measured cells, this machine's over the reference run's")
    add_selection(results)
    add_source(results)
    results.add_argument("--json", action="store_true", help="one JSON object per cell, every field present")
    results.set_defaults(run=_results)


def _results(values: argparse.Namespace) -> int:
    known = known_results(values)
    found = list(_selected(known, values))
    if values.json:
        for record in found:
            print(json.dumps({**stored.complete(record), "runtimes": known.runtimes_of(record)}, ensure_ascii=False))
        return 0
    width = max((len(record["cell"]) for record in found), default=0)
    for record in found:
        error = record.get("max_abs_error")
        note = (
            record["error"]["message"][:90]
            if "error" in record
            else f"max error {error:.1e}"
            if error is not None
            else ""
        )
        print(f"{record['cell']:<{width}}  {record['verdict']:<17}  {note}".rstrip())
    return 0


def _selected(known: Results, values: argparse.Namespace) -> Iterator[CellRecord]:
    """Measured records of the selection, in the plan's order; without a selection all of them."""
    selection = selection_of(values)
    if not any(
        (selection.torch, selection.opsets, selection.cases, selection.routes, selection.cells, selection.quick)
    ):
        yield from known.cells.values()
        return
    cells: list[Cell] = [cell for task in make_plan(catalogs.load(), selection) for cell in task.cells]
    yield from (known.cells[cell.id] for cell in cells if cell.id in known.cells)
