"""Lines of results files that come from elsewhere, held against the types of ``records`` (msgspec does it)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from matrix.cells import Cell
from matrix.errors import ResultsError, UsageError
from matrix.records import BuildRecord, CellRecord, EnvironmentRecord, FileRecord, RunRecord, RuntimeRecord
from matrix.verdicts import STAGES, VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TYPES: dict[str, Any] = {
    "environment": EnvironmentRecord,
    "build": BuildRecord,
    "cell": CellRecord,
    "runtime": RuntimeRecord,
    "file": FileRecord,
    "run": RunRecord,
}

#: What becomes part of a file's name.
_DIGEST = re.compile(r"[0-9A-Za-z]+(-[0-9A-Za-z]+)?")
_REMEDY = "It does not follow docs/results.md: leave that file out, or remove the line."


def check(line: Mapping[str, Any], where: str) -> None:
    """Raise ResultsError, with the place, for a line that no run of this project could have written.

    Fields that are not known are left alone: a newer version may have added them.
    """
    try:
        msgspec.convert(line, _TYPES[line["kind"]])
    except (msgspec.ValidationError, RecursionError) as error:
        raise ResultsError(f"{where}: {error}.", _REMEDY) from None
    complaint = next(_complaints(line), "")
    if complaint:
        raise ResultsError(f"{where}: {complaint}.", _REMEDY)


def _complaints(line: Mapping[str, Any]) -> Iterator[str]:
    kind = line["kind"]
    verdict, stage = line.get("verdict", "pass"), line.get("stage", "compare")
    if verdict not in VERDICTS:
        yield f"no verdict is {verdict!r}"
    if kind in ("cell", "run") and stage not in STAGES:
        yield f"no stage is {stage!r}"
    if kind == "cell":
        try:
            cell = Cell.parse(line["cell"])
        except UsageError as error:
            yield error.message
        else:
            if cell != Cell(**{name: line[name] for name in ("torch", "opset", "route", "case")}):
                yield f"{line['cell']} is not the cell of its fields"
    if kind == "run" and "digest" not in line and "digests" not in line:
        yield "a run names no file"
    names = [*(line[name] for name in ("digest", "data") if name in line), *line.get("digests", ())]
    for name in [*names, *line.get("files", ())]:
        if not _DIGEST.fullmatch(name):
            yield f"{name!r} is no digest"
