"""One runtime from nothing to results: make its environment, judge every distinct file, write each verdict at once."""

from __future__ import annotations

import functools
import hashlib
from typing import TYPE_CHECKING, Any

from matrix import environment, locks, machine, native_library, probe_process, questions
from matrix import results as stored
from matrix.catalog import ROOT
from matrix.errors import MatrixError
from matrix.measure import evict, exclusive
from matrix.records import SCHEMA
from matrix.results import Writer, read_lines
from matrix.variants import Answers, Step, steps, unanswered

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from matrix.options import Options
    from matrix.progress import Progress
    from matrix.questions import Question
    from matrix.records import CellRecord
    from matrix.results import Results
    from matrix.runtimes import Runtime, RuntimeCatalog

_PROBE = ROOT / "matrix" / "probe"
#: The files, beside the engine's own, that can change a verdict.
_JUDGING = ("judge", "comparison", "refusals", "own_package")


def fingerprint(catalog: RuntimeCatalog, runtime: Runtime, question: Question) -> str:
    """Twelve hex digits over all that may change a verdict beside the file, which the question's digest stands for."""
    parts = [_environment_digest(catalog, runtime), question.digest, *question.data]
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:12]


@functools.cache
def _environment_digest(catalog: RuntimeCatalog, runtime: Runtime) -> str:
    total = hashlib.sha256(locks.digest(catalog, runtime).encode())
    for name in (*_JUDGING, f"engines/{runtime.module}"):
        total.update((_PROBE / f"{name}.py").read_bytes())
    return total.hexdigest()


def known_answers(catalog: RuntimeCatalog, runtime: Runtime, asked: Iterable[Question], options: Options) -> Answers:
    """What the results file already says about the questions, as far as it still holds."""
    answers: Answers = {}
    path = options.results / f"{runtime.name}.jsonl"
    if options.again or not path.exists():
        return answers
    wanted = {question.digest: fingerprint(catalog, runtime, question) for question in asked}
    for line in read_lines(path):
        if line["kind"] != "run":
            continue
        label = line["runtime"].removeprefix(runtime.name).removeprefix("+")
        holds = line["verdict"] not in ("unavailable", "not-run")
        for digest in stored.digests_of(line):
            if holds and line["fingerprint"] == wanted.get(digest):
                answers.setdefault(label, {})[digest] = line
    return answers


def pending(catalog: RuntimeCatalog, runtime: Runtime, asked: Iterable[Question], options: Options) -> list[Question]:
    """Questions that are not answered, as they are or with a change. The library counts only once it is there."""
    asked = list(asked)
    answers = known_answers(catalog, runtime, asked, options)
    missing = [q.digest for step in steps(asked, answers, library=False) for q in unanswered(step, answers)]
    return [question for question in asked if question.digest in set(missing)]


def has_questions(
    catalog: RuntimeCatalog, runtime: Runtime, results: Results, cells: Iterable[CellRecord], options: Options
) -> bool:
    """Whether the runtime has a file of the cells to judge; files that were not compared yet count."""
    asked = questions.questions(results, cells, options.results / "models")
    return any(q.digest == q.file for q in asked) or bool(pending(catalog, runtime, asked, options))


def judge(
    catalog: RuntimeCatalog,
    runtime: Runtime,
    cells: Iterable[CellRecord],
    options: Options,
    *,
    workers: int,
    progress: Progress,
) -> int:
    """Judge the distinct files of the cells that have no verdict yet; returns how many were judged.

    A runtime that cannot be had is a result: ``unavailable``, or ``not-run`` where its device is missing. Raises
    BusyError when another run judges in the same runtime into the same folder.
    """
    cells = list(cells)
    results = stored.load(options.results)
    with exclusive(options.results, runtime.name):
        writer_path = options.results / f"{runtime.name}.jsonl"
        recorder = _Recorder(catalog, runtime)
        try:
            questions.sort_files(options.results, results, cells, options.source)
            asked = questions.questions(results, cells, options.results / "models")
            todo = pending(catalog, runtime, asked, options)
            if not todo:
                progress.say(f"{runtime.name}: all {len(asked)} distinct files are known, nothing to do")
                return 0
            with Writer(writer_path) as writer:
                recorder.writer = writer
                if runtime.device and not machine.has_device(runtime.device):
                    recorder.not_run(todo, f"this machine has no {runtime.device} device")
                    return len(todo)
                _judge_all(runtime, asked, options, workers, recorder, progress)
                return len(todo)
        except MatrixError as error:
            progress.say(f"{runtime.name}: {error}")
            with Writer(writer_path) as writer:
                recorder.writer = writer
                recorder.head("unavailable", error=_described(error))
            return 0
        finally:
            if not options.keep_envs:
                evict(options, runtime.name)


