"""One environment from nothing to results, with a probe that only pretends."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from filelock import FileLock

from matrix import builds, environment, probe_process
from matrix import catalog as catalogs
from matrix import results as stored
from matrix.environment import Environment
from matrix.errors import BusyError, InterpreterNotFoundError, NewerSchemaError, ProbeError
from matrix.measure import measure, outstanding
from matrix.options import Options
from matrix.plan import Task, make_plan
from matrix.progress import Progress
from matrix.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CATALOG = catalogs.load()
SELECTION = Selection(torch=("1.8.0",), opsets=("11", "12"), routes=("native", "shim"), cases=("affine_grid-2d",))
(TASK,) = make_plan(CATALOG, SELECTION)


class Probe:
    """Answers every cell with ``pass``; may die after a number of cells."""

    def __init__(self) -> None:
        self.asked: list[list[dict[str, Any]]] = []
        self.dies_after: int | None = None

    def __call__(self, _python: Path, config: dict[str, Any]) -> Iterator[dict[str, Any]]:
        self.asked.append(config["cells"])
        yield {"event": "ready", "python": "3.9.18", "cuda": "10.2", "exporters": ["torchscript"], "packages": {}}
        for index in range(len(config["cells"])):
            if index == self.dies_after:
                raise ProbeError("the probe was killed by SIGKILL.", "Run the same command again.")
            yield {"event": "cell", "index": index, "record": {"verdict": "pass", "stage": "compare", "error": None}}
        yield {"event": "done", "seconds": {"cells": 1.0}, "peak_rss_mb": 100}


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch) -> Probe:
    fake = Probe()
    monkeypatch.setattr(probe_process, "messages", fake)
    monkeypatch.setattr(environment, "ensure", lambda *_: Environment(Path("python"), 0.0))
    return fake


def run(folder: Path, task: Task = TASK, show: Callable[[], None] = lambda: None, **options: Any) -> int:
    said = Options(results=folder, keep_envs=True, **options)
    progress = Progress(task.release.name, overwrite=False, write=lambda text: None)
    return measure(CATALOG, task, said, workers=1, progress=progress, show=show)


def verdicts(folder: Path) -> dict[str, str]:
    return {cell: record["verdict"] for cell, record in stored.load(folder).cells.items()}


def test_every_cell_becomes_a_line_and_an_unchanged_second_run_measures_nothing(probe: Probe, tmp_path: Path) -> None:
    assert run(tmp_path) == 4
    assert verdicts(tmp_path) == {cell.id: "pass" for cell in TASK.cells}
    before = (tmp_path / "torch-1.8.0.jsonl").read_bytes()
    assert run(tmp_path) == 0
    assert (tmp_path / "torch-1.8.0.jsonl").read_bytes() == before
    assert len(probe.asked) == 1


def test_again_measures_anew(probe: Probe, tmp_path: Path) -> None:
    run(tmp_path)
    assert run(tmp_path, again=True) == 4


def test_a_probe_that_dies_loses_nothing_and_the_next_run_goes_on(probe: Probe, tmp_path: Path) -> None:
    probe.dies_after = 3
    run(tmp_path)
    assert list(verdicts(tmp_path).values()).count("pass") == 3
    probe.dies_after = None
    run(tmp_path)
    assert [len(cells) for cells in probe.asked] == [4, 1]
    assert set(verdicts(tmp_path).values()) == {"pass"}


def test_a_changed_route_is_measured_again_and_others_are_not(
    probe: Probe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path)
    monkeypatch.setattr("matrix.fingerprint.kernels_digest", lambda: "another")
    assert [cell.route for cell in outstanding(CATALOG, TASK, Options(results=tmp_path)).cells] == ["shim", "shim"]


def test_an_environment_that_cannot_be_made_is_unavailable_with_its_reason(
    probe: Probe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: Any) -> Environment:
        raise InterpreterNotFoundError("no Python 3.9 on this machine.", "Install Python 3.9.")

    monkeypatch.setattr(environment, "ensure", missing)
    assert run(tmp_path) == 0
    results = stored.load(tmp_path)
    assert set(verdicts(tmp_path).values()) == {"unavailable"}
    assert results.environments["torch-1.8.0"]["error"] == {
        "type": "InterpreterNotFoundError", "message": "no Python 3.9 on this machine.", "hint": "Install Python 3.9.",
    }  # fmt: skip


def test_unavailable_cells_are_tried_again(probe: Probe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(environment, "ensure", lambda *_: (_ for _ in ()).throw(InterpreterNotFoundError("no")))
        run(tmp_path)
    assert run(tmp_path) == 4
    assert set(verdicts(tmp_path).values()) == {"pass"}


def test_builds_follow_the_cells_and_are_not_repeated(
    probe: Probe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []
    shown: list[int] = []

    def build(
        _python: Path, _catalog: Any, _release: Any, halves: list[str], strategy: str
    ) -> Iterator[dict[str, Any]]:
        for half in halves:
            built.append(half)
            yield {
                "kind": "build", "torch": "1.8.0", "half": half, "verdict": "pass", "strategy": strategy,
                "reached": "imported", "fingerprint": builds.fingerprint(CATALOG, TASK.release, half, strategy),
            }  # fmt: skip

    monkeypatch.setattr(builds, "build", build)
    assert run(tmp_path, build="auto", show=lambda: shown.append(len(built))) == 6
    assert shown == [0]
    assert run(tmp_path, build="auto") == 0
    assert built == ["cpp", "cuda"]
    assert set(stored.load(tmp_path).builds) == {("1.8.0", "cpp"), ("1.8.0", "cuda")}


def test_two_runs_of_one_environment_in_one_folder_are_refused(probe: Probe, tmp_path: Path) -> None:
    with FileLock(tmp_path / ".torch-1.8.0.lock"), pytest.raises(BusyError, match="--results FOLDER"):
        run(tmp_path)
    assert probe.asked == []


def test_a_file_of_a_newer_schema_is_left_alone(probe: Probe, tmp_path: Path) -> None:
    path = tmp_path / "torch-1.8.0.jsonl"
    path.write_text('{"kind":"environment","schema":99}\n')
    with pytest.raises(NewerSchemaError):
        run(tmp_path)
    assert path.read_text() == '{"kind":"environment","schema":99}\n'
