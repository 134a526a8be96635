"""The way PyTorch's manual describes: everything through ``torch.utils.cpp_extension``. Slow; proves that it works."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import List

from . import cache as store
from . import cuda, toolchain
from .core import ISA, units
from .errors import BuildError, ToolchainMissingError
from .process import Spent, _children_cpu, explain
from .release import Release
from .verdict import Verdict


def _load(name: str, sources: List[Path], folder: Path, verdict: Verdict, **options: object) -> None:
    """``cpp_extension.load`` with its failures as ours."""
    import time

    start, cpu = time.monotonic(), _children_cpu()
    try:
        from torch.utils import cpp_extension

        cpp_extension.load(
            name, [str(source) for source in sources], build_directory=str(folder), is_python_module=False, **options
        )
    except BuildError:
        raise
    except Exception as error:
        raise explain([name], str(error)) from error
    finally:
        verdict.spent(Spent(time.monotonic() - start, _children_cpu() - cpu))


def build_cpp(release: Release, cache: store.Cache, verdict: Verdict) -> None:
    """``CppExtension`` of the binding and the core in plain C++ (one set of flags for all files)."""
    compiler = toolchain.cxx()
    verdict.compiler, verdict.compiler_version = compiler.path, compiler.version
    verdict.flags = ["-O2", *release.defines()[:1], "-DONNXGRID_HAS_X86=0", "-fopenmp"]
    sources = [store.CSRC / "torch" / "extension.cpp"]
    sources += [store.CSRC / "core" / f"{name}.cpp" for name in units() if name not in ISA or name == "isa_generic"]
    folder = _folder(release, cache, "textbook-cpp", verdict)
    _load("onnxgrid_textbook_cpp", sources, folder, verdict, extra_cflags=verdict.flags)
    verdict.reached, verdict.verdict = "imported", "pass"
    verdict.library = str(folder / "onnxgrid_textbook_cpp.so")


def build_cuda(release: Release, cache: store.Cache, verdict: Verdict) -> None:
    """``CUDAExtension`` with the nvcc that PyTorch's own check accepts."""
    cuda.require_cuda(release)
    nvcc = cuda.find_nvcc(release, "toolkit", verdict)
    archs = cuda.architectures()
    os.environ.setdefault("TORCH_CUDA_ARCH_LIST", ";".join(archs))
    # PyTorch guesses the toolkit from the path of nvcc, which fails where a launcher script stands in for it.
    os.environ["CUDA_HOME"] = str(cuda.toolkit_of(nvcc))
    verdict.compiler, verdict.compiler_version, verdict.cuda_version = nvcc.path, nvcc.version, nvcc.version
    verdict.architectures = archs
    verdict.flags = ["-O2"]
    folder = _folder(release, cache, "textbook-cuda", verdict)
    source = store.CSRC / "torch" / "textbook.cu"
    # A toolkit without the math libraries leaves their headers to the environment's own packages.
    headers = [str(path) for path in sorted((release.folder.parent / "nvidia").glob("*/include"))]
    options = {"extra_cuda_cflags": verdict.flags, "extra_include_paths": headers, "with_cuda": True}
    _load("onnxgrid_textbook_cuda", [source], folder, verdict, **options)
    verdict.reached, verdict.verdict = "imported", "pass"
    verdict.library = str(folder / "onnxgrid_textbook_cuda.so")


def _folder(release: Release, cache: store.Cache, kind: str, verdict: Verdict) -> Path:
    if not _has_ninja():
        raise ToolchainMissingError("cpp_extension needs ninja", "install the package ninja")
    key = store.digest([release.version, str(release.cuda), *verdict.flags], store.sources("core", "torch", "cuda"))
    cache.root.mkdir(parents=True, exist_ok=True)
    # Always a new folder: a build that was killed leaves a lock behind for which cpp_extension waits forever.
    return Path(tempfile.mkdtemp(prefix=f"{kind}-{key}-", dir=str(cache.root)))


def _has_ninja() -> bool:
    import shutil

    return shutil.which("ninja") is not None
