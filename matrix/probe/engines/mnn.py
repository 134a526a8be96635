"""MNN (Alibaba): converts the file to its own format first, then runs that."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, Mapping, Optional

import MNN


def version() -> str:
    return str(MNN.version())


def warm() -> None:
    """Everything is loaded with the module."""


def load(path: str, options: Dict[str, Any]) -> "MnnSession":
    del options
    return MnnSession(path)


class MnnSession:
    """The converter is a program of its own, which prints its reasons and may die of them."""

    def __init__(self, path: str) -> None:
        import onnx

        self._folder = tempfile.TemporaryDirectory()
        converted = os.path.join(self._folder.name, "model.mnn")  # noqa: PTH118
        program = os.path.join(os.path.dirname(sys.executable), "mnnconvert")  # noqa: PTH118, PTH120
        command = [program, "-f", "ONNX", "--modelFile", path, "--MNNModel", converted, "--bizCode", "matrix"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if not os.path.exists(converted):  # noqa: PTH110
            raise RuntimeError("mnnconvert: " + _reason(done.stdout + done.stderr))
        graph = onnx.load(path).graph
        self._inputs = [value.name for value in graph.input]
        self._outputs = [value.name for value in graph.output]
        self._module = MNN.nn.load_module_from_file(converted, self._inputs, self._outputs)

    def run(self, feeds: Mapping[str, Any]) -> List[Any]:
        arrays = [feeds[name] for name in self._inputs]
        inputs = [MNN.expr.const(array, list(array.shape), MNN.expr.NCHW, MNN.expr.float) for array in arrays]
        results = self._module.onForward(inputs)
        return [MNN.expr.convert(result, MNN.expr.NCHW).read().copy() for result in results]

    def placement(self) -> Optional[str]:
        return None

    def close(self) -> None:
        self._folder.cleanup()


def _reason(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    told = [line for line in lines if "rror" in line or "ot support" in line or "ot Support" in line]
    return (told or lines or ["it gave no reason"])[0]
