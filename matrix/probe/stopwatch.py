"""Seconds by stage, rounded for the record."""

from __future__ import annotations

import time
from typing import Any, Callable, Dict


class Stopwatch:
    """``seconds`` is filled as the stages go by."""

    def __init__(self) -> None:
        self.seconds: Dict[str, float] = {}

    def time(self, stage: str, call: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        try:
            return call()
        finally:
            spent = self.seconds.get(stage, 0.0) + time.perf_counter() - start
            self.seconds[stage] = round(spent, 5)
