"""No process of a probe outlives the one that started it."""

from __future__ import annotations

import ctypes
import os
import signal
from typing import Collection, List

#: Fields of /proc/<pid>/stat after the name in parentheses (proc(5)).
PARENT, SESSION = 1, 3

_adopting = False


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent dies, however the parent dies (Linux)."""
    set_parent_death_signal = 1  # PR_SET_PDEATHSIG, <sys/prctl.h>
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of processes that a case starts and leaves, also when they leave its process group."""
    global _adopting  # noqa: PLW0603 - a property of the process
    set_child_subreaper = 36  # PR_SET_CHILD_SUBREAPER
    _adopting = ctypes.CDLL(None).prctl(set_child_subreaper, 1) == 0


def kill_orphans(keep: Collection[int]) -> None:
    """Kill and reap this process's children but those in ``keep``; nothing unless it adopts orphans."""
    while _adopting:
        found = [pid for pid in processes(PARENT, os.getpid()) if pid not in keep]
        if not found:
            return
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except OSError:
                continue


def processes(field: int, value: int) -> List[int]:
    """Processes with this parent or of this session."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/" + name + "/stat", "rb") as stream:  # noqa: PTH123
                    fields = stream.read().rpartition(b")")[2].split()
            except OSError:
                continue
            if int(fields[field]) == value:
                found.append(int(name))
    return found
