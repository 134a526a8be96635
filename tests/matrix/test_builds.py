"""Builds of the extension: what the front-end says becomes a line, also when it says nothing."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matrix import builds
from matrix import catalog as catalogs

if TYPE_CHECKING:
    import pytest

CATALOG = catalogs.load()
OLD = CATALOG.release("1.8.0")
SAID = {
    "kind": "build", "torch": "1.8.0", "half": "cpp", "verdict": "pass", "strategy": "textbook", "reached": "imported",
    "compiler": "g++", "compiler_version": "12.2.0", "seconds": 9.5, "library": "/somewhere/lib.so", "error": None,
}  # fmt: skip


def answers(monkeypatch: pytest.MonkeyPatch, stdout: str = "", stderr: str = "", code: int = 0) -> None:
    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, code, stdout, stderr)

    monkeypatch.setattr(subprocess, "run", run)


def lines(halves: tuple[str, ...] = ("cpp",)) -> list[dict[str, Any]]:
    return list(builds.build(Path("python"), CATALOG, OLD, halves, "auto"))


def test_the_front_ends_answer_is_kept_without_paths_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, f"compiling …\n{json.dumps(SAID)}\n")
    (line,) = lines()
    assert (line["kind"], line["torch"], line["half"], line["reached"]) == ("build", "1.8.0", "cpp", "imported")
    assert (line["strategy"], line["compiler_version"]) == ("textbook", "12.2.0")
    assert "somewhere" not in json.dumps(line)
    assert "error" not in line


def test_a_front_end_that_says_nothing_is_an_error_with_its_last_words(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, stderr="Traceback …\nModuleNotFoundError: No module named 'x'\n", code=1)
    (line,) = lines()
    assert line["verdict"] == "error"
    assert "exit code 1: ModuleNotFoundError" in line["error"]["message"]


def test_a_build_that_does_not_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(command: list[str], **_: Any) -> None:
        raise subprocess.TimeoutExpired(command, 900)

    monkeypatch.setattr(subprocess, "run", hang)
    assert "did not end within 900 s" in lines()[0]["error"]["message"]


def test_an_unchanged_build_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, json.dumps(SAID))
    known = lines(builds.HALVES)
    assert builds.pending_halves(known, CATALOG, OLD, "auto", again=False) == []
    assert builds.pending_halves(known, CATALOG, OLD, "auto", again=True) == ["cpp", "cuda"]
    assert builds.pending_halves(known[:1], CATALOG, OLD, "auto", again=False) == ["cuda"]
    assert builds.pending_halves(known, CATALOG, OLD, "textbook", again=False) == ["cpp", "cuda"]


def test_a_build_that_was_unavailable_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, json.dumps({**SAID, "verdict": "unavailable"}))
    assert builds.pending_halves(lines(builds.HALVES), CATALOG, OLD, "auto", again=False) == ["cpp", "cuda"]
