"""What a cell does to its process costs that cell alone, and nothing is left behind."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from matrix import probe_process
from matrix.probe.lifetime import SESSION, processes

ROWS = {
    "segfault": ("crash", "SIGSEGV"),
    "abort": ("crash", "SIGABRT"),
    "exit": ("crash", "exit code 3"),
    "loop": ("timeout", "no answer within"),
    "sleep": ("timeout", "no answer within"),
    "memory": ("error", ""),
    "orphans": ("pass", ""),
    "returning": ("pass", ""),
    "descriptors": ("pass", ""),
    "garbage": ("pass", ""),
    "folder": ("pass", ""),
    "locale": ("pass", ""),
    "stdout": ("pass", ""),
    "odd": ("error", "str() raised RuntimeError"),
}


def run(cases: list[str], monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    started: list[int] = []
    end = probe_process._end_session
    monkeypatch.setattr(probe_process, "_end_session", lambda pid: (started.append(pid), end(pid)))
    config = {
        "cells": [{"route": "native", "case": case, "opset": 11, "group": "native"} for case in cases],
        "timeout": 5.0, "memory_mb": 300, "workers": 1, "group": 60, "isolate": False, "models": "",
    }  # fmt: skip
    said = probe_process.messages(Path(sys.executable), config, module="tests.faults.stub_probe")
    found = {message["index"]: message["record"] for message in said if message["event"] == "cell"}
    assert [processes(SESSION, pid) for pid in started] == [[]], "a process is left behind"
    return [found[index] for index in range(len(cases))]


@pytest.mark.parametrize("case", ROWS)
def test_a_fault_costs_its_own_cell_and_the_others_pass(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before, hurt, *after = run(["fine", case, "fine", "fine"], monkeypatch)
    verdict, message = ROWS[case]
    assert (hurt["verdict"], message in str(hurt.get("error"))) == (verdict, True), hurt
    fine = {"verdict": "pass", "stage": "compare"}
    assert [before, *after] == [fine] * 3
