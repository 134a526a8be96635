"""``python -m matrix``: subcommands for people and for CI; measuring itself is nox's business (`nox -s matrix`)."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from matrix import catalog as catalogs
from matrix import results as stored
from matrix.errors import MatrixError
from matrix.options import LOCAL, REFERENCE, add_folder, add_selection, selection_of, unknown_option
from matrix.plan import make_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from matrix.cells import Cell
    from matrix.records import CellRecord
    from matrix.results import Results


def main(arguments: Sequence[str]) -> int:
    """Run one subcommand; the exit code is 0, or the error's."""
    parser = _parser()
    try:
        values, unknown = parser.parse_known_args(list(arguments))
        if unknown:
            raise unknown_option(parser, unknown[0])
        command: Callable[[argparse.Namespace], int] = values.run
        return command(values)
    except MatrixError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        sys.stderr.close()
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m matrix", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    plan = commands.add_parser("plan", help="print the cells that a selection names, without running them")
    add_selection(plan)
    plan.set_defaults(run=_plan)

    results = commands.add_parser("results", help="print measured cells, this machine's over the reference run's")
    add_selection(results)
    add_folder(results)
    results.add_argument("--from", dest="only", type=Path, metavar="FOLDER", help="read this folder alone")
    results.add_argument("--json", action="store_true", help="one JSON object per cell, every field present")
    results.set_defaults(run=_results)

    dashboard = commands.add_parser("dashboard", help="render the dashboard again")
    add_folder(dashboard)
    dashboard.add_argument("--reference", action="store_true", help="of the reference run alone")
    dashboard.add_argument("--before", type=Path, metavar="FOLDER", help="an earlier run, for the page of changes")
    dashboard.set_defaults(run=_dashboard)

    catalog = commands.add_parser("catalog", help="list the releases; --update adds those that the index has beyond")
    catalog.add_argument("--update", action="store_true", help="ask the index, add entries, lock them")
    catalog.add_argument("--index", default="", metavar="URL", help="another index than uv's default")
    catalog.set_defaults(run=_catalog)

    lock = commands.add_parser("lock", help="resolve and pin environments (needs the network)")
    lock.add_argument("releases", nargs="*", metavar="RELEASE", help="default: all")
    lock.set_defaults(run=_lock)
    return parser


def _plan(values: argparse.Namespace) -> int:
    tasks = make_plan(catalogs.load(), selection_of(values))
    for task in tasks:
        for cell in task.cells:
            print(cell.id)
    print(f"{sum(len(task.cells) for task in tasks)} cells in {len(tasks)} environments", file=sys.stderr)
    return 0


def _results(values: argparse.Namespace) -> int:
    known = stored.load(values.only) if values.only else stored.load(REFERENCE, values.results)
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


def _dashboard(values: argparse.Namespace) -> int:
    from matrix.publish import dashboard

    folder = REFERENCE if values.reference else values.results
    print(dashboard(folder, before=values.before))
    return 0


def _catalog(values: argparse.Namespace) -> int:
    from matrix import updates

    if values.update:
        for line in updates.update(values.index):
            print(line)
        return 0
    for release in catalogs.load().releases:
        print(f"{release.version:<8} Python {release.python:<5} CUDA {release.cuda:<5} {' '.join(release.exporters)}")
    return 0


def _lock(values: argparse.Namespace) -> int:
    from matrix import locks

    catalog = catalogs.load()
    releases = [catalog.release(text) for text in values.releases] or list(catalog.releases)
    for release in releases:
        path = locks.make(catalog, release)
        size = locks.download_bytes(release) or 0
        print(f"{path.name}: {size / 1e9:.2f} GB to download", flush=True)
    return 0


__all__ = ["LOCAL", "main"]
