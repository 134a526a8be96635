"""Kernels that the environment's own NVRTC compiles at run time: no CUDA toolkit is needed to build anything."""

from __future__ import annotations

import ctypes
import json
import re
from pathlib import Path
from typing import List

from . import cache as store
from . import toolchain
from .binding import read_spent
from .core import link
from .errors import CompilerError, ToolchainMissingError
from .process import Spent, run
from .release import Release
from .verdict import Verdict

NAME = "libonnxgrid_nvrtc.so"
FLAGS = ["-std=c++14", "-O2", "-fPIC", "-fvisibility=hidden"]
OPTIONS = ["--std=c++14", "--device-as-default-execution-space"]
_INCLUDE = re.compile(r'^\s*#include\s+"([^"]+)"', re.MULTILINE)


def find_library(release: Release) -> Path:
    """NVRTC as this PyTorch brings it: in its own lib folder up to 1.12, from a package of its own later."""
    site = release.folder.parent
    major = release.cuda_major
    patterns = [
        (release.folder / "lib", "libnvrtc-*.so*"),
        (release.folder / "lib", "libnvrtc.so*"),
        (site / "nvidia", "cuda_nvrtc/lib/libnvrtc.so*"),
        (site / "nvidia", f"cu{major}/lib/libnvrtc.so*"),
    ]
    for folder, pattern in patterns:
        found = [
            path for path in sorted(folder.glob(pattern)) if "builtins" not in path.name and "alt" not in path.name
        ]
        if found:
            return found[0]
    raise ToolchainMissingError(
        "this PyTorch brings no NVRTC", f"install the package nvidia-cuda-nvrtc of CUDA {release.cuda}"
    )


def flat_source() -> str:
    """The kernels as one text, each header once: NVRTC then needs no files."""
    seen = set()

    def expand(path: Path) -> str:
        if path in seen:
            return ""
        seen.add(path)
        text = path.read_text(encoding="utf-8").replace("#pragma once\n", "")
        return _INCLUDE.sub(lambda match: expand((path.parent / match.group(1)).resolve()), text)

    return expand((store.CSRC / "cuda" / "runtime_kernels.h").resolve())


def compile_once(library: Path, source: str, names: List[str], architecture: str) -> None:
    """Compile ``names`` for ``architecture`` without a GPU; raises what NVRTC complains about."""
    lib = ctypes.CDLL(str(library))
    program = ctypes.c_void_p()
    lib.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"onnxgrid.cu", 0, None, None)
    for name in names:
        lib.nvrtcAddNameExpression(program, name.encode())
    options = [*OPTIONS, f"--gpu-architecture={architecture}"]
    array = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
    code = lib.nvrtcCompileProgram(program, len(options), array)
    size = ctypes.c_size_t()
    lib.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(max(1, size.value))
    lib.nvrtcGetProgramLog(program, log)
    lib.nvrtcDestroyProgram(ctypes.byref(program))
    if code:
        raise CompilerError(f"NVRTC: {log.value.decode('utf-8', 'replace')[:400]}", "")


def sample_names() -> List[str]:
    """One instantiation of every kernel, and of every element type."""
    types = ["float, float", "double, double", "onnxgrid::half_t, onnxgrid::half_t", "onnxgrid::bfloat_t, float"]
    names = [f"onnxgrid::cuda::forward_planar<{pair}, {kind}, int>" for kind, pair in enumerate(types)]
    names += [f"onnxgrid::cuda::forward_adjacent<{types[2]}, 0, long long>"]
    names += [f"onnxgrid::cuda::{name}<{types[0]}, 0, long long>" for name in ("gradient", "input_gradient_in_order")]
    return [*names, f"onnxgrid::cuda::affine_grid<{types[0]}, 1, int>"]


def build(release: Release, cache: store.Cache, verdict: Verdict) -> Path:
    """Try the kernels with this environment's NVRTC, then compile the library that will use it."""
    library = find_library(release)
    compiler = toolchain.cxx()
    architecture = "compute_70" if release.cuda_major is not None and release.cuda_major < 13 else "compute_75"
    verdict.compiler, verdict.compiler_version = str(library), release.cuda
    verdict.cuda_version, verdict.architectures = release.cuda, [architecture]
    verdict.flags = [*OPTIONS, *FLAGS]
    source = flat_source()
    compile_once(library, source, sample_names(), architecture)
    verdict.reached = "compiled"
    key = store.digest([compiler.path, compiler.version, str(library), *verdict.flags], store.sources("core", "cuda"))

    def make(folder: Path) -> None:
        spent, unit = Spent(), folder / "nvrtc.o"
        embedded = folder / "kernel_source.inc"
        embedded.write_text(
            ", ".join(str(byte - 256 if byte > 127 else byte) for byte in source.encode()) + ", 0", encoding="utf-8"
        )
        defines = [f'-DONNXGRID_NVRTC_LIBRARY="{library}"', f"-I{folder}"]
        run([compiler.path, *FLAGS, *defines, "-c", str(store.CSRC / "cuda" / "nvrtc.cpp"), "-o", str(unit)], spent)
        link(compiler, [unit], folder / NAME, spent)
        unit.unlink()
        embedded.unlink()
        (folder / "spent.json").write_text(json.dumps([spent.seconds, spent.cpu_seconds]), encoding="utf-8")

    folder, verdict.cached = cache.get(f"nvrtc-{release.cuda}", key, make)
    verdict.reached = "linked"
    verdict.spent(read_spent(folder))
    verdict.library = str(folder / NAME)
    return folder / NAME
