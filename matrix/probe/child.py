"""A forked child that measures a group of cells and reports each before it starts the next."""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import Any, Dict, List

from matrix.probe import data, forked, sharing
from matrix.probe.cell import Observer, Prepared, measure
from matrix.probe.routes import DYNAMO, ROUTES
from matrix.probe.settings import Settings


class PipeObserver(Observer):
    """Tells the zygote the stage; keeps files and their data."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def enter(self, stage: str) -> None:
        forked.stage(stage)

    def keep(self, digest: str, model: bytes, prepared: Prepared) -> None:
        _store(self._folder, digest, model)
        data.store(self._folder, prepared.data, prepared.feeds, prepared.expected)


def run(cells: List[Dict[str, Any]], indices: List[int], pipe: int, settings: Settings) -> None:
    """Measure ``cells[index]`` for each index, and never return."""
    forked.run(pipe, settings.memory_mb, lambda: _measure_all(cells, indices, settings))


def _measure_all(cells: List[Dict[str, Any]], indices: List[int], settings: Settings) -> None:
    route = ROUTES[cells[indices[0]]["route"]]
    # A helper writes notes into each export's own context while the module is captured, so its captures are not shared.
    shared = route.exporter == DYNAMO and route.helper is None and not settings.isolate
    context: Any = sharing.shared_capture() if shared else nullcontext()
    observer = PipeObserver(settings.models)
    with context:
        for index in indices:
            cell = cells[index]
            forked.start(index)
            forked.report(measure(cell["route"], cell["case"], cell["opset"], observer))


def _store(folder: str, digest: str, model: bytes) -> None:
    path = os.path.join(folder, digest + ".onnx")  # noqa: PTH118
    if not folder or os.path.exists(path):  # noqa: PTH110
        return
    temporary = "{}.{}".format(path, os.getpid())
    with open(temporary, "wb") as stream:  # noqa: PTH123
        stream.write(model)
    os.replace(temporary, path)  # noqa: PTH105
