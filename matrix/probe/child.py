"""A forked child: measures a group of cells and reports each before it starts the next.

On the pipe to the zygote a child writes ``S <index>`` when it starts a cell, ``T <stage>`` at each stage and
``R <json>`` when it has finished it, one line each. Everything that the exporter or the case prints goes to a file of
the child's own, of which the last part is kept with a failure.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
from contextlib import nullcontext
from typing import Any, Dict, List

from matrix.probe import data, sharing
from matrix.probe.cell import Observer, Prepared, measure
from matrix.probe.lifetime import die_with_parent
from matrix.probe.routes import DYNAMO, ROUTES
from matrix.probe.settings import Settings

OUTPUT_LIMIT = 1500
#: High enough that a case which closes descriptors 0 - 20, or opens a few files, does not touch it.
PIPE_FD = 201
CAPTURE_FD = 202


class PipeObserver(Observer):
    """Tells the zygote the stage, so that a crash can be laid at the right door; keeps files and their data."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def enter(self, stage: str) -> None:
        os.write(PIPE_FD, b"T " + stage.encode() + b"\n")

    def keep(self, digest: str, model: bytes, prepared: Prepared) -> None:
        _store(self._folder, digest, model)
        data.store(self._folder, prepared.data, prepared.feeds, prepared.expected)


def run(cells: List[Dict[str, Any]], indices: List[int], pipe: int, settings: Settings) -> None:
    """Measure ``cells[index]`` for each index, then leave without running anybody's exit handlers."""
    status = 1
    try:
        os.setpgid(0, 0)
        die_with_parent()
        os.dup2(pipe, PIPE_FD, inheritable=False)
        os.close(pipe)
        _capture()
        _limit_memory(settings.memory_mb)
        _measure_all(cells, indices, settings)
        status = 0
    finally:
        os._exit(status)


def _measure_all(cells: List[Dict[str, Any]], indices: List[int], settings: Settings) -> None:
    dynamo = ROUTES[cells[indices[0]]["route"]].exporter == DYNAMO
    context: Any = nullcontext() if settings.isolate or not dynamo else sharing.shared_capture()

    observer = PipeObserver(settings.models)
    with context:
        for index in indices:
            cell = cells[index]
            os.ftruncate(CAPTURE_FD, 0)
            os.lseek(CAPTURE_FD, 0, os.SEEK_SET)
            os.write(PIPE_FD, b"S %d\n" % index)
            record = measure(cell["route"], cell["case"], cell["opset"], observer)
            if "error" in record:
                output = captured()
                if output:
                    record["output"] = output
            _report(record)


def _report(record: Dict[str, Any]) -> None:
    data = b"R " + json.dumps(record, separators=(",", ":")).encode() + b"\n"
    while data:
        data = data[os.write(PIPE_FD, data) :]


def _capture() -> None:
    with tempfile.TemporaryFile() as stream:
        os.dup2(stream.fileno(), CAPTURE_FD, inheritable=False)
    for fd in (1, 2):
        os.dup2(CAPTURE_FD, fd)


def captured(fd: int = CAPTURE_FD) -> str:
    """The last part of what was printed since the cell began, without the exporter's terminal colours."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # noqa: BLE001, S112 - the case may have replaced or closed it
            continue
    size = os.fstat(fd).st_size
    data = os.pread(fd, OUTPUT_LIMIT, max(0, size - OUTPUT_LIMIT))
    return data.decode("utf-8", "replace").strip()


def _limit_memory(megabytes: int) -> None:
    if megabytes <= 0:
        return
    with open("/proc/self/statm", encoding="ascii") as stream:  # noqa: PTH123
        mapped = int(stream.read().split()[0]) * resource.getpagesize()
    limit = mapped + megabytes * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _store(folder: str, digest: str, model: bytes) -> None:
    path = os.path.join(folder, digest + ".onnx")  # noqa: PTH118
    if not folder or os.path.exists(path):  # noqa: PTH110
        return
    temporary = "{}.{}".format(path, os.getpid())
    with open(temporary, "wb") as stream:  # noqa: PTH123
        stream.write(model)
    os.replace(temporary, path)  # noqa: PTH105
