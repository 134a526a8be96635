"""OpenVINO on the CPU. Model-local functions are not expanded by it."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

import openvino

_CORE: List[Any] = []


def version() -> str:
    return str(openvino.get_version()).split("-", 1)[0]


def warm() -> None:
    """Nothing: a Core starts threads, so each child makes its own."""


def load(path: str, options: Dict[str, Any]) -> "OpenVinoSession":
    del options
    return OpenVinoSession(path)


class OpenVinoSession:
    """Computes in float32, which the CPU plug-in would otherwise leave where it has bfloat16."""

    def __init__(self, path: str) -> None:
        if not _CORE:
            _CORE.append(openvino.Core())
        settings = {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"}
        self._model = _CORE[0].compile_model(_CORE[0].read_model(path), "CPU", settings)
        self._names = [next(iter(port.get_names())) for port in self._model.inputs]

    def run(self, feeds: Mapping[str, Any]) -> List[Any]:
        results = self._model([feeds[name] for name in self._names])
        return [results[port].copy() for port in self._model.outputs]

    def placement(self) -> Optional[str]:
        return None

    def close(self) -> None:
        del self._model
