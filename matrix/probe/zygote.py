"""The zygote: imports torch once, then forks a child for every small group of cells.

Exporters keep global state and native code can crash, so every group runs in a child of its own. A child that dies,
hangs or runs out of memory costs one cell: the rest of its group goes on in a fresh child, and the cell during which it
died is measured once more alone, so that the verdict is its own and not its predecessor's.
"""

from __future__ import annotations

import json
import os
import selectors
import shutil
import signal
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Optional

from matrix.probe.lifetime import kill_orphans
from matrix.probe.settings import Settings

Emit = Callable[[int, Dict[str, Any]], None]
#: Measures the cells of the given indices in a forked child, reports on the given descriptor, and never returns.
Work = Callable[[List[int], int], None]


class Child:
    """A running child, as the zygote sees it."""

    def __init__(self, pid: int, pipe: int, indices: List[int]) -> None:
        self.pid = pid
        self.pipe = pipe
        self.alone = len(indices) == 1
        self.waiting: Deque[int] = deque(indices)
        self.current: Optional[int] = None
        self.stage = "export"
        self.deadline = 0.0
        self.timed_out = False
        self.leaves = False
        self.buffer = b""


class Zygote:
    """Runs all cells; ``emit(index, record)`` is called once for each, as soon as it is known."""

    def __init__(self, cells: List[Dict[str, Any]], settings: Settings, emit: Emit, work: Work) -> None:
        self._settings = settings
        self._work = work
        self._emit = emit
        self._groups: Deque[List[int]] = deque(grouped(cells, 1 if settings.isolate else settings.group))
        self._selector = selectors.DefaultSelector()
        self._children: Dict[int, Child] = {}
        self.forks = 0

    def run(self) -> None:
        try:
            while self._groups or self._children:
                while self._groups and len(self._children) < self._settings.workers:
                    self._fork(self._groups.popleft())
                self._wait()
        finally:
            for running in list(self._children.values()):
                _kill(running.pid)
            self._selector.close()

    def _fork(self, indices: List[int]) -> None:
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            for other in self._children.values():
                os.close(other.pipe)
            os.close(read)
            self._work(indices, write)
            os._exit(1)
        os.close(write)
        self.forks += 1
        running = Child(pid, read, indices)
        running.deadline = time.monotonic() + self._settings.timeout
        self._children[read] = running
        self._selector.register(read, selectors.EVENT_READ)

    def _wait(self) -> None:
        next_deadline = min(running.deadline for running in self._children.values())
        events = self._selector.select(max(0.0, next_deadline - time.monotonic()))
        for key, _ in events:
            self._read(self._children[key.fd])
        now = time.monotonic()
        for running in list(self._children.values()):
            if now >= running.deadline:
                running.timed_out = True
                _kill(running.pid)
                kill_orphans([other.pid for other in self._children.values()])  # one may hold the pipe
                running.deadline = now + 0.2

    def _read(self, running: Child) -> None:
        data = os.read(running.pipe, 1 << 16)
        if not data:
            self._ended(running)
            return
        running.buffer += data
        *lines, running.buffer = running.buffer.split(b"\n")
        for line in lines:
            try:
                self._heard(running, line)
            except (ValueError, RecursionError):
                continue  # no line of ours: a case wrote to a descriptor that it guessed

    def _heard(self, running: Child, line: bytes) -> None:
        if line.startswith(b"S "):
            index = int(line[2:])
            if index in running.waiting:
                running.current = index
                running.deadline = time.monotonic() + self._settings.timeout
        elif line.startswith(b"T "):
            running.stage = line[2:].decode("ascii", "replace")
        elif line == b"F":
            running.leaves = True
        elif line.startswith(b"R ") and running.current is not None:
            self._finish(running, json.loads(line[2:]))

    def _finish(self, running: Child, record: Dict[str, Any]) -> None:
        index = running.current
        assert index is not None
        running.current = None
        running.waiting.remove(index)
        self._emit(index, record)
        if not running.waiting:
            _kill(running.pid)  # it has said all; processes that a case left behind must not hold its pipe
            running.deadline = time.monotonic() + 0.1

    def _ended(self, running: Child) -> None:
        self._selector.unregister(running.pipe)
        os.close(running.pipe)
        del self._children[running.pipe]
        _kill(running.pid)  # whatever it left behind in its process group
        _, status = os.waitpid(running.pid, 0)
        kill_orphans([other.pid for other in self._children.values()])
        shutil.rmtree(str(running.pid), ignore_errors=True)
        if not running.waiting:
            return
        if running.leaves and running.current is None:
            self._groups.appendleft(list(running.waiting))
            return
        died_in = running.current if running.current is not None else running.waiting[0]
        running.current = died_in
        if running.timed_out:
            self._finish(running, _timeout(running.stage, self._settings.timeout))
        elif running.alone:
            self._finish(running, _crash(running.stage, status))
        else:
            running.waiting.remove(died_in)
            self._groups.appendleft([died_in])
        if running.waiting:
            self._groups.appendleft(list(running.waiting))


def grouped(cells: List[Dict[str, Any]], size: int) -> List[List[int]]:
    """Indices of cells that may share a child, at most ``size`` of them: neighbours with the same ``group``."""
    groups: List[List[int]] = []
    previous: Any = object()
    for index, cell in enumerate(cells):
        if cell.get("group") != previous or len(groups[-1]) >= size:
            groups.append([])
        groups[-1].append(index)
        previous = cell.get("group")
    return groups


def _crash(stage: str, status: int) -> Dict[str, Any]:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        message = "the process was killed by {}".format(signal.Signals(number).name)
    else:
        message = "the process ended by itself with exit code {}".format(os.WEXITSTATUS(status))
    return {"verdict": "crash", "stage": stage, "error": {"type": "Crash", "message": message}}


def _timeout(stage: str, limit: float) -> Dict[str, Any]:
    message = "no answer within {:g} s".format(limit)
    hint = "raise the limit with --timeout"
    return {"verdict": "timeout", "stage": stage, "error": {"type": "Timeout", "message": message, "hint": hint}}


def _kill(pid: int) -> None:
    """The child and everything in its process group."""
    for call, target in ((os.killpg, pid), (os.kill, pid)):
        try:
            call(target, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue
