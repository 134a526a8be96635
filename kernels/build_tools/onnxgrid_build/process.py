"""The one place that starts compilers."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import time
from dataclasses import dataclass
from typing import Mapping, Optional, Sequence

from .errors import BuildError, CompilerError, HeaderMissingError, ToolchainMismatchError

# What compilers print when the machine, and not the source, is at fault.
_MISSING_HEADER = re.compile(r"fatal error: ([^\s:]+): No such file")
_HOST_TOO_NEW = re.compile(r"unsupported GNU version.*", re.IGNORECASE)


@dataclass
class Spent:
    """Wall and CPU seconds of the processes a build has started."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0

    def add(self, other: "Spent") -> None:
        self.seconds += other.seconds
        self.cpu_seconds += other.cpu_seconds


def _children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def explain(command: Sequence[str], output: str) -> BuildError:
    """The error behind a failed command, named as precisely as its output allows."""
    lines = [line for line in output.splitlines() if "error" in line.lower()] or output.splitlines()
    first = lines[0].strip() if lines else "no output"
    header = _MISSING_HEADER.search(output)
    if header:
        name = header.group(1)
        hint = f"install the package that provides {name}"
        if name.startswith("THC"):
            hint = "THC was removed in PyTorch 1.11; a source that includes it builds up to 1.10 only"
        return HeaderMissingError(f"header not found: {name}", hint)
    if _HOST_TOO_NEW.search(output):
        return ToolchainMismatchError(
            "the host compiler is newer than this CUDA toolkit supports",
            "install an older g++ and name it in NVCC_CCBIN, or use a newer toolkit of the same major version",
        )
    return CompilerError(f"{os.path.basename(command[0])}: {first[:400]}", "the full output is in the error log")


def run(
    command: Sequence[str], spent: Spent, env: Optional[Mapping[str, str]] = None, cwd: Optional[str] = None
) -> str:
    """Run a compiler to its end; returns what it printed, raises what ``explain`` finds."""
    start, cpu = time.monotonic(), _children_cpu()
    process = subprocess.run(
        list(command),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=None if env is None else dict(env),
        cwd=cwd,
        check=False,
    )
    spent.add(Spent(time.monotonic() - start, _children_cpu() - cpu))
    output = process.stdout.decode("utf-8", "replace")
    if process.returncode:
        raise explain(command, output)
    return output
