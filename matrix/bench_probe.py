"""`nox -s bench-probe`: what the zygote saves against one fresh process per cell, in one environment.

Three ways of measuring the same TorchScript cells, one after another and one worker each: a fresh process per cell (a
sample, its median), one fork per cell, and forks shared by a group. Printed as the Markdown rows of
docs/performance.md.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from matrix import catalog as catalogs
from matrix import environment, probe_process
from matrix.catalog import ROOT
from matrix.environment import Source
from matrix.options import Options
from matrix.plan import make_plan
from matrix.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matrix.cells import Cell

#: Name of a row, route, patterns of cases (none: the core cases).
_ROWS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("native, one operator", "native", ("grid_sample-*-4d",)),
    ("native, core cases", "native", ()),
    ("shim, core cases", "shim", ()),
)
_SAMPLE = 9
_ONE = """
import os, sys
os.environ.update({"OMP_NUM_THREADS": "1", "ORT_DISABLE_TELEMETRY": "1"})
from matrix.probe.cell import Observer, measure
null = os.open(os.devnull, os.O_WRONLY)
os.dup2(null, 1), os.dup2(null, 2)
measure(sys.argv[1], sys.argv[2], int(sys.argv[3]), Observer())
"""


def main(arguments: Sequence[str]) -> None:
    """Rows for the releases named (default: one of each exporter generation)."""
    catalog = catalogs.load()
    releases = list(arguments) or ["1.8.0", "1.13.1", "2.4.1", "2.15.0"]
    print(
        "| release | cells | fresh process | fork per cell | grouped forks | ÷ fork per cell | ÷ grouped | own time |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for version in releases:
        python = environment.ensure(catalog, catalog.release(version), Source()).python
        for name, route, cases in _ROWS:
            (task,) = make_plan(catalog, Selection(torch=(version,), routes=(route,), cases=cases))
            print(_row(version, name, python, task.cells), flush=True)


def _row(version: str, name: str, python: Path, cells: Sequence[Cell]) -> str:
    step = max(1, len(cells) // _SAMPLE)
    fresh = statistics.median(_fresh(python, cell) for cell in list(cells)[::step])
    alone, _ = _forked(python, cells, isolate=True)
    grouped, own = _forked(python, cells, isolate=False)
    return (
        f"| {version} | {name} | {fresh:.2f} s | {alone * 1e3:.1f} ms | {grouped * 1e3:.1f} ms "
        f"| {fresh / alone:.0f} × | {fresh / grouped:.0f} × | {own:.0%} |"
    )


def _fresh(python: Path, cell: Cell) -> float:
    start = time.monotonic()
    subprocess.run(
        [str(python), "-c", _ONE, cell.route, cell.case, str(cell.opset)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "kernels")])},
        check=True,
    )
    return time.monotonic() - start


def _forked(python: Path, cells: Sequence[Cell], *, isolate: bool) -> tuple[float, float]:
    """Seconds per cell after the start, and the share of them outside torch, onnx and onnxruntime."""
    group = Options().group
    config: dict[str, Any] = {
        "cells": probe_process.described(cells),
        "timeout": 120.0, "memory_mb": 6000, "workers": 1, "group": group, "isolate": isolate, "models": "",
    }  # fmt: skip
    inside = 0.0
    whole = 0.0
    for message in probe_process.messages(python, config):
        if message["event"] == "cell":
            inside += sum(message["record"].get("seconds", {}).values())
        elif message["event"] == "done":
            whole = message["seconds"]["cells"]
    return whole / len(cells), 1 - inside / whole


if __name__ == "__main__":
    main(sys.argv[1:])
