"""Shards hold every cell once, are of equal length, and merge into what an undivided run gives."""

from __future__ import annotations

import hashlib
import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matrix import catalog as catalogs
from matrix import sessions
from matrix.cells import Cell
from matrix.cli import main
from matrix.errors import UsageError
from matrix.merge import merge
from matrix.plan import Task, make_plan
from matrix.results import Writer
from matrix.selection import Selection
from matrix.shards import Job, Shard, select, split
from tests.report import synthetic

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CATALOG = catalogs.load()
TASKS = make_plan(CATALOG, Selection(torch=("1.8.0", "2.0.1", "2.9.1"), opsets=("9-16",)))


def seconds(cell: Cell) -> float:
    """Another number for every cell, those of the dynamo exporter much larger."""
    noise = int(hashlib.sha256(cell.id.encode()).hexdigest()[:4], 16) / 0xFFFF
    return (1.0 if cell.route == "dynamo" else 0.1) * (0.5 + noise)


def jobs(count: int, tasks: Sequence[Task] = TASKS, setup: float = 5.0) -> list[Job]:
    return split(tasks, count, cell=seconds, setup=lambda _: setup)


def cells(tasks: Sequence[Task]) -> list[str]:
    return [cell.id for task in tasks for cell in task.cells]


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.floats(0, 50), st.lists(st.integers(1, 60), min_size=1, max_size=6))
def test_every_cell_is_in_exactly_one_shard(count: int, setup: float, sizes: list[int]) -> None:
    tasks = [
        Task(release, tuple(Cell(torch=release.version, opset=9, route="shim", case=f"c{n}") for n in range(size)))
        for release, size in zip(CATALOG.releases, sizes, strict=False)
    ]
    made = jobs(count, tasks, setup)
    assert 1 <= len(made) <= count
    assert sorted(name for job in made for name in cells(job.tasks)) == sorted(cells(tasks))
    for job in made:
        assert len({task.release.name for task in job.tasks}) == len(job.tasks), "an environment is set up once"


@pytest.mark.parametrize("count", [2, 3, 4, 6, 8])
def test_shards_are_of_equal_length(count: int) -> None:
    lengths = [job.seconds for job in jobs(count)]
    assert lengths == sorted(lengths, reverse=True)
    largest_cell = max(seconds(cell) for task in TASKS for cell in task.cells)
    assert lengths[0] <= 1.35 * sum(lengths) / len(lengths) + largest_cell


def test_the_length_of_a_job_is_its_cells_and_one_setting_up_per_environment() -> None:
    for job in jobs(4):
        measured = sum(seconds(cell) for task in job.tasks for cell in task.cells)
        assert job.seconds == pytest.approx(measured + 5.0 * len(job.tasks))


def test_more_jobs_are_never_slower() -> None:
    longest = [jobs(count)[0].seconds for count in range(1, 12)]
    assert all(after <= before * 1.02 for before, after in itertools.pairwise(longest))
    assert longest[-1] < longest[0] / 4


def test_an_environment_is_not_cut_into_parts_that_only_set_up() -> None:
    assert len(jobs(256, setup=1e6)) == len(TASKS)
    made = jobs(256, setup=5.0)
    assert len(TASKS) < len(made) < 256
    assert min(job.seconds for job in made) > 5.0 * 1.2


def test_the_same_plan_gives_the_same_shards() -> None:
    assert jobs(7) == jobs(7)


def test_a_shard_reads_3_of_8() -> None:
    assert str(Shard.parse("3/8")) == "3/8"
    for text in ("0/8", "9/8", "3", "3-8", "a/b"):
        with pytest.raises(UsageError, match="third of eight"):
            Shard.parse(text)


def test_a_number_beyond_the_jobs_worth_having_is_an_empty_shard() -> None:
    few = make_plan(CATALOG, Selection(cells=("torch-1.8.0/opset-11/shim/affine_grid-2d",)))
    assert cells(select(few, Shard(1, 3))) == cells(few)
    assert select(few, Shard(3, 3)) == ()


def measured(tasks: Sequence[Task], folder: Path) -> Path:
    """A run that nobody measured: the lines that a probe would write, in the order of the plan."""
    for task in tasks:
        with Writer(folder / f"{task.release.name}.jsonl") as writer:
            environment: dict[str, Any] = {
                "kind": "environment", "schema": 1, "environment": task.release.name, "torch": task.release.version,
                "verdict": "pass", "measured_at": "2026-01-01T00:00:00Z", "machine": synthetic.machine(),
            }  # fmt: skip
            lines = [synthetic.cell(cell.torch, cell.opset, cell.route, cell.case) for cell in task.cells]
            writer.append([environment, *lines])
    return folder


@pytest.mark.parametrize("count", [2, 5, 256])
def test_shards_played_one_after_another_merge_into_the_bytes_of_an_undivided_run(tmp_path: Path, count: int) -> None:
    whole = measured(TASKS, tmp_path / "whole")
    parts = [measured(job.tasks, tmp_path / f"part{number}") for number, job in enumerate(jobs(count))]
    assert len(parts) > 1
    merge([whole], tmp_path / "one")
    merge(list(reversed(parts)), tmp_path / "many")
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "many").iterdir())
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "many" / name).read_bytes(), name


def test_nox_runs_only_the_environments_of_the_shard(tmp_path: Path) -> None:
    words = ["--torch", "1.8.0,2.0.1,2.9.1", "--opset", "11", "--runtime", "none", "--results", str(tmp_path)]
    runs = [sessions.requested(["nox", "-s", "matrix", "--", *words, "--shard", f"{n}/3"]) for n in (1, 2, 3)]
    whole = sessions.requested(["nox", "-s", "matrix", "--", *words])
    assert all(run.error is None for run in runs)
    assert sorted(name for run in runs for name in cells(run.tasks)) == sorted(cells(whole.tasks))
    assert sorted(name for run in runs for name in run.session_names[1:]) == sorted(whole.session_names[1:])


def test_the_command_gives_the_arguments_of_every_job(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["shards", "--torch", "1.8.0,2.9.1", "--opset", "11", "--jobs", "2", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["arguments"] for row in rows] == [
        ["--shard", f"{number}/2", "--torch", "1.8.0,2.9.1", "--opset", "11"] for number in (1, 2)
    ]
    for row in rows:
        assert main(["plan", *row["arguments"]]) == 0
        assert len(capsys.readouterr().out.split()) == row["cells"]
