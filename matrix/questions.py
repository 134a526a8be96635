"""Which distinct files are to be judged, and with which data: cells -> questions.

Files that differ in names only are one question when their inputs are the same. Which files those are is kept in
``files.jsonl`` beside the results, one ``file`` line per question and batch.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from filelock import FileLock

from matrix import environment, probe_process, runtimes
from matrix.probe.cases import CASES
from matrix.results import Writer

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from matrix.environment import Source
    from matrix.records import CellRecord
    from matrix.results import Results

FILES = "files.jsonl"
#: The runtime in whose environment files are compared: it has onnx.
_SORTER = "reference-1.23.2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One distinct model with one set of inputs.

    ``file`` is the digest of one exported file that stands for all of them; ``data`` names the arrays of every
    release that exported it: equal inputs, outputs that differ by rounding.
    """

    digest: str
    file: str
    data: tuple[str, ...]
    case: str
    cells: int
    ir: int
    functions: bool
    custom: bool

    @property
    def tolerance(self) -> tuple[float, float]:
        case = CASES[self.case]
        return case.atol, case.rtol


def questions(results: Results, cells: Iterable[CellRecord], models: Path) -> list[Question]:
    """Questions of the cells whose file and data are kept in ``models``, by digest."""
    kept = {path.name for path in models.iterdir()} if models.is_dir() else set()
    groups: defaultdict[str, list[CellRecord]] = defaultdict(list)
    for cell in cells:
        if "digest" not in cell or f"{cell['digest']}.onnx" not in kept or f"{cell.get('data')}.npz" not in kept:
            continue
        groups[results.models.get(cell["digest"], cell["digest"])].append(cell)
    return [_question(digest, groups[digest]) for digest in sorted(groups)]


def _question(digest: str, cells: list[CellRecord]) -> Question:
    first = min(cells, key=lambda cell: cell["digest"])
    operators = first.get("operators", {})
    return Question(
        digest=digest,
        file=first["digest"],
        data=tuple(sorted({cell["data"] for cell in cells})),
        case=first["case"],
        cells=len(cells),
        ir=first.get("ir_version", 0),
        functions=bool(first.get("functions")),
        custom=any(name.startswith("custom.ops::") for name in operators),
    )


def sort_files(folder: Path, results: Results, cells: Iterable[CellRecord], source: Source) -> int:
    """Find out which kept files of the cells are the same model; returns how many were new.

    Raises what ``environment.ensure`` raises when the environment that compares them cannot be made.
    """
    models = folder / "models"
    with FileLock(folder / ".files.lock"):
        new = {
            cell["digest"]: cell["data"]
            for cell in cells
            if "data" in cell and cell.get("digest") and cell["digest"] not in results.models
        }
        present = [digest for digest in sorted(new) if (models / f"{digest}.onnx").exists()]
        if not present:
            return 0
        catalog = runtimes.load()
        made = environment.ensure(catalog, catalog.runtime(_SORTER), source)
        items = [{"path": str(models / f"{name}.onnx"), "inputs": new[name].split("-")[0]} for name in present]
        groups: defaultdict[str, list[str]] = defaultdict(list)
        for message in probe_process.messages(made.python, {"cells": items}, module="matrix.probe.sorting"):
            if message["event"] == "cell":
                groups[message["record"]["digest"]].append(present[message["index"]])
        lines = [{"kind": "file", "digest": digest, "files": files} for digest, files in sorted(groups.items())]
        with Writer(folder / FILES) as writer:
            writer.append(lines)
        for line in lines:
            results.add(line, origin=folder.name)
        return len(present)
