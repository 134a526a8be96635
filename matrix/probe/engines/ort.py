"""ONNX Runtime, on the CPU or on CUDA, with or without a library of custom operators."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Dict, List, Mapping, Optional

import onnxruntime

from matrix.probe import own_package

CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"
#: Operators that may run elsewhere without anybody minding: they compute shapes, or move data between devices.
_INCIDENTAL = frozenset({"Shape", "Gather", "Concat", "Slice", "Constant", "Cast", "Unsqueeze", "Squeeze"})

#: One Relu at opset 7 and IR version 3, which every release loads.
_RELU = (
    b'\x08\x03:3\n\x0c\n\x01x\x12\x01y"\x04Relu\x12\x01gZ\x0f\n\x01x\x12\n\n\x08\x08\x01\x12\x04\n\x02\x08\x02'
    b"b\x0f\n\x01y\x12\n\n\x08\x08\x01\x12\x04\n\x02\x08\x02B\x04\n\x00\x10\x07"
)


def version() -> str:
    return str(onnxruntime.__version__)


def warm() -> None:
    """Sessions are cheap only after the first one of a process, which every child would pay for."""
    try:
        onnxruntime.InferenceSession(_RELU, _options(), providers=[CPU])
    except Exception:  # noqa: BLE001 - what the runtime can do is found out later
        return


def load(path: str, options: Dict[str, Any]) -> "OrtSession":
    return OrtSession(path, options)


class OrtSession:
    """``options``: ``device`` (cuda), ``library`` (path of a library of custom operators)."""

    def __init__(self, path: str, options: Dict[str, Any]) -> None:
        settings = _options()
        if options.get("library"):
            own_package.module("ort").register(settings, options["library"])
        providers = [CUDA, CPU] if options.get("device") == "cuda" else [CPU]
        self._asked = providers[0]
        if len(providers) > 1:
            settings.enable_profiling = True
            settings.profile_file_prefix = os.path.join(tempfile.mkdtemp(), "profile")  # noqa: PTH118
        with open(path, "rb") as stream:  # noqa: PTH123
            content = stream.read()
        self._session = onnxruntime.InferenceSession(content, settings, providers=providers)
        self._names = {item.name for item in self._session.get_inputs()}

    def run(self, feeds: Mapping[str, Any]) -> List[Any]:
        outputs: List[Any] = self._session.run(None, {key: feeds[key] for key in feeds if key in self._names})
        return outputs

    def placement(self) -> Optional[str]:
        """The execution provider of the first operator that did not run where it was asked to."""
        if self._asked == CPU:
            return None  # the only provider that the session has
        with open(self._session.end_profiling(), encoding="utf-8") as stream:  # noqa: PTH123
            events = [event.get("args", {}) for event in json.load(stream)]
        for event in events:
            provider = event.get("provider")
            if provider and provider != self._asked and event.get("op_name") not in _INCIDENTAL:
                return "{} on {}".format(event.get("op_name"), provider)
        return None

    def close(self) -> None:
        del self._session


def _options() -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return options
