"""The CUDA half: one source, by whichever strategy this environment allows.

The kernels know no PyTorch: a shared library with a C interface takes pointers and the caller's stream, so it is
built once per CUDA compiler. The ladder, best first:

toolkit  nvcc of a system toolkit whose major version is that of PyTorch's CUDA
wheels   nvcc of the CUDA 13 packages installed into this environment (PyTorch 2.11 and later)
split    nvcc of another major version: a static runtime of its own beside PyTorch's; needs that version's driver
nvrtc    no toolkit: the environment's own NVRTC compiles the same source when a kernel is first used
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import List, Optional

from . import cache as store
from . import nvrtc, toolchain
from .binding import read_spent
from .core import link
from .errors import ToolchainMismatchError, ToolchainMissingError
from .process import Spent, run
from .release import Release
from .verdict import Verdict

NAME = "libonnxgrid_cuda.so"
LADDER = ("toolkit", "wheels", "split", "nvrtc")
FLAGS = ["-std=c++17", "-O3", "-Xcompiler", "-fPIC,-fvisibility=hidden", "-cudart", "static"]
PACKAGES = "nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-cccl, all ==13.0.*"


def architectures() -> List[str]:
    """``TORCH_CUDA_ARCH_LIST``, else machine code for 8.0 and 9.0 and PTX of 7.5 for every other GPU."""
    named = os.environ.get("TORCH_CUDA_ARCH_LIST", "").replace(" ", ";")
    return [item for item in named.split(";") if item and item[0].isdigit()] or ["7.5+PTX", "8.0", "9.0"]


def arch_flags(archs: List[str]) -> List[str]:
    flags = []
    for arch in archs:
        number = arch.replace("+PTX", "").replace(".", "")
        code = f"compute_{number}" if arch.endswith("+PTX") else f"sm_{number}"
        flags += ["-gencode", f"arch=compute_{number},code={code}"]
    return flags


def require_cuda(release: Release) -> None:
    if release.cuda is None:
        hint = "install a CUDA build of PyTorch to use the CUDA half"
        raise ToolchainMismatchError(f"PyTorch {release.version} was built without CUDA", hint)


def find_nvcc(release: Release, strategy: str, verdict: Verdict) -> toolchain.Compiler:
    """The nvcc that ``strategy`` may use for this release."""
    if strategy == "wheels":
        return wheel_nvcc(release)
    nvcc = toolchain.system_nvcc()
    if nvcc is None:
        hint = f"install a CUDA {release.cuda} toolkit and set CUDA_HOME; --strategy nvrtc needs none"
        raise ToolchainMissingError("no nvcc in CUDA_HOME, on the PATH or in /usr/local/cuda", hint)
    verdict.cuda_version = nvcc.version
    check_versions(nvcc.version, str(release.cuda), strategy, verdict)
    return nvcc


def check_versions(nvcc: str, torch_cuda: str, strategy: str, verdict: Verdict) -> None:
    """Another major version blocks the strategy ``toolkit``; another minor version is only worth a warning."""
    if nvcc.split(".", maxsplit=1)[0] != torch_cuda.split(".", maxsplit=1)[0]:
        if strategy == "toolkit":
            message = f"nvcc {nvcc} cannot be matched with PyTorch's CUDA {torch_cuda}: the major versions differ"
            hint = f"install a CUDA {torch_cuda} toolkit and set CUDA_HOME, or use --strategy split or nvrtc"
            raise ToolchainMismatchError(message, hint)
        verdict.warning = f"kernels by CUDA {nvcc} beside PyTorch's CUDA {torch_cuda}: needs a driver for CUDA {nvcc}"
    elif nvcc.split(".")[:2] != torch_cuda.split(".")[:2]:
        verdict.warning = f"nvcc {nvcc} and PyTorch's CUDA {torch_cuda} differ in the minor version"


def wheel_nvcc(release: Release) -> toolchain.Compiler:
    home = release.folder.parent / "nvidia" / "cu13"
    nvcc = toolchain.nvcc_of(home / "bin" / "nvcc") if (home / "bin" / "nvcc").is_file() else None
    if release.cuda_major != 13:
        message = f"the CUDA 13 packages do not match PyTorch's CUDA {release.cuda}"
        raise ToolchainMismatchError(message, "complete compiler packages exist for CUDA 13 only")
    if nvcc is None:
        hint = f"install into this environment: {PACKAGES}"
        raise ToolchainMissingError("the CUDA 13 packages hold no nvcc here", hint)
    return nvcc


def build(release: Release, cache: store.Cache, strategy: str, verdict: Verdict) -> Path:
    """Compile and link the CUDA half by one strategy; fills ``verdict`` up to ``linked``."""
    require_cuda(release)
    if strategy == "nvrtc":
        return nvrtc.build(release, cache, verdict)
    nvcc = find_nvcc(release, strategy, verdict)
    archs = architectures()
    verdict.compiler, verdict.compiler_version, verdict.cuda_version = nvcc.path, nvcc.version, nvcc.version
    verdict.flags, verdict.architectures = [*FLAGS, *arch_flags(archs)], archs
    host = toolchain.cxx()
    key = store.digest([nvcc.path, nvcc.version, host.version, *verdict.flags], store.sources("core", "cuda"))

    def make(folder: Path) -> None:
        spent, unit = Spent(), folder / "launch.o"
        source = str(store.CSRC / "cuda" / "launch.cu")
        run([nvcc.path, *verdict.flags, *host_compiler(), "--threads", "2", "-c", source, "-o", str(unit)], spent)
        verdict.reached = "compiled"
        link(host, [unit], folder / NAME, spent, [*runtime(nvcc), "-lrt"])
        unit.unlink()
        (folder / "spent.json").write_text(json.dumps([spent.seconds, spent.cpu_seconds]), encoding="utf-8")

    folder, verdict.cached = cache.get(f"cuda-{nvcc.version}", key, make)
    verdict.reached = "linked"
    verdict.spent(read_spent(folder))
    verdict.library = str(folder / NAME)
    return folder / NAME


def host_compiler() -> List[str]:
    named: Optional[str] = os.environ.get("NVCC_CCBIN")
    return ["-ccbin", named] if named else []


def toolkit_of(nvcc: toolchain.Compiler) -> Path:
    """The folder of the toolkit: what the compiler itself says, since a launcher script may stand in for it."""
    listing = run([nvcc.path, "--dryrun", "-x", "cu", "-c", os.devnull, "-o", os.devnull], Spent())
    tops = [line.split("=", 1)[1].strip() for line in listing.splitlines() if line.startswith("#$ TOP=")]
    return Path(tops[0]).resolve() if tops else Path(nvcc.path).resolve().parents[1]


def runtime(nvcc: toolchain.Compiler) -> List[str]:
    """The static CUDA runtime of the toolkit that ``nvcc`` belongs to."""
    home = toolkit_of(nvcc)
    for folder in ("lib64", "lib", "targets/x86_64-linux/lib"):
        found = home / folder / "libcudart_static.a"
        if found.is_file():
            return [str(found)]
    raise ToolchainMissingError(
        "the CUDA toolkit holds no libcudart_static.a", "install its cudart development package"
    )
