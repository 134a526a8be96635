"""The ONNX Runtime library of onnxgrid: the one that the user names, the packaged one, or one that is built."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from pathlib import Path

from matrix.catalog import ROOT
from matrix.errors import MissingDependencyError

_KERNELS = ROOT / "kernels"


@functools.cache
def path() -> Path:
    """Raises MissingDependencyError where there is none and no compiler to build it with."""
    named = Path(os.environ.get("ONNXGRID_ORT_LIBRARY", ""))
    packaged = _KERNELS / "onnxgrid" / "_native" / "libonnxgrid_ort.so"
    for candidate in (named, packaged):
        if candidate.is_file():
            return candidate
    folders = os.pathsep.join([str(_KERNELS / "build_tools"), str(_KERNELS)])
    done = subprocess.run(
        [sys.executable, "-m", "onnxgrid_build", "--ort"],
        env=os.environ | {"PYTHONPATH": folders},
        capture_output=True,
        text=True,
        check=False,
    )
    built = Path(done.stdout.strip().splitlines()[-1]) if done.returncode == 0 and done.stdout.strip() else None
    if built is None or not built.is_file():
        said = (done.stderr.strip().splitlines() or ["it gave no reason"])[-1]
        raise MissingDependencyError(
            f"the ONNX Runtime library of onnxgrid could not be built ({said}).",
            "Install a C++ compiler, or name a built library by ONNXGRID_ORT_LIBRARY.",
        )
    return built
