"""One file in one runtime: load, two runs, two runs at the second size, each compared with eager PyTorch.

No PyTorch is needed: inputs and expected outputs were kept by the environment that exported the file.
"""

from __future__ import annotations

import functools
import os
import tempfile
from typing import Any, Callable, Dict, List, Optional, Tuple

from matrix.probe import data, own_package
from matrix.probe.comparison import compare, worse_of
from matrix.probe.engines import Engine, RefusedError, Session
from matrix.probe.failures import chain, describe, first_line, text_of
from matrix.probe.refusals import kind_of, point_of
from matrix.probe.stopwatch import Stopwatch

#: Asked for twice: a graph with dead nodes is right in the first run and reads out of range in the second on
#: ONNX Runtime 1.14 - 1.18.
RUNS = 2

SIZES = (0, 1)


def judge(engine: Engine, question: Dict[str, Any], enter: Callable[[str], None]) -> Dict[str, Any]:
    """The fields of a ``run`` record that are known inside the runtime's environment; never raises.

    ``question``: ``model`` and ``data`` (paths; the data agree in their inputs), ``atol``, ``rtol``, ``change``
    ('' or one of ``changed``), ``options`` for the engine.
    """
    watch = Stopwatch()
    record: Dict[str, Any] = {"verdict": "error", "stage": "load", "seconds": watch.seconds}

    def stage(name: str) -> None:
        record["stage"] = name
        enter(name)

    try:
        _stages(engine, question, record, watch, stage)
    except Exception as error:  # noqa: BLE001 - whatever the runtime raises is its answer
        record["error"] = _described(error, question)
        kind = next((found for found in map(kind_of, map(text_of, chain(error))) if found), None)
        if kind:
            record["refusal"] = kind
        if record.pop("second", False):
            record["verdict"] = "dynamic-lost"
        elif record["stage"] == "load" or isinstance(error, RefusedError):
            record["stage"], record["verdict"] = "load", "unloadable"
    record.pop("second", None)
    return record


def _stages(
    engine: Engine,
    question: Dict[str, Any],
    record: Dict[str, Any],
    watch: Stopwatch,
    stage: Callable[[str], None],
) -> None:
    loaded = [arrays_of(path) for path in question["data"]]
    feeds, expected = loaded[0][0], [outputs for _, outputs in loaded]
    stage("load")
    with _changed(question) as path:
        session = watch.time("load", lambda: engine.load(path, question.get("options", {})))
        try:
            for size in SIZES:
                record["second"] = size > 0
                stage("run")
                runs = watch.time("run", functools.partial(_run_all, session, feeds[size]))
                stage("compare")
                right, errors = _compare(runs, [outputs[size] for outputs in expected], question)
                record.update(worse_of(record, errors) if size and right else errors)
                if not right:
                    record["verdict"] = "dynamic-lost" if size else "mismatch"
                    return
            record["verdict"], placement = _placed(session)
            if placement:
                record["placement"] = placement
        finally:
            session.close()


def _described(error: Exception, question: Dict[str, Any]) -> Dict[str, Any]:
    """Type, point and hint of what the runtime says, without the places where the file happened to be."""
    described = describe(error)
    message = point_of(text_of(error))
    for path in (question["model"], question.get("copy", "")):
        if path:
            message = message.replace(path, "model.onnx")
    described["message"] = first_line(message)
    return described


def _run_all(session: Session, feeds: Dict[str, Any]) -> List[List[Any]]:
    return [session.run(feeds) for _ in range(RUNS)]


def _compare(
    runs: List[List[Any]], expected: List[Tuple[Any, ...]], question: Dict[str, Any]
) -> Tuple[bool, Dict[str, Any]]:
    """The runs against every release's eager outputs: right when they are right for all, and the largest errors."""
    answers = [compare(runs, outputs, question["atol"], question["rtol"]) for outputs in expected]
    errors = answers[0][1]
    for _, other in answers[1:]:
        errors = worse_of(errors, other)
    return all(right for right, _ in answers), errors


def _placed(session: Session) -> Tuple[str, Optional[str]]:
    placement = session.placement()
    return ("pass-fallback" if placement else "pass"), placement


@functools.lru_cache(maxsize=None)
def arrays_of(path: str) -> Tuple[List[data.Feeds], List[data.Arrays]]:
    """What the file of data holds. Filled before the process forks, so that no child unpacks a file again."""
    return data.load(path)


class _changed:  # noqa: N801 - used as a context manager only
    """The file to load: the exported one, or a changed copy of it that lives as long as the session."""

    def __init__(self, question: Dict[str, Any]) -> None:
        self._question = question
        self._copy = ""

    def __enter__(self) -> str:
        path: str = self._question["model"]
        change: str = self._question.get("change", "")
        if not change:
            return path
        with open(path, "rb") as stream:  # noqa: PTH123
            content = stream.read()
        descriptor, self._copy = tempfile.mkstemp(suffix=".onnx")
        self._question["copy"] = self._copy
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(changed(content, change))
        return self._copy

    def __exit__(self, *_: object) -> None:
        if self._copy:
            os.unlink(self._copy)  # noqa: PTH108


def changed(content: bytes, change: str) -> bytes:
    """The file after the smallest of remedies: ``inlined`` (function bodies in place of calls), ``ir-8``, or both,
    as ``inlined+ir-8``."""
    for step in change.split("+"):
        if step == "inlined":
            content = own_package.module("_inline").inline_bytes(content)
        elif step.startswith("ir-") and content[:1] == b"\x08":  # field 1 of ModelProto, a varint below 128
            content = b"\x08" + bytes([int(step[3:])]) + content[2:]
        else:
            raise ValueError("no change is called {!r}, or the file does not begin with its IR version".format(step))
    return content
