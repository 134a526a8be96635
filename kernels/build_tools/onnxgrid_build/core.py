"""The parts that know no PyTorch: the sampling core, compiled once per toolchain, and the ONNX Runtime library."""

from __future__ import annotations

from pathlib import Path
from typing import Sequence

from . import cache as store
from . import toolchain
from .process import Spent, run

BASE = [
    "-std=c++14",
    "-O3",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=off",
]
# One file per instruction set, and only that file gets its flags.
ISA = {
    "isa_generic": [],
    "isa_avx2": ["-mavx2", "-mfma"],
    "isa_avx512": ["-mavx512f", "-mavx512dq", "-mavx512vl", "-mavx512bw", "-mfma", "-Wno-uninitialized"],
}


def units() -> dict[str, list[str]]:
    """Translation unit -> its own flags on this machine."""
    x86 = toolchain.is_x86()
    own = {name: flags for name, flags in ISA.items() if x86 or name == "isa_generic"}
    own["dispatch"] = []
    return {name: [*flags, f"-DONNXGRID_HAS_X86={int(x86)}"] for name, flags in own.items()}


def compile_core(cache: store.Cache, spent: Spent, extra: Sequence[str] = ()) -> list[Path]:
    """The core's object files; cached by compiler, flags and sources."""
    compiler = toolchain.cxx()
    flags = [*BASE, *extra]
    key = store.digest([compiler.path, compiler.version, *flags, repr(units())], store.sources("core"))

    def build(folder: Path) -> None:
        for name, own in units().items():
            source = str(store.CSRC / "core" / f"{name}.cpp")
            run([compiler.path, *flags, *own, "-c", source, "-o", str(folder / f"{name}.o")], spent)

    folder, _ = cache.get("core", key, build)
    return [folder / f"{name}.o" for name in units()]


def build_ort_library(cache: store.Cache, spent: Spent, extra: Sequence[str] = ()) -> Path:
    """``libonnxgrid_ort.so``: one binary for every ONNX Runtime from 1.7 on."""
    objects = compile_core(cache, spent, extra)
    compiler = toolchain.cxx()
    flags = [*BASE, *extra]
    key = store.digest([compiler.path, compiler.version, *flags], store.sources("core", "ort"))

    def build(folder: Path) -> None:
        unit = folder / "operators.o"
        run([compiler.path, *flags, "-c", str(store.CSRC / "ort" / "operators.cpp"), "-o", str(unit)], spent)
        link(compiler, [unit, *objects], folder / "libonnxgrid_ort.so", spent, extra)
        unit.unlink()

    folder, _ = cache.get("ort", key, build)
    return folder / "libonnxgrid_ort.so"


def build_core_library(cache: store.Cache, spent: Spent, extra: Sequence[str] = ()) -> Path:
    """``libonnxgrid_core.so``: the core alone behind its C interface, for tests and benchmarks."""
    objects = compile_core(cache, spent, extra)
    compiler = toolchain.cxx()

    def build(folder: Path) -> None:
        link(compiler, objects, folder / "libonnxgrid_core.so", spent, extra)

    folder, _ = cache.get("core-library", objects[0].parent.name.split("-")[-1], build)
    return folder / "libonnxgrid_core.so"


def link(
    compiler: toolchain.Compiler, objects: Sequence[Path], out: Path, spent: Spent, extra: Sequence[str] = ()
) -> None:
    """Link a shared library whose own functions nobody else's can replace."""
    # Archives resolve what stands before them, so the objects come first.
    command = [compiler.path, "-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs", "-o", str(out), *map(str, objects)]
    run([*command, *extra, "-pthread", "-ldl"], spent)
