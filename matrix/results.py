"""Results files: read with care, append one line at a time, lay one run over another."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, cast

import msgspec

from matrix.errors import DiskFullError, NewerSchemaError, ResultsError, writing
from matrix.records import CELL_FIELDS, SCHEMA, BuildRecord, CellRecord, EnvironmentRecord, RunRecord, RuntimeRecord
from matrix.verdicts import USABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

KINDS = frozenset({"environment", "build", "cell", "runtime", "file", "run"})


@dataclass(slots=True)
class Results:
    """Everything known, latest line per subject; ``runs`` by digest, then by runtime.

    A run is known by the digest of the distinct model and, after ``load``, by that of every file that is this model;
    ``models`` gives the model of a file.

    ``origin`` tells for each cell id which folder its record came from (``reference``, ``local``, …).
    """

    environments: dict[str, EnvironmentRecord] = field(default_factory=dict)
    cells: dict[str, CellRecord] = field(default_factory=dict)
    builds: dict[tuple[str, str], BuildRecord] = field(default_factory=dict)
    runs: dict[str, dict[str, RunRecord]] = field(default_factory=dict)
    runtimes: dict[str, RuntimeRecord] = field(default_factory=dict)
    models: dict[str, str] = field(default_factory=dict)
    machines: dict[str, str] = field(default_factory=dict)
    origin: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def add(self, line: Mapping[str, Any], origin: str) -> None:
        """Take one line; it replaces what was known about the same subject."""
        kind = line["kind"]
        if kind == "cell":
            if line["verdict"] == "unavailable" and line["cell"] in self.cells and self.origin[line["cell"]] != origin:
                return  # what could not be measured here does not hide what was measured elsewhere
            self.cells[line["cell"]] = cast("CellRecord", line)
            self.origin[line["cell"]] = origin
        elif kind == "environment":
            self.environments[line["environment"]] = cast("EnvironmentRecord", line)
            self.machines[line["machine"]["id"]] = line["machine"]["label"]
            self.origin[line["environment"]] = origin
        elif kind == "build":
            self.builds[line["torch"], line["half"]] = cast("BuildRecord", line)
        elif kind == "runtime":
            self.runtimes[line["runtime"]] = cast("RuntimeRecord", line)
            self.machines[line["machine"]["id"]] = line["machine"]["label"]
        elif kind == "file":
            self.models |= dict.fromkeys(line["files"], line["digest"])
        else:
            for digest in digests_of(line):
                self.runs.setdefault(digest, {})[line["runtime"]] = cast("RunRecord", line)

    def join(self) -> None:
        """Let every file have the runs of its model."""
        for file, model in self.models.items():
            if model in self.runs:
                self.runs[file] = self.runs[model]

    def runtimes_of(self, cell: CellRecord) -> dict[str, str]:
        """Verdict by runtime for one cell: its environment's own first, then every other that judged the same file."""
        own = {cell["runtime"]: cell["verdict"]} if "runtime" in cell else {}
        others = self.runs.get(cell.get("digest", ""), {})
        return own | {runtime: verdict_in(cell, run["verdict"]) for runtime, run in others.items()} | own


def digests_of(run: Mapping[str, Any]) -> list[str]:
    """The models that a ``run`` line speaks of: one, or all that share its outcome in a compact file."""
    return list(run["digests"]) if "digests" in run else [run["digest"]]


def verdict_in(cell: CellRecord, verdict: str) -> str:
    """What a runtime's verdict on the file means for the cell: a right file is still not what was asked for when it
    breaks the specification, holds another operator or declares another opset."""
    if verdict not in USABLE:
        return verdict
    if cell["verdict"] == "route-not-taken":
        return "route-not-taken"
    if cell.get("off_spec"):
        return "off-spec"
    return verdict if cell.get("emitted_opset", cell["opset"]) == cell["opset"] else "drift"


def read_lines(path: Path, *, check: bool = False) -> Iterator[dict[str, Any]]:
    """The lines of one file; ``check`` holds each against the schema, for files from elsewhere.

    An incomplete last line (a run was killed while writing) is dropped. Anything else that is not a line of this
    schema raises ResultsError with file and line number.
    """
    if check:
        from matrix import schema
    with path.open("rb") as stream:
        for number, raw in enumerate(stream, start=1):
            if not raw.endswith(b"\n"):
                return
            try:
                line = _parsed(raw)
            except (ValueError, RecursionError) as error:
                raise ResultsError(
                    f"{path}, line {number}: not JSON ({error}).",
                    "Remove that line, or delete the file to measure its environment again.",
                ) from error
            if not isinstance(line, dict) or str(line.get("kind")) not in KINDS:
                raise ResultsError(
                    f"{path}, line {number}: no line of a results file.", "See docs/results.md for the format."
                )
            follows = line.get("schema", 0)
            if line["kind"] in ("environment", "runtime") and isinstance(follows, int) and follows > SCHEMA:
                raise NewerSchemaError(
                    f"{path} has schema {line['schema']}; this version reads up to {SCHEMA}.",
                    "Update torch-onnx-matrix, or choose another folder with --results.",
                )
            if check:
                schema.check(line, f"{path}, line {number}")
            yield line


def _parsed(raw: bytes) -> Any:
    """One line. The standard library also reads what JSON has no word for, such as an error of NaN."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return json.loads(raw)


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.jsonl"))


def load(*folders: Path, check: bool = False) -> Results:
    """All results of the folders, later folders over earlier ones; a folder that does not exist holds nothing.

    ``check`` is for folders from elsewhere, see ``read_lines``.
    """
    results = Results()
    for folder in folders:
        for path in files(folder):
            for line in read_lines(path, check=check):
                results.add(line, origin=folder.name)
    results.join()
    return results


def complete(cell: CellRecord) -> dict[str, Any]:
    """The record with every field present, absent ones as None."""
    return {name: cell.get(name) for name in CELL_FIELDS}


class Writer:
    """Appends lines to one results file, each at once and whole.

    Opening repairs a file whose last line is incomplete. Raises DiskFullError when a line cannot be written; the
    file then ends with the last complete line.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        self._size = self._repaired_size()

    def _repaired_size(self) -> int:
        size = os.fstat(self._fd).st_size
        end = size
        while end > 0:
            start = max(0, end - 65536)
            newline = os.pread(self._fd, end - start, start).rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
        if end != size:
            os.ftruncate(self._fd, end)
        return end

    def append(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Write the lines with one system call."""
        data = b"".join(json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n" for line in lines)
        try:
            written = os.write(self._fd, data)
        except OSError as error:
            os.ftruncate(self._fd, self._size)
            raise DiskFullError(
                f"cannot write {self._path}: {error.strerror}.",
                "Free some space and run the same command again: it goes on where it stopped.",
            ) from error
        if written != len(data):
            os.ftruncate(self._fd, self._size)
            raise DiskFullError(
                f"cannot write {self._path}: the disk is full.",
                "Free some space and run the same command again: it goes on where it stopped.",
            )
        self._size += written

    def close(self) -> None:
        try:
            with writing(self._path):
                os.fsync(self._fd)
        finally:
            os.close(self._fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
