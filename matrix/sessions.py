"""What the nox sessions do. nox decides when; noxfile.py holds nothing but their names."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from matrix import catalog as catalogs
from matrix import judging, runtimes, summary
from matrix import results as stored
from matrix.announce import announcement
from matrix.errors import MatrixError
from matrix.measure import measure as measure_environment
from matrix.measure import outstanding
from matrix.options import REFERENCE, Options, parse
from matrix.plan import Task, make_plan
from matrix.progress import Progress
from matrix.publish import dashboard
from matrix.shards import select

if TYPE_CHECKING:
    from collections.abc import Sequence

    import nox

    from matrix.catalog import Catalog, Release
    from matrix.records import CellRecord
    from matrix.results import Results
    from matrix.runtimes import Runtime, RuntimeCatalog


@dataclass(frozen=True)
class Run:
    """What the command line asks for; ``error`` is set when it asks for something impossible.

    ``whole`` tells whether the session `matrix` itself was named, and not one of the sessions that it requires.
    """

    catalog: Catalog
    options: Options
    tasks: tuple[Task, ...]
    whole: bool
    error: MatrixError | None = None
    engines: RuntimeCatalog = field(default_factory=runtimes.load)
    runtimes: tuple[Runtime, ...] = ()

    @cached_property
    def pending(self) -> list[Task]:
        """Tasks that still have something to measure, with only those cells."""
        found = []
        for task in self.tasks:
            todo = outstanding(self.catalog, task, self.options)
            if todo:
                found.append(Task(task.release, tuple(todo.cells)))
        return found

    @cached_property
    def session_names(self) -> list[str]:
        """Sessions that `matrix` requires: the announcement, and the environments with something to measure."""
        if not self.whole or self.error is not None:
            return []
        return ["plan", *self.exports, *(runtime.name for runtime in self.judges)]

    @property
    def exports(self) -> list[str]:
        """Sessions of the environments that have something to measure."""
        return [task.release.name for task in self.pending]

    @cached_property
    def judges(self) -> list[Runtime]:
        """Runtimes that have a file to judge, as far as can be known before the environments are measured."""
        if not self.runtimes:
            return []
        results = stored.load(self.options.results)
        cells = self.cells(results)
        return [
            runtime
            for runtime in self.runtimes
            if self.pending or judging.has_questions(self.engines, runtime, results, cells, self.options)
        ]

    def cells(self, results: Results) -> list[CellRecord]:
        """What is known about the selected cells."""
        return [results.cells[cell.id] for task in self.tasks for cell in task.cells if cell.id in results.cells]

    def runtime(self, name: str) -> Runtime | None:
        """The selected runtime of that name."""
        return next((runtime for runtime in self.runtimes if runtime.name == name), None)

    @property
    def known_runtimes(self) -> list[Runtime]:
        """Every runtime that has a session: the catalog's, and those that the selection derives."""
        return list((self.engines.by_name | {runtime.name: runtime for runtime in self.runtimes}).values())

    @property
    def releases(self) -> list[Release]:
        """Every release that has a session: the catalog's, and those that the selection derives."""
        chosen = {task.release.version: task.release for task in self.tasks}
        return list((self.catalog.by_version | chosen).values())


def requested(argv: Sequence[str]) -> Run:
    """Read nox's command line: the options after ``--`` when they are meant for the matrix.

    An error is kept for the session to report, since a noxfile that raises only shows a traceback.
    """
    split = argv.index("--") if "--" in argv else len(argv)
    named = [word for word in argv[1:split] if not word.startswith("-")]
    whole = "matrix" in named or len(argv[1:split]) == 0
    catalog, engines = catalogs.load(), runtimes.load()
    named_runtimes = [word for word in named if word.rpartition("-")[0] in {item.engine for item in engines.runtimes}]
    ours = whole or bool(named_runtimes) or "plan" in named or any(word.startswith("torch-") for word in named)
    try:
        options = parse(argv[split + 1 :]) if ours else Options()
        tasks = select(make_plan(catalog, options.selection), options.shard)
        chosen = engines.chosen(named_runtimes or options.runtimes, everything=options.all_runtimes) if ours else []
        run = Run(catalog, options, tasks, whole, None, engines, tuple(chosen))
        _ = run.session_names
    except MatrixError as error:
        return Run(catalog, Options(), (), whole, error)
    return run


def announce(session: nox.Session, run: Run) -> None:
    """The session `plan`."""
    _stop_on_error(session, run)
    total = sum(len(task.cells) for task in run.tasks)
    for line in announcement(run.pending, total, run.options).splitlines():
        session.log(line)
    if run.judges:
        names = ", ".join(runtime.name for runtime in run.judges)
        session.log(f"then {len(run.judges)} further runtimes judge each distinct file once: {names}")


def measure(session: nox.Session, run: Run, version: str) -> None:
    """A session `torch-…`. It succeeds also when its environment cannot be made: that is a result, not a failure."""
    _stop_on_error(session, run)
    task = next((task for task in run.tasks if task.release.version == version), None)
    if task is None:
        session.skip("nothing of this release is selected")
    progress = Progress(task.release.name, overwrite=session.parallel or sys.stdout.isatty(), write=_write)
    workers = run.options.workers or (1 if session.parallel else min(4, os.cpu_count() or 1))

    def show() -> None:
        page = dashboard(run.options.results, source=run.options.source)
        session.log(f"{task.release.name}: {_counts(progress)}; dashboard: {page}")

    try:
        measure_environment(run.catalog, task, run.options, workers=workers, progress=progress, show=show)
    except MatrixError as error:
        session.error(str(error))


def judge(session: nox.Session, run: Run, name: str) -> None:
    """A session `ort-…`: judge the selected cells' files. A runtime that cannot be had is a result, not a failure."""
    _stop_on_error(session, run)
    runtime = run.runtime(name)
    if runtime is None:
        session.skip("this runtime is not selected")
    progress = Progress(name, overwrite=session.parallel or sys.stdout.isatty(), write=_write)
    workers = run.options.workers or (1 if session.parallel else min(4, os.cpu_count() or 1))
    cells = run.cells(stored.load(run.options.results))
    try:
        judging.judge(run.engines, runtime, cells, run.options, workers=workers, progress=progress)
    except MatrixError as error:
        session.error(str(error))
    session.log(f"{name}: {_counts(progress)}")


def finish(session: nox.Session, run: Run) -> None:
    """The session `matrix`, after all environments: dashboard, summary, and failure if an environment is missing."""
    _stop_on_error(session, run)
    page = dashboard(run.options.results, source=run.options.source)
    own = stored.load(run.options.results)
    whole = all(cell.id in own.cells for task in run.tasks for cell in task.cells)
    print(summary.table(run.tasks, own if whole else stored.load(REFERENCE, run.options.results)))
    print(f"\ndashboard: {page}")
    missing = summary.failures(run.tasks, own)
    if missing:
        listed = "\n  ".join(missing)
        session.error(f"{len(missing)} environments could not be measured:\n  {listed}")


def _stop_on_error(session: nox.Session, run: Run) -> None:
    if run.error is not None:
        session.error(str(run.error))


def _counts(progress: Progress) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in progress.verdicts.most_common())


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
