"""The tests of the packages below kernels/, run inside the environments whose PyTorch they are for."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from matrix.catalog import ROOT
from matrix.environment import FOLDER
from matrix.tools import uv

if TYPE_CHECKING:
    from pathlib import Path

RUNS = [
    ("1.8.0", "tests/onnxgrid"),
    ("1.13.1", "tests/onnxgrid"),
    ("2.15.0", "tests/onnxgrid"),
    ("2.15.0", "tests/kernels"),
]


def _pytest_for(python: Path) -> Path:
    """A folder with pytest for that interpreter, beside the environment and not in it."""
    folder = ROOT / ".nox" / f"pytest-{python.parents[1].name}"
    if not (folder / "pytest").exists():
        command = [uv(), "pip", "install", "--quiet", "--python", str(python), "--target", str(folder)]
        subprocess.run([*command, "pytest", "hypothesis"], check=True)
    return folder


@pytest.mark.parametrize(("torch", "folder"), RUNS)
def test_inside(run: Path, torch: str, folder: str) -> None:
    python = FOLDER / f"torch-{torch}" / "bin" / "python"
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(_pytest_for(python)), str(ROOT / "kernels")]),
        "OMP_NUM_THREADS": "1",
        "ORT_DISABLE_TELEMETRY": "1",
    }
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(ROOT)]
    done = subprocess.run(
        [*command, "--tb=short", "-m", "not slow and not gpu", folder],
        cwd=ROOT, capture_output=True, text=True, check=False, env=environment, timeout=1200,
    )  # fmt: skip
    summary = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr[-2000:]
    print(f"\n{torch} {folder}: {summary}")
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert " passed" in summary
