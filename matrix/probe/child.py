"""A forked child that measures a group of cells and reports each before it starts the next."""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import Any, Dict, List, Optional

from matrix.probe import data, forked, marks, sharing
from matrix.probe.cell import Observer, Prepared, measure
from matrix.probe.failures import describe
from matrix.probe.routes import DYNAMO, ROUTES
from matrix.probe.settings import Settings


class PipeObserver(Observer):
    """Tells the zygote the stage; keeps files and their data."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.failure: Optional[OSError] = None

    def enter(self, stage: str) -> None:
        forked.stage(stage)

    def keep(self, digest: str, model: bytes, prepared: Prepared) -> None:
        try:
            _store(self._folder, digest, model)
            data.store(self._folder, prepared.data, prepared.feeds, prepared.expected)
        except OSError as error:
            _remove_halves(self._folder)
            self.failure = error
            raise


def run(cells: List[Dict[str, Any]], indices: List[int], pipe: int, settings: Settings) -> None:
    """Measure ``cells[index]`` for each index, and never return."""
    forked.run(pipe, settings.memory_mb, lambda: _measure_all(cells, indices, settings))


def _measure_all(cells: List[Dict[str, Any]], indices: List[int], settings: Settings) -> None:
    dynamo = ROUTES[cells[indices[0]]["route"]].exporter == DYNAMO
    context: Any = nullcontext() if settings.isolate or not dynamo else sharing.shared_capture()
    observer = PipeObserver(settings.models)
    with context:
        for index in indices:
            cell = cells[index]
            forked.start(index)
            before = marks.seen()
            forked.report(_measured(cell, observer))
            if marks.seen() != before:
                forked.leave()
                return


def _measured(cell: Dict[str, Any], observer: PipeObserver) -> Dict[str, Any]:
    """The cell's record. A file that could not be kept is the machine's fault and no answer to the cell's question."""
    observer.failure = None
    try:
        record = measure(cell["route"], cell["case"], cell["opset"], observer)
    except Exception as error:  # noqa: BLE001 - an exception so odd that the cell's own record of it failed
        record = {"verdict": "error", "stage": "export", "error": describe(error)}
    if observer.failure is not None:
        complaint = describe(observer.failure)
        complaint["hint"] = "free some space, or choose another folder with --results; the next run measures this cell"
        return {"verdict": "unavailable", "stage": record["stage"], "error": complaint}
    return record


def _remove_halves(folder: str) -> None:
    """Files that this process began to write beside their place."""
    ending = ".{}".format(os.getpid())
    for name in os.listdir(folder):
        if name.endswith(ending):
            os.unlink(os.path.join(folder, name))  # noqa: PTH108, PTH118


def _store(folder: str, digest: str, model: bytes) -> None:
    path = os.path.join(folder, digest + ".onnx")  # noqa: PTH118
    if not folder or os.path.exists(path):  # noqa: PTH110
        return
    temporary = "{}.{}".format(path, os.getpid())
    with open(temporary, "wb") as stream:  # noqa: PTH123
        stream.write(model)
    os.replace(temporary, path)  # noqa: PTH105
