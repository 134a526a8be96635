"""runtimes: what judged how much; compact: runs small enough to be kept; remedy: the smallest step for a red cell."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from matrix import remedy
from matrix import runtimes as catalogs
from matrix.cells import Cell
from matrix.cli.common import add_source, known_results
from matrix.errors import UnknownNameError
from matrix.verdicts import USABLE, VERDICTS

if TYPE_CHECKING:
    import argparse

    from matrix.cli.common import Commands
    from matrix.results import Results


def add(commands: Commands) -> None:
    runtimes = commands.add_parser("runtimes", help="list the runtimes and what they made of the distinct files")
    add_source(runtimes)
    runtimes.set_defaults(run=_runtimes)

    small = commands.add_parser("compact", help="copy runtimes' verdicts to a folder of cells, one line per outcome")
    small.add_argument("source", type=Path, metavar="FOLDER", help="where the runtimes judged")
    small.add_argument("target", type=Path, metavar="TARGET", help="where the cells are kept")
    small.add_argument("--cells", action="store_true", help="keep the environments' cells of FOLDER there too")
    small.set_defaults(run=_compact)

    step = commands.add_parser("remedy", help="what was measured to make a cell work, smallest change first")
    step.add_argument("cell", metavar="CELL", help="torch-2.0.1/opset-16/native/grid_sample-bicubic-border-4d")
    step.add_argument("--runtime", default="", metavar="NAME", help="in this runtime: ort-1.16.3")
    add_source(step)
    step.set_defaults(run=_remedy)


def _runtimes(values: argparse.Namespace) -> int:
    results = known_results(values)
    print(shared(results))
    models = set(results.models.values())
    judged: dict[str, Counter[str]] = {}
    for model in models:
        for name, run in results.runs.get(model, {}).items():
            judged.setdefault(name, Counter())[run["verdict"]] += 1
    names = {runtime.name: None for runtime in catalogs.load().runtimes} | dict.fromkeys(sorted(judged))
    for name in names:
        verdicts = judged.get(name, Counter())
        usable = sum(count for verdict, count in verdicts.items() if verdict in USABLE)
        rest = sorted((item for item in verdicts.items() if item[0] not in USABLE), key=lambda i: VERDICTS[i[0]].rank)
        print(f"{name:<26}{usable:>6} right  " + ", ".join(f"{count} {verdict}" for verdict, count in rest))
    return 0


def shared(results: Results) -> str:
    """How many cells share a distinct model."""
    cells = [cell for cell in results.cells.values() if cell.get("digest") in results.models]
    models = {results.models[cell["digest"]] for cell in cells}
    files = {cell["digest"] for cell in cells}
    each = f" ({len(cells) / len(models):.1f} cells each)" if models else ""
    return f"{len(cells)} cells gave {len(files)} files, which are {len(models)} distinct models{each}"


def _compact(values: argparse.Namespace) -> int:
    from matrix.compact import compact, keep_cells  # the locks that it takes are no part of looking at results

    written = keep_cells(values.source, values.target) if values.cells else {}
    for name, lines in (written | compact(values.source, values.target)).items():
        size = (values.target / name).stat().st_size
        print(f"{name}: {lines} lines, {size / 1e3:.0f} kB")
    return 0


def _remedy(values: argparse.Namespace) -> int:
    results = known_results(values)
    name = Cell.parse(values.cell).id
    if name not in results.cells:
        raise UnknownNameError("measured cell", name, results.cells)
    found = list(remedy.remedies(results, results.cells[name], values.runtime))
    for item in found:
        print(f"{item.text:<50} {item.cell}" + (f" in {item.runtime}" if item.runtime else ""))
    if not found:
        print("nothing to mend, or nothing measured that mends it")
    return 0
