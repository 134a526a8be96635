"""A child that dies or hangs costs one cell; the rest of its group is measured all the same.

The children here measure nothing: each cell says by its name how it behaves.
"""

import faulthandler
import json
import os
import signal
import time
from typing import Any

import pytest

from matrix.probe.settings import Settings
from matrix.probe.zygote import Zygote, grouped

SETTINGS = {"timeout": 20.0, "memory_mb": 0, "workers": 1, "group": 20, "isolate": False, "models": ""}


def cells_of(*behaviours: str) -> list[dict[str, Any]]:
    return [{"group": "g", "behaviour": behaviour} for behaviour in behaviours]


def run(cells: list[dict[str, Any]], **settings: Any) -> tuple[dict[int, dict[str, Any]], Zygote]:
    records: dict[int, dict[str, Any]] = {}

    def emit(index: int, record: dict[str, Any]) -> None:
        assert index not in records, "a cell was reported twice"
        records[index] = record

    def work(indices: list[int], pipe: int) -> None:
        os.setpgid(0, 0)
        faulthandler.disable()
        seen: list[str] = []
        for index in indices:
            behaviour = cells[index]["behaviour"]
            os.write(pipe, b"S %d\nT run\n" % index)
            behave(behaviour, seen)
            seen.append(behaviour)
            os.write(pipe, b"R " + json.dumps({"verdict": "pass", "seen": seen[:-1]}).encode() + b"\n")
        os._exit(0)

    zygote = Zygote(cells, Settings({**SETTINGS, **settings}), emit, work)
    zygote.run()
    return records, zygote


def behave(behaviour: str, seen: list[str]) -> None:
    if behaviour == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if behaviour == "abort":
        os.abort()
    if behaviour == "exit":
        os._exit(3)
    if behaviour == "hang":
        time.sleep(60)
    if behaviour == "poisoned" and seen:
        os.kill(os.getpid(), signal.SIGSEGV)
    if behaviour == "leave a process" and os.fork() == 0:
        time.sleep(60)


def verdicts(records: dict[int, dict[str, Any]]) -> list[str]:
    return [records[index]["verdict"] for index in sorted(records)]


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [("segfault", "killed by SIGSEGV"), ("abort", "killed by SIGABRT"), ("exit", "exit code 3")],
)
def test_a_crash_costs_one_cell_and_names_its_cause_and_stage(behaviour: str, message: str) -> None:
    records, _ = run(cells_of("fine", behaviour, "fine", "fine"))
    assert verdicts(records) == ["pass", "crash", "pass", "pass"]
    assert message in records[1]["error"]["message"]
    assert records[1]["stage"] == "run"


def test_several_crashes_in_one_group_cost_as_many_cells() -> None:
    records, _ = run(cells_of("segfault", "fine", "segfault", "abort", "fine", "exit"))
    assert verdicts(records) == ["crash", "pass", "crash", "crash", "pass", "crash"]


def test_a_cell_that_dies_only_after_another_one_is_judged_alone() -> None:
    records, _ = run(cells_of("fine", "poisoned", "fine"))
    assert verdicts(records) == ["pass", "pass", "pass"]
    assert records[1]["seen"] == []


def test_a_hanging_cell_is_a_timeout_and_its_group_goes_on() -> None:
    start = time.monotonic()
    records, _ = run(cells_of("fine", "hang", "fine"), timeout=0.5)
    assert verdicts(records) == ["pass", "timeout", "pass"]
    assert "--timeout" in records[1]["error"]["hint"]
    assert time.monotonic() - start < 10


def test_processes_that_a_case_leaves_behind_are_killed_and_not_waited_for() -> None:
    start = time.monotonic()
    records, _ = run(cells_of("leave a process", "fine"))
    assert verdicts(records) == ["pass", "pass"]
    assert time.monotonic() - start < 10


def test_cells_of_a_group_share_one_fork_and_isolated_ones_do_not() -> None:
    cells = cells_of(*["fine"] * 5)
    assert run(cells)[1].forks == 1
    records, zygote = run(cells, isolate=True)
    assert zygote.forks == 5
    assert all(record["seen"] == [] for record in records.values())


def test_several_workers_measure_every_cell_once() -> None:
    cells = [{**cell, "group": index // 7} for index, cell in enumerate(cells_of(*["fine", "segfault"] * 20))]
    records, _ = run(cells, workers=3)
    assert verdicts(records) == ["pass", "crash"] * 20


def test_no_descriptor_or_child_is_left() -> None:
    before = len(os.listdir("/proc/self/fd"))
    run(cells_of("fine", "segfault", "hang", "fine"), timeout=0.5, workers=2)
    assert len(os.listdir("/proc/self/fd")) == before
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_only_neighbours_of_the_same_group_share_a_child() -> None:
    cells = [{"group": name} for name in "aabbbca"]
    assert grouped(cells, 2) == [[0, 1], [2, 3], [4], [5], [6]]
