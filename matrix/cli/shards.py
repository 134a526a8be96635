"""shards: the plan as jobs of equal length, for whatever runs jobs."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

from matrix import catalog as catalogs
from matrix.options import add_selection, selection_of
from matrix.plan import make_plan
from matrix.shards import Shard, jobs_of

if TYPE_CHECKING:
    import argparse

    from matrix.cli.common import Commands


def add(commands: Commands) -> None:
    parser = commands.add_parser(
        "shards", help="the plan as jobs of equal length; `nox -s matrix -- --shard 3/8` runs one"
    )
    add_selection(parser)
    parser.add_argument("--jobs", type=int, default=8, metavar="N", help="at most so many (GitHub takes 256)")
    parser.add_argument("--json", action="store_true", help="a list of objects: shard, arguments, seconds, cells, …")
    parser.set_defaults(run=_shards)


def _shards(values: argparse.Namespace) -> int:
    jobs = jobs_of(make_plan(catalogs.load(), selection_of(values)), values.jobs)
    rows: list[dict[str, Any]] = [
        {
            "shard": str(Shard(number, values.jobs)),
            "arguments": ["--shard", str(Shard(number, values.jobs)), *selection_flags(values)],
            "seconds": round(job.seconds, 1),
            "cells": sum(len(task.cells) for task in job.tasks),
            "environments": [task.release.name for task in job.tasks],
        }
        for number, job in enumerate(jobs, start=1)
    ]
    if values.json:
        print(json.dumps(rows))
        return 0
    for row in rows:
        command = shlex.join(["nox", "-s", "matrix", "--", *row["arguments"]])
        print(f"{command:<40} {row['seconds']:>7.0f} s {row['cells']:>6} cells  {' '.join(row['environments'])}")
    return 0


def selection_flags(values: argparse.Namespace) -> list[str]:
    """The selection as it was given, for the command of each job."""
    flags = [*values.patterns]
    for name in ("torch", "opset", "case", "route"):
        flags += [f"--{name}", getattr(values, name)] if getattr(values, name) else []
    for pattern in values.cell:
        flags += ["--cell", pattern]
    return flags + [f"--{name}" for name in ("all-cases", "quick") if getattr(values, name.replace("-", "_"))]
