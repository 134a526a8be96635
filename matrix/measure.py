"""One environment from nothing to results: make it, start its probe, write each cell as soon as it is known."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from matrix import backends, builds, disk, machine, own, probe_process
from matrix.errors import BusyError, MatrixError, writing
from matrix.fingerprint import Fingerprints
from matrix.records import SCHEMA
from matrix.results import Writer, read_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from matrix.catalog import Catalog
    from matrix.cells import Cell
    from matrix.options import Options
    from matrix.plan import Task
    from matrix.progress import Progress


@dataclass(frozen=True, slots=True)
class Outstanding:
    """What an environment still has to do: cells to measure, and halves of the extension to build."""

    cells: list[Cell]
    halves: list[str]

    def __bool__(self) -> bool:
        return bool(self.cells or self.halves)


def outstanding(catalog: Catalog, task: Task, options: Options) -> Outstanding:
    """The task's cells, and builds when they are asked for, that have no result with an unchanged fingerprint."""
    known: dict[str, str] = {}
    built: list[dict[str, Any]] = []
    path = options.results / f"{task.release.name}.jsonl"
    if path.exists():
        for line in read_lines(path):
            if line["kind"] == "cell":
                known[line["cell"]] = "" if line["verdict"] == "unavailable" else line["fingerprint"]
            elif line["kind"] == "build":
                built.append(line)
    fingerprints = Fingerprints(catalog, task.release, options.source)
    cells = [cell for cell in task.cells if options.again or known.get(cell.id) != fingerprints.of(cell)]
    halves = builds.pending_halves(built, catalog, task.release, options.build, again=options.again)
    return Outstanding(cells, halves)


def measure(
    catalog: Catalog,
    task: Task,
    options: Options,
    *,
    workers: int,
    progress: Progress,
    show: Callable[[], None] = lambda: None,
) -> int:
    """Measure the task's outstanding cells, ``show`` them, then build; returns how many cells and halves there were.

    An environment that cannot be made becomes a result: an ``unavailable`` environment line and cells, with the
    reason. Raises BusyError when another run measures the same environment into the same folder.
    """
    name = task.release.name
    with exclusive(options.results, name):
        todo = outstanding(catalog, task, options)
        if not todo:
            progress.say(f"{name}: all {len(task.cells)} cells are known, nothing to do")
            return 0
        backend = backends.chosen(options.backend, options.containers)
        with Writer(options.results / f"{name}.jsonl") as writer:
            recorder = _Recorder(catalog, task, options, writer)
            try:
                progress.say(f"{name}: making the environment")
                made = backend.ensure(catalog, task.release, options.source)
                for needs, cells in own.by_requirements(todo.cells).items():
                    place = made if not needs else backend.extended(catalog, task.release, options.source, needs)
                    _run_probe(backend, place, cells, options, workers, recorder, progress)
                show()
                for line in backend.build(made, catalog, task.release, todo.halves, options.build):
                    writer.append([line])
                    outcome = f"{line['verdict']} {line['reached']}".strip()
                    progress.say(f"{name}: {line['half']} half of onnxgrid by {line['strategy']}: {outcome}")
            except MatrixError as error:
                progress.say(f"{name}: {error}")
                recorder.unavailable(todo.cells, error)
                show()
                return 0
            finally:
                if not options.keep_envs:
                    evict(options, name)
        return len(todo.cells) + len(todo.halves)


def evict(options: Options, current: str) -> None:
    """Bring environments and their cache back under the budget; the current one may go too, it has been measured."""
    budget = int(options.disk_budget_gb * disk.GIGABYTE)
    if disk.enforce(budget, keep=frozenset({current})):
        disk.enforce(budget, keep=frozenset())


class _Recorder:
    """Turns what the probe says into lines of the results file."""

    def __init__(self, catalog: Catalog, task: Task, options: Options, writer: Writer) -> None:
        self._release = task.release
        self._fingerprints = Fingerprints(catalog, task.release, options.source)
        self._writer = writer
        self._facts: dict[str, Any] = {}
        self._measured: set[Cell] = set()

    def environment(self, verdict: str, **fields: Any) -> None:
        self._facts |= fields
        self._writer.append(
            [
                {
                    "kind": "environment",
                    "schema": SCHEMA,
                    "environment": self._release.name,
                    "torch": self._release.version,
                    "verdict": verdict,
                    "measured_at": machine.now(),
                    "machine": machine.describe(),
                    **{name: value for name, value in self._facts.items() if value is not None},
                }
            ]
        )

    def cell(self, cell: Cell, record: dict[str, Any]) -> None:
        self._writer.append([self._line(cell, record)])
        self._measured.add(cell)

    def unavailable(self, cells: list[Cell], error: MatrixError) -> None:
        description = {"type": type(error).__name__, "message": error.message, "hint": error.remedy}
        self.environment("unavailable", error=description)
        failure = {"verdict": "unavailable", "stage": "install", "error": description}
        self._writer.append(self._line(cell, failure) for cell in cells if cell not in self._measured)

    def _line(self, cell: Cell, record: dict[str, Any]) -> dict[str, Any]:
        return {
            "kind": "cell",
            "cell": cell.id,
            "torch": cell.torch,
            "opset": cell.opset,
            "route": cell.route,
            "case": cell.case,
            **{name: value for name, value in record.items() if value is not None},
            "fingerprint": self._fingerprints.of(cell),
            "measured_at": machine.now(),
            "machine": machine.describe()["id"],
        }


def _run_probe(
    backend: backends.Backend,
    made: backends.Made,
    cells: list[Cell],
    options: Options,
    workers: int,
    recorder: _Recorder,
    progress: Progress,
) -> None:
    models = options.results / "models"
    with writing(models):
        models.mkdir(parents=True, exist_ok=True)
    config = {
        "cells": probe_process.described(cells),
        "timeout": options.timeout_s,
        "memory_mb": options.memory_mb,
        "workers": workers,
        "group": options.group,
        "isolate": options.isolate,
        "models": str(models),
        "own": [str(path) for path in options.own],
    }
    said: set[str] = set()
    for message in backend.messages(made, config):
        if message["event"] == "cell":
            cell = cells[message["index"]]
            recorder.cell(cell, message["record"])
            _say_once(message["record"], said, progress)
            progress.cell(cell, message["record"]["verdict"], len(cells))
        elif message["event"] == "ready":
            facts = {name: message[name] for name in ("python", "cuda", "exporters", "packages")}
            recorder.environment("pass", seconds={"create": made.seconds}, **facts, **made.facts)
            progress.restart_clock()
        else:
            seconds = {"create": made.seconds, **message["seconds"]}
            recorder.environment("pass", seconds=seconds, peak_rss_mb=message["peak_rss_mb"])


def _say_once(record: dict[str, Any], said: set[str], progress: Progress) -> None:
    """An error in the user's own file is said when it is first met, not for each cell."""
    error = record.get("error") or {}
    if error.get("type", "").endswith("CaseFileError") and error["message"] not in said:
        said.add(error["message"])
        progress.say(error["message"])


@contextmanager
def exclusive(folder: Path, name: str) -> Iterator[None]:
    """Only one run at a time for that environment or runtime and folder; raises BusyError."""
    lock = FileLock(folder / f".{name}.lock")
    try:
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=0)
    except Timeout:
        raise BusyError(
            f"another run is measuring {name} into {folder}.",
            "Wait for it, or choose another folder with --results FOLDER.",
        ) from None
    try:
        yield
    finally:
        lock.release()
