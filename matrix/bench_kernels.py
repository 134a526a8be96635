"""`nox -s bench-shim`, `bench-kernels` and `bench-cuda`: the scripts of kernels/bench in a measured environment.

The scripts know nothing of the matrix; here they get an environment, the compiled libraries, and mmcv's function.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from matrix import builds, environment, native_library
from matrix import catalog as catalogs
from matrix.catalog import ROOT
from matrix.environment import Source
from matrix.errors import MatrixError, MissingDependencyError
from matrix.tools import uv

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_KERNELS = ROOT / "kernels"
#: Pure Python, and all that is loaded of it is one function.
_MMCV = "mmcv-lite==2.1.0"


def main(arguments: Sequence[str]) -> int:
    """``NAME [--torch VERSION] ARGUMENTS…``: the exit status of ``kernels/bench/bench_NAME.py``."""
    name, *rest = arguments
    version = "newest"
    if rest[:1] == ["--torch"]:
        version, rest = rest[1], rest[2:]
    catalog = catalogs.load()
    python = environment.ensure(catalog, catalog.release(version), Source()).python
    folders = [str(_KERNELS), str(_KERNELS / "build_tools")]
    extra: dict[str, str] = {}
    if name == "shim":
        folders.append(str(_mmcv(python)))
    if name == "kernels":
        extra = {"ONNXGRID_ORT_LIBRARY": str(native_library.path()), "ONNXGRID_TORCH_LIBRARY": _extension(python)}
    return subprocess.run(
        [str(python), str(_KERNELS / "bench" / f"bench_{name}.py"), *rest],
        env=os.environ | extra | {"PYTHONPATH": os.pathsep.join(folders)},
        check=False,
    ).returncode


def _mmcv(python: Path) -> Path:
    """A folder that holds mmcv and nothing else, so that the environment stays as its lock has it."""
    folder = ROOT / ".nox" / "bench" / "mmcv"
    if not (folder / "mmcv").is_dir():
        subprocess.run(
            [uv(), "pip", "install", "--quiet", "--no-deps", "--python", str(python), "--target", str(folder), _MMCV],
            check=True,
        )
    return folder


def _extension(python: Path) -> str:
    build = builds.front_end(python, "cpp", "auto")
    if not build.get("library"):
        raise MissingDependencyError(
            f"the PyTorch extension could not be built ({build.get('error')}).", "Install a C++ compiler."
        )
    return str(build["library"])


if __name__ == "__main__":
    try:
        raise SystemExit(main(sys.argv[1:]))
    except MatrixError as error:
        raise SystemExit(str(error)) from None
