"""From the question to a script that runs in the locked environment, as a newcomer would go."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from matrix.catalog import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ASKED = [
    ("1.8.0", 11, ["grid_sample", "--mode", "bilinear", "--padding", "border"], "shim"),
    ("1.8.0", 11, ["spatial_transformer"], "shim"),
    ("2.15.0", 20, ["affine_grid"], "native"),
]


@pytest.mark.parametrize(("torch", "opset", "words", "route"), ASKED)
def test_the_printed_script_runs_in_the_environment_it_is_for(
    run: Path,
    in_environment: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
    torch: str,
    opset: int,
    words: list[str],
    route: str,
) -> None:
    command = [sys.executable, "-m", "matrix", "advise", "--torch", torch, "--opset", str(opset), *words]
    command += ["--from", str(run)]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert f"Take the route {route} " in said
    script = said.split("A script that does it and compares:\n\n", 1)[1]
    folder = f"import os; os.chdir({str(tmp_path)!r})\n"
    done = in_environment(torch, folder + script, ROOT / "kernels")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "model.onnx").stat().st_size > 0
    differences = [float(line.rsplit(" ", 1)[1]) for line in done.stdout.splitlines() if line.startswith("largest")]
    assert differences
    assert max(differences) < 1e-4
