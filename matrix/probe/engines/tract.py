"""tract (Sonos), a runtime in Rust. It plans for the shapes that it is given, so each size gets a plan of its own."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

import tract

from matrix.probe.engines import RefusedError


def version() -> str:
    return str(tract.version())


def warm() -> None:
    """Everything is loaded with the module."""


def load(path: str, options: Dict[str, Any]) -> "TractSession":
    del options
    return TractSession(path)


class TractSession:
    """The file as it was parsed; ``run`` analyses it for the shapes of its inputs."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._plans: Dict[Any, Any] = {}
        self._names = _names(tract.onnx().load(path))

    def run(self, feeds: Mapping[str, Any]) -> List[Any]:
        arrays = [feeds[name] for name in self._names]
        key = tuple(array.shape for array in arrays)
        if key not in self._plans:
            model = tract.onnx().load(self._path)
            for position, array in enumerate(arrays):
                shape = ",".join(map(str, array.shape))
                model.set_input_fact(position, "{},{}".format(shape, "f32" if array.dtype == "float32" else "f64"))
            try:
                self._plans[key] = model.into_model().into_runnable()
            except tract.TractError as error:
                raise RefusedError(str(error)) from error
        return [output.to_numpy() for output in self._plans[key].run(arrays)]

    def placement(self) -> Optional[str]:
        return None

    def close(self) -> None:
        self._plans.clear()


def _names(model: Any) -> List[str]:
    return [model.input_name(position) for position in range(model.input_count())]
