"""What this machine is: enough to know where a result was measured, without telling the host's name."""

from __future__ import annotations

import functools
import hashlib
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matrix.records import Machine


@functools.cache
def describe() -> Machine:
    """The ``machine`` object of an environment line."""
    cpu = _cpu()
    cores = os.cpu_count() or 1
    system = f"{platform.system()} {platform.machine()}"
    digest = hashlib.sha256(f"{platform.node()}|{cpu}|{cores}|{system}".encode()).hexdigest()[:8]
    label = os.environ.get("MATRIX_MACHINE_LABEL") or f"{cpu}, {cores} cores, {system}"
    return {"id": digest, "label": label, "system": system, "cpu": cpu, "cores": cores}


def has_device(kind: str) -> bool:
    """Whether a device of that kind (``cuda``) is there; asked of the driver's files: nothing is initialised."""
    return kind == "cuda" and Path("/dev/nvidiactl").exists()


def now() -> str:
    """ISO 8601, UTC, seconds."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown CPU"
