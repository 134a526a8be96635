"""How far an environment is: lines, and one line that is written over again and again (nox shows it on its board)."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from matrix.cells import Cell


class Progress:
    """``overwrite``: rewrite the line with carriage returns four times a second instead of a line every ten seconds."""

    def __init__(self, name: str, *, overwrite: bool, write: Callable[[str], Any]) -> None:
        self._name = name
        self._overwrite = overwrite
        self._write = write
        self._start = time.monotonic()
        self._last = 0.0
        self._done = 0
        self.verdicts: Counter[str] = Counter()

    def say(self, text: str) -> None:
        self._write(f"{text}\n")

    def cell(self, cell: Cell, verdict: str, total: int) -> None:
        """One more of ``total`` cells has its verdict."""
        self.step(f"{self._name}: {cell.route} opset {cell.opset}", verdict, total, "cells")

    def step(self, doing: str, verdict: str, total: int, unit: str) -> None:
        """One more of ``total`` is finished; ``doing`` begins the line."""
        self.verdicts[verdict] += 1
        self._done += 1
        now = time.monotonic()
        if now - self._last < (0.25 if self._overwrite else 10.0) and self._done != total:
            return
        self._last = now
        speed = self._done / max(now - self._start, 0.001)
        text = (
            f"{doing} · {self._done}/{total} {unit} · {speed:.1f} {unit}/s · "
            f"{self.verdicts['pass']} pass · {self.verdicts['crash'] + self.verdicts['timeout']} crashed or hung"
        )
        start = "\r" if self._overwrite else ""
        end = "" if self._overwrite and self._done != total else "\n"
        self._write(start + text + end)

    def restart_clock(self) -> None:
        """What comes now is counted and timed from here."""
        self._start = time.monotonic()
        self._done = 0
