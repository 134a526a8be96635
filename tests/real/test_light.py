"""Looking at results needs the standard library and packaging alone: `pip install nox uv` brings no more."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from matrix.catalog import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """
import sys
BLOCKED = {"filelock", "jinja2", "pygal", "python_discovery", "uv", "nox", "numpy", "onnx", "torch"}
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in BLOCKED:
            raise ModuleNotFoundError("No module named " + repr(name), name=name)
sys.meta_path.insert(0, Blocker())
from matrix.cli import main
sys.exit(main(sys.argv[1:]))
"""

ADVISE = ["advise", "--torch", "1.8.0", "--opset", "11", "grid_sample", "--runtime", "ort-1.10"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["results", "torch>=2.5 and route==dynamo", "--csv"], 0),
        (ADVISE, 0),
        (["shards", "--jobs", "4", "--json"], 0),
        (["plan", "--shard", "1/8"], 0),
        (["merge", "nowhere", "--into", "x"], 2),
        (["check", "--results", "nowhere"], 16),
    ],
)
def test_commands_that_read_results_need_nothing_else(tmp_path: Path, words: list[str], code: int) -> None:
    words = [str(tmp_path / word) if word in ("nowhere", "x") else word for word in words]
    done = subprocess.run([sys.executable, "-c", SCRIPT, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
