"""Which compilers this machine has, and what they are."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from .errors import ToolchainMissingError


@dataclass(frozen=True)
class Compiler:
    """A compiler by its path; ``version`` as it prints it."""

    path: str
    version: str

    @property
    def name(self) -> str:
        return os.path.basename(self.path)

    @property
    def major(self) -> int:
        return int(self.version.split(".")[0])


def _output(*command: str) -> str:
    try:
        return subprocess.run(
            list(command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False
        ).stdout.decode("utf-8", "replace")
    except (OSError, subprocess.SubprocessError):
        return ""


def cxx() -> Compiler:
    """The C++ compiler: ``CXX``, else g++, c++ or clang++."""
    for name in filter(None, (os.environ.get("CXX"), "g++", "c++", "clang++")):
        path = shutil.which(name)
        version = _output(path, "-dumpfullversion", "-dumpversion").strip() if path else ""
        if path and re.match(r"\d+", version):
            return Compiler(path, version.splitlines()[0])
    raise ToolchainMissingError("no C++ compiler", "install g++ (Debian: apt-get install g++) or set CXX")


def nvcc_of(path: Path) -> Optional[Compiler]:
    found = re.search(r"release [\d.]+, V([\d.]+)", _output(str(path), "--version"))
    return Compiler(str(path), found.group(1)) if found else None


def system_nvcc() -> Optional[Compiler]:
    """nvcc of ``CUDA_HOME`` or ``CUDA_PATH``, else of the PATH, else of /usr/local/cuda."""
    homes = [Path(home) / "bin" / "nvcc" for home in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH")) if home]
    on_path = shutil.which("nvcc")
    candidates = homes + ([Path(on_path)] if on_path else []) + [Path("/usr/local/cuda/bin/nvcc")]
    for candidate in candidates:
        compiler = nvcc_of(candidate) if candidate.is_file() else None
        if compiler:
            return compiler
    return None


def is_x86() -> bool:
    return platform.machine().lower() in ("x86_64", "amd64")
