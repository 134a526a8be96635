"""OpenCV's dnn module."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

import cv2


def version() -> str:
    return str(cv2.__version__)


def warm() -> None:
    cv2.setNumThreads(1)


def load(path: str, options: Dict[str, Any]) -> "OpenCvSession":
    del options
    return OpenCvSession(path)


class OpenCvSession:
    """Takes and gives float32 alone."""

    def __init__(self, path: str) -> None:
        self._net = cv2.dnn.readNetFromONNX(path)

    def run(self, feeds: Mapping[str, Any]) -> List[Any]:
        for name, array in feeds.items():
            self._net.setInput(array, name)
        names = self._net.getUnconnectedOutLayersNames()
        return [output.copy() for output in self._net.forward(names)]

    def placement(self) -> Optional[str]:
        return None

    def close(self) -> None:
        del self._net
