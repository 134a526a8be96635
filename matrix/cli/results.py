"""results: print what is known about cells, chosen by flags, by patterns of ids, by queries."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from matrix import catalog as catalogs
from matrix import query
from matrix import results as stored
from matrix.cli.common import add_source, known_results
from matrix.options import add_selection, selection_of
from matrix.plan import make_plan
from matrix.selection import Selection

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from matrix.cli.common import Commands
    from matrix.records import CellRecord
    from matrix.results import Results


def add(commands: Commands) -> None:
    results = commands.add_parser(
        "results",
        help="print measured cells, this machine's over the reference run's",
        epilog="Instead of ids also queries: 'torch>=2.5 and route==dynamo and emitted!=opset'. "
        f"Fields: {', '.join(query.FIELDS)}.",
    )
    add_selection(results)
    add_source(results)
    form = results.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object per cell, every field present")
    form.add_argument("--csv", action="store_true", help="a table for a spreadsheet")
    results.set_defaults(run=_results)


def _results(values: argparse.Namespace) -> int:
    queries = [text for text in values.patterns if query.is_query(text)]
    values.patterns = [text for text in values.patterns if not query.is_query(text)]
    known = known_results(values)
    found = chosen(known, selection_of(values), queries)
    if values.json:
        for record in found:
            print(json.dumps({**stored.complete(record), "runtimes": known.runtimes_of(record)}, ensure_ascii=False))
    elif values.csv:
        from matrix.report.export import as_csv

        print(as_csv(replace(known, cells={record["cell"]: record for record in found})), end="")
    else:
        _table(found)
    return 0


def _table(found: list[CellRecord]) -> None:
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


def chosen(known: Results, selection: Selection, queries: Iterable[str]) -> list[CellRecord]:
    """Measured records of the selection (in the plan's order; all of them without one) that every query accepts."""
    cases = {record["case"] for record in known.cells.values()}
    tests = [query.parse(text, cases=cases) for text in queries]
    records: list[CellRecord] = list(known.cells.values())
    if selection != Selection(all_cases=selection.all_cases):
        planned = (cell.id for task in make_plan(catalogs.load(), selection) for cell in task.cells)
        records = [known.cells[name] for name in planned if name in known.cells]
    origin = known.origin
    return [
        record for record in records if all(test(query.row(record, origin.get(record["cell"], ""))) for test in tests)
    ]
