"""What nox's command line asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from matrix import options, sessions
from matrix.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from pathlib import Path


def requested(*words: str, results: Path) -> sessions.Run:
    return sessions.requested(["nox", *words, *(["--results", str(results)] if "--" in words else [])])


def test_the_session_matrix_requires_the_selected_environments_in_order_of_interest(tmp_path: Path) -> None:
    run = requested("-s", "matrix", "--", "--torch", "2.13.0,1.8.0,2.0.1", results=tmp_path)
    assert run.session_names[:4] == ["plan", "torch-1.8.0", "torch-2.0.1", "torch-2.13.0"]


def test_the_runtimes_follow_the_environments(tmp_path: Path) -> None:
    words = ["-s", "matrix", "--", "--torch", "1.8.0"]
    six = requested(*words, results=tmp_path)
    assert six.session_names == ["plan", "torch-1.8.0", *six.engines.default]
    named = requested(*words, "--runtime", "ort-1.9.*,tract-0.23.9", results=tmp_path)
    assert named.session_names[2:] == ["ort-1.9.0", "tract-0.23.9"]
    every = requested(*words, "--all-runtimes", results=tmp_path)
    assert every.session_names[2:] == list(every.engines.by_name)
    assert requested(*words, "--runtime", "none", results=tmp_path).session_names == ["plan", "torch-1.8.0"]


def test_a_runtime_session_alone_judges_what_is_selected(tmp_path: Path) -> None:
    run = requested("-s", "ort-1.16.2", "--", "--opset", "11", results=tmp_path)
    assert [runtime.name for runtime in run.runtimes] == ["ort-1.16.2"]
    assert "ort-1.16.2" in [runtime.name for runtime in run.known_runtimes]
    assert {cell.opset for task in run.tasks for cell in task.cells} == {11}


def test_a_derived_release_has_a_session_too(tmp_path: Path) -> None:
    run = requested("-s", "matrix", "--", "--torch", "1.8.1", "--runtime", "none", results=tmp_path)
    assert run.session_names == ["plan", "torch-1.8.1"]
    assert "torch-1.8.1" in [release.name for release in run.releases]


def test_an_environment_session_alone_announces_nothing_but_reads_the_options(tmp_path: Path) -> None:
    run = requested("--sessions", "torch-1.8.0", "--", "--opset", "11", results=tmp_path)
    assert run.session_names == []
    assert {cell.opset for task in run.tasks for cell in task.cells} == {11}


def test_arguments_meant_for_another_session_are_not_read(tmp_path: Path) -> None:
    del tmp_path
    run = sessions.requested(["nox", "-s", "tests", "--", "-x", "--opset", "nonsense"])
    assert run.error is None


@pytest.mark.parametrize(
    ("words", "kind"), [(["--torch", "nonsense"], UnknownNameError), (["--opsets", "11"], UsageError)]
)
def test_an_impossible_wish_is_kept_for_the_session_to_report(
    words: list[str], kind: type[UsageError], tmp_path: Path
) -> None:
    run = requested("-s", "matrix", "--", *words, results=tmp_path)
    assert isinstance(run.error, kind)
    assert run.session_names == []


def test_every_option_of_the_readme_is_understood() -> None:
    parsed = options.parse(
        "--torch 1.8.1 --case grid_sample-* --route shim,native --disk-budget 20 --keep-envs --again --quick "
        "--index https://mirror --torch-backend cpu --find-links /wheels torch-1.8.1/opset-11/*".split()
    )
    assert parsed.selection.routes == ("shim", "native")
    assert parsed.selection.cells == ("torch-1.8.1/opset-11/*",)
    assert parsed.source.find_links == ("/wheels",)
    assert (parsed.disk_budget_gb, parsed.again, parsed.keep_envs) == (20.0, True, True)


@pytest.mark.parametrize("words", [["--timeout", "0"], ["--disk-budget", "-1"], ["--group", "0"], ["--timeout", "x"]])
def test_a_senseless_number_is_refused(words: list[str]) -> None:
    with pytest.raises(UsageError):
        options.parse(words)