def _judge_all(
    runtime: Runtime, asked: list[Question], options: Options, workers: int, recorder: _Recorder, progress: Progress
) -> None:
    progress.say(f"{runtime.name}: making the environment")
    made = environment.ensure(recorder.catalog, runtime, options.source)
    environment.touch(runtime)
    recorder.created = made.seconds
    ask = _Asking(runtime, made.python, options, workers, recorder, progress)
    answers = known_answers(recorder.catalog, runtime, asked, options)
    library = _library(runtime, asked, progress)
    for step in steps(asked, answers, library=bool(library)):
        todo = unanswered(step, answers)
        answers.setdefault(step.label, {}).update(ask(step, todo, library) if todo else {})


def _library(runtime: Runtime, asked: Iterable[Question], progress: Progress) -> str:
    """The native library's path, or '' where it is of no use or not to be had."""
    if runtime.module != "ort" or not any(question.custom for question in asked):
        return ""
    try:
        return str(native_library.path())
    except MatrixError as error:
        progress.say(f"{runtime.name}: not judged with the native library: {error}")
        return ""


class _Asking:
    """Asks one runtime about files, all with the same change to the file or to the session."""

    def __init__(
        self, runtime: Runtime, python: Path, options: Options, workers: int, recorder: _Recorder, progress: Progress
    ) -> None:
        self._runtime = runtime
        self._python = python
        self._options = options
        self._workers = workers
        self._recorder = recorder
        self._progress = progress

    def __call__(self, step: Step, asked: list[Question], library: str) -> dict[str, dict[str, Any]]:
        """Records by question; written under the runtime's name with ``+label``."""
        name = self._runtime.name + (f"+{step.label}" if step.label else "")
        config = self._config(asked, step.change, {"library": library} if step.library else {})
        answers = {}
        for message in probe_process.messages(self._python, config, module="matrix.probe.runtime"):
            if message["event"] == "cell":
                question = asked[message["index"]]
                answers[question.digest] = message["record"]
                self._recorder.run(name, question, message["record"])
                self._progress.step(name, message["record"]["verdict"], len(asked), "files")
            elif not step.label:
                self._recorder.heard(message)
        self._progress.restart_clock()
        return answers

    def _config(self, asked: list[Question], change: str, extra: dict[str, str]) -> dict[str, Any]:
        options, models = self._options, self._options.results.absolute() / "models"
        return {
            "engine": self._runtime.module,
            "cells": [
                {
                    "model": str(models / f"{question.file}.onnx"),
                    "data": [str(models / f"{name}.npz") for name in question.data],
                    "atol": question.tolerance[0],
                    "rtol": question.tolerance[1],
                    "change": change,
                    "options": {"device": self._runtime.device, **extra},
                    "group": "",
                }
                for question in asked
            ],
            "timeout": options.timeout_s,
            "memory_mb": options.memory_mb,
            "workers": self._workers,
            "group": options.group,
            "isolate": options.isolate,
            "models": "",
        }


class _Recorder:
    """Turns what the probe says into lines of the runtime's results file."""

    def __init__(self, catalog: RuntimeCatalog, runtime: Runtime) -> None:
        self.catalog = catalog
        self.writer: Writer | None = None
        self.created = 0.0
        self._runtime = runtime
        self._facts: dict[str, Any] = {}

    def heard(self, message: Mapping[str, Any]) -> None:
        if message["event"] == "ready":
            self._facts = {name: message[name] for name in ("python", "packages", "version")}
            self.head("pass", seconds={"create": self.created})
        elif message["event"] == "done":
            seconds = {"create": self.created, **message["seconds"]}
            self.head("pass", seconds=seconds, peak_rss_mb=message["peak_rss_mb"])

    def head(self, verdict: str, **fields: Any) -> None:
        self._write(
            {
                "kind": "runtime",
                "schema": SCHEMA,
                "runtime": self._runtime.name,
                "verdict": verdict,
                "measured_at": machine.now(),
                "machine": machine.describe(),
                **self._facts,
                **fields,
            }
        )

    def run(self, name: str, question: Question, record: Mapping[str, Any]) -> None:
        self._write(
            {
                "kind": "run",
                "runtime": name,
                "digest": question.digest,
                **{key: value for key, value in record.items() if value is not None},
                "fingerprint": fingerprint(self.catalog, self._runtime, question),
                "measured_at": machine.now(),
                "machine": machine.describe()["id"],
            }
        )

    def not_run(self, asked: Iterable[Question], reason: str) -> None:
        self.head("not-run", error={"type": "NoDevice", "message": reason})
        for question in asked:
            self.run(self._runtime.name, question, {"verdict": "not-run", "stage": "install"})

    def _write(self, line: dict[str, Any]) -> None:
        assert self.writer is not None
        self.writer.append([line])


def _described(error: MatrixError) -> dict[str, str]:
    return {"type": type(error).__name__, "message": error.message, "hint": error.remedy}
