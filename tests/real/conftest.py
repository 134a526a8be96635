"""Real PyTorch releases, measured through the front door. Environments stay below .nox between runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from matrix.catalog import ROOT
from matrix.environment import FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable

#: The oldest release, the one in which custom functions began to be inlined, and a current one.
RELEASES = ("1.8.0", "1.13.1", "2.15.0")

Rows = dict[tuple[str, int, str, str], dict[str, Any]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.real)


def nox(*arguments: str, timeout: float = 1500) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "nox", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=timeout)


def rows(folder: Path) -> Rows:
    """What `python -m matrix results` prints of a folder, by release, opset, route and case."""
    command = [sys.executable, "-m", "matrix", "results", "--from", str(folder), "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    return {(r["torch"], r["opset"], r["route"], r["case"]): r for r in records}


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three releases at three opsets, all core cases and default routes; the folder of the results."""
    folder = tmp_path_factory.mktemp("run")
    arguments = ["--torch", ",".join(RELEASES), "--opset", "11,16,20", "--keep-envs", "--results", str(folder)]
    done = nox("-j", "2", "-s", "matrix", "--", *arguments)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert "dashboard:" in done.stdout
    return folder


@pytest.fixture(scope="session")
def measured(run: Path) -> Rows:
    return rows(run)


@pytest.fixture(scope="session")
def in_environment(run: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a script with an environment's Python, as a user of that release would."""

    def execute(torch: str, script: str, *paths: Path) -> subprocess.CompletedProcess[str]:
        python = FOLDER / f"torch-{torch}" / "bin" / "python"
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths)), "OMP_NUM_THREADS": "1"}
        return subprocess.run(
            [str(python), "-c", script], capture_output=True, text=True, check=False, env=environment, timeout=300
        )

    del run
    return execute
