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
        self.verdicts: Counter[str] = Counter()

    def say(self, text: str) -> None:
        self._write(f"{text}\n")

    def cell(self, cell: Cell, verdict: str, total: int) -> None:
        self.verdicts[verdict] += 1
        now = time.monotonic()
        done = self.verdicts.total()
        if now - self._last < (0.25 if self._overwrite else 10.0) and done != total:
            return
        self._last = now
        speed = done / max(now - self._start, 0.001)
        text = (
            f"{self._name}: {cell.route} opset {cell.opset} · {done}/{total} cells · {speed:.1f} cells/s · "
            f"{self.verdicts['pass']} pass · {self.verdicts['crash'] + self.verdicts['timeout']} crashed or hung"
        )
        start = "\r" if self._overwrite else ""
        end = "" if self._overwrite and done != total else "\n"
        self._write(start + text + end)

    def restart_clock(self) -> None:
        self._start = time.monotonic()
