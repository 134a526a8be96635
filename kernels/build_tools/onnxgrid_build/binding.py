"""The C++ half: one thin translation unit per PyTorch release, linked with the shared core."""

from __future__ import annotations

import json
from pathlib import Path

from . import cache as store
from . import toolchain
from .core import compile_core, link
from .process import Spent, run
from .release import Release
from .verdict import Verdict

NAME = "libonnxgrid_torch.so"
# The binding has no loops worth optimising, and -O1 would double the time PyTorch's headers take.
FLAGS = ["-O0", "-fPIC", "-fopenmp", "-fvisibility=hidden", "-w"]


def build(release: Release, cache: store.Cache, verdict: Verdict) -> Path:
    """Compile and link; fills ``verdict`` up to ``linked`` and returns the library."""
    compiler = toolchain.cxx()
    verdict.compiler, verdict.compiler_version = compiler.path, compiler.version
    verdict.flags = [f"-std={release.standard}", *FLAGS, *release.defines()]
    parts = [compiler.path, compiler.version, release.version, str(release.cuda), str(release.folder), *verdict.flags]
    key = store.digest(parts, [*store.sources("core", "torch"), store.CSRC / "cuda" / "api.h"])
    # The core is compiled once for all releases, so its cost is no release's own.
    objects = compile_core(cache, Spent())

    def make(folder: Path) -> None:
        spent, unit = Spent(), folder / "extension.o"
        source = str(store.CSRC / "torch" / "extension.cpp")
        run([compiler.path, *verdict.flags, *release.includes(), "-c", source, "-o", str(unit)], spent)
        verdict.reached = "compiled"
        link(compiler, [unit, *objects], folder / NAME, spent, release.libraries())
        unit.unlink()
        (folder / "spent.json").write_text(json.dumps([spent.seconds, spent.cpu_seconds]), encoding="utf-8")

    folder, verdict.cached = cache.get(f"torch-{release.version}", key, make)
    verdict.reached = "linked"
    verdict.spent(read_spent(folder))
    verdict.library = str(folder / NAME)
    return folder / NAME


def read_spent(folder: Path) -> Spent:
    """What the build in ``folder`` cost."""
    seconds, cpu = json.loads((folder / "spent.json").read_text(encoding="utf-8"))
    return Spent(seconds, cpu)
