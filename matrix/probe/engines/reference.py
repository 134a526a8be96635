"""The ONNX project's reference evaluator, in numpy. A runtime like the others here: never an oracle."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

import onnx
from onnx.reference import ReferenceEvaluator


def version() -> str:
    return str(onnx.__version__)


def warm() -> None:
    """Everything is imported with the module."""


def load(path: str, options: Dict[str, Any]) -> "ReferenceSession":
    del options
    return ReferenceSession(path)


class ReferenceSession:
    """Evaluates node by node."""

    def __init__(self, path: str) -> None:
        self._evaluator = ReferenceEvaluator(onnx.load(path))

    def run(self, feeds: Mapping[str, Any]) -> List[Any]:
        known = set(self._evaluator.input_names)
        outputs: List[Any] = self._evaluator.run(None, {key: feeds[key] for key in feeds if key in known})
        return outputs

    def placement(self) -> Optional[str]:
        return None

    def close(self) -> None:
        del self._evaluator
