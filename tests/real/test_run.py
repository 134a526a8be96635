"""The main job from the outside: it resumes, it can be killed, and sharing work between cells changes nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from matrix.catalog import ROOT
from tests.real.conftest import RELEASES, Rows, nox, rows


def test_every_selected_cell_has_a_verdict_and_every_field(measured: Rows) -> None:
    planned = subprocess.run(
        [sys.executable, "-m", "matrix", "plan", "--torch", ",".join(RELEASES), "--opset", "11,16,20"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert sorted(record["cell"] for record in measured.values()) == sorted(planned)
    for record in measured.values():
        assert (record["runtimes"].get(record["runtime"]) == record["verdict"]) == bool(record["runtime"])
        if record["verdict"] == "pass":
            assert record["stage"] == "compare"
            assert record["max_abs_error"] <= 1e-4
            assert record["emitted_opset"] == record["opset"]
            assert all(record[field] for field in ("digest", "operators", "nodes", "bytes"))


def test_nothing_crashed_or_hung(measured: Rows) -> None:
    assert [r["cell"] for r in measured.values() if r["verdict"] in ("crash", "timeout", "unavailable")] == []


def test_a_second_run_measures_nothing(run: Path) -> None:
    before = {path.name: path.read_bytes() for path in run.glob("*.jsonl")}
    arguments = ["--torch", ",".join(RELEASES), "--opset", "11,16,20", "--keep-envs", "--results", str(run)]
    done = nox("-s", "matrix", "--", *arguments)
    assert done.returncode == 0
    assert "nothing to measure" in done.stdout + done.stderr
    assert {path.name: path.read_bytes() for path in run.glob("*.jsonl")} == before


def test_isolated_cells_give_the_same_files_and_verdicts(measured: Rows, tmp_path: Path) -> None:
    arguments = ["--torch", "1.8.0,2.15.0", "--opset", "11,20", "--isolate", "--keep-envs"]
    arguments += ["--case", "grid_sample-bilinear-zeros-4d,affine_grid-2d,flow_warp", "--results", str(tmp_path)]
    assert nox("-j", "2", "-s", "matrix", "--", *arguments).returncode == 0
    isolated = rows(tmp_path)
    assert len(isolated) > 40
    for key, record in isolated.items():
        shared = measured[key]
        assert (record["verdict"], record["digest"]) == (shared["verdict"], shared["digest"]), key


def test_helpers_go_through_the_dynamo_exporter_at_one_opset_after_another(tmp_path: Path) -> None:
    arguments = ["--torch", "2.15.0", "--opset", "18,21", "--route", "shim@dynamo,custom@dynamo", "--runtime", "none"]
    arguments += ["--case", "grid_sample-bilinear-zeros-4d,affine_grid-2d", "--results", str(tmp_path), "--keep-envs"]
    assert nox("-s", "matrix", "--", *arguments).returncode == 0
    verdicts = {key: record["verdict"] for key, record in rows(tmp_path).items()}
    assert len(verdicts) == 8
    assert set(verdicts.values()) == {"pass"}, verdicts


def test_a_killed_run_loses_nothing_and_goes_on(tmp_path: Path) -> None:
    arguments = ["--torch", "1.8.0", "--opset", "9-13", "--keep-envs", "--results", str(tmp_path)]
    command = [sys.executable, "-m", "nox", "-s", "matrix", "--", *arguments]
    mark = f"killed run {os.getpid()}"
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | {"MATRIX_MACHINE_LABEL": mark},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    path = tmp_path / "torch-1.8.0.jsonl"
    deadline = time.monotonic() + 120
    while (not path.exists() or path.read_bytes().count(b'"kind":"cell"') < 20) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    time.sleep(2)
    kept = path.read_bytes()
    assert _processes(mark) == [], "a probe outlived its host"
    assert nox("-s", "matrix", "--", *arguments).returncode == 0
    whole = path.read_bytes()
    first = _cells(kept[: kept.rfind(b"\n") + 1])
    every = _cells(whole)
    assert 20 <= len(first) < len(every)
    assert every[: len(first)] == first
    assert len(every) == len(set(every)), "a cell was measured twice"


def test_an_unknown_name_fails_with_a_suggestion(tmp_path: Path) -> None:
    done = nox("-s", "matrix", "--", "--torch", "1.8", "--results", str(tmp_path))
    assert done.returncode != 0
    assert "Perhaps you meant 1.8.0" in done.stdout + done.stderr


def test_a_release_that_does_not_exist_is_unavailable_with_a_reason(tmp_path: Path) -> None:
    done = nox("-s", "matrix", "--", "--torch", "1.8.9", "--opset", "11", "--results", str(tmp_path))
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert "Does PyTorch 1.8.9 exist" in said
    assert (tmp_path / "dashboard" / "index.html").exists()
    assert {record["verdict"] for record in rows(tmp_path).values()} == {"unavailable"}


def _cells(lines: bytes) -> list[str]:
    return [json.loads(line)["cell"] for line in lines.splitlines() if b'"kind":"cell"' in line]


def _processes(mark: str) -> list[str]:
    """Command lines of the processes in whose environment the mark stands."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if mark.encode() in (entry / "environ").read_bytes():
                    found.append((entry / "cmdline").read_text())
            except OSError:
                continue
    return found
