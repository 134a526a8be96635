"""No process of a probe outlives the one that started it."""

from __future__ import annotations

import ctypes
import signal


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent dies, however the parent dies (Linux)."""
    set_parent_death_signal = 1  # PR_SET_PDEATHSIG, <sys/prctl.h>
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
