"""Shards played one after another on real releases, merged, and compared with a run that was not divided."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from matrix.catalog import ROOT
from tests.real.conftest import nox

if TYPE_CHECKING:
    from pathlib import Path

SELECTION = ["--torch", "1.8.0,1.13.1", "--opset", "11-13", "--case", "affine_grid-2d,flow_warp,rotate-90"]
ASIDE = ["--runtime", "none", "--keep-envs"]

#: What no two measurements have in common.
CHANGING = ("measured_at", "seconds", "peak_rss_mb")


def matrix(*arguments: str) -> str:
    command = [sys.executable, "-m", "matrix", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def lines(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Every line by file, without what changes from run to run."""
    return {
        path.name: [
            {name: value for name, value in json.loads(line).items() if name not in CHANGING}
            for line in path.read_text(encoding="utf-8").splitlines()
        ]
        for path in sorted(folder.glob("*.jsonl"))
    }


def test_shards_merge_into_what_an_undivided_run_gives(tmp_path: Path) -> None:
    jobs = json.loads(matrix("shards", "--jobs", "2", "--json", *SELECTION))
    assert len(jobs) == 2
    parts = []
    for number, job in enumerate(jobs):
        parts.append(str(tmp_path / f"part{number}"))
        done = nox("-s", "matrix", "--", *job["arguments"], *ASIDE, "--results", parts[-1])
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    whole = tmp_path / "whole"
    assert nox("-s", "matrix", "--", *SELECTION, *ASIDE, "--results", str(whole)).returncode == 0
    matrix("merge", *parts, "--into", str(tmp_path / "many"))
    matrix("merge", str(whole), "--into", str(tmp_path / "one"))
    assert lines(tmp_path / "many") == lines(tmp_path / "one")
    models = [sorted(path.name for path in (tmp_path / name / "models").iterdir()) for name in ("many", "one")]
    assert models[0] == models[1]
    gate = ["check", "--baseline", str(tmp_path / "one"), "--results", str(tmp_path / "many"), "--factor", "100"]
    assert "cells measured in both runs" in matrix(*gate)
