"""The gate fails for what broke, and for nothing else."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from matrix import gate
from matrix.cli import main
from matrix.errors import CatalogError, NotMeasuredError, RegressionError
from matrix.gate.compare import cause_of
from matrix.gate.report import ranges
from matrix.results import Results, Writer

if TYPE_CHECKING:
    from pathlib import Path

TODAY = date(2026, 6, 1)
MACHINE = {"id": "m", "label": "a machine", "system": "Linux", "cpu": "c", "cores": 2}
Line = dict[str, Any]


def environment(verdict: str = "pass", torch: str = "1.8.0", **fields: Any) -> Line:
    return {
        "kind": "environment", "schema": 1, "environment": f"torch-{torch}", "torch": torch, "verdict": verdict,
        "measured_at": "1", "machine": MACHINE, **fields,
    }  # fmt: skip


def cell(
    verdict: str,
    opset: int = 11,
    route: str = "shim",
    torch: str = "1.8.0",
    case: str = "affine_grid-2d",
    **fields: Any,
) -> Line:
    return {
        "kind": "cell", "cell": f"torch-{torch}/opset-{opset}/{route}/{case}", "torch": torch, "opset": opset,
        "route": route, "case": case, "verdict": verdict, "stage": "compare", "fingerprint": "f", "measured_at": "1",
        "machine": "m", **fields,
    }  # fmt: skip


def broken(message: str, opset: int = 11, verdict: str = "error", **fields: Any) -> Line:
    return cell(verdict, opset, error={"type": "RuntimeError", "message": message}, stage="export", **fields)


def build(verdict: str, half: str = "cpp", **fields: Any) -> Line:
    return {
        "kind": "build", "torch": "1.8.0", "half": half, "verdict": verdict, "strategy": "s", "reached": "compiled",
        "measured_at": "1", "machine": "m", "fingerprint": "f", **fields,
    }  # fmt: skip


def judged(verdict: str) -> Line:
    return {
        "kind": "run", "runtime": "ort-1.10.0", "digest": "d", "verdict": verdict, "stage": "load",
        "fingerprint": "f", "measured_at": "1", "machine": "m",
    }  # fmt: skip


def results(*lines: Line) -> Results:
    known = Results()
    for line in lines:
        known.add(line, "x")
    return known


def compare(before: list[Line], now: list[Line], *known: gate.KnownFailure) -> gate.Comparison:
    return gate.compare(results(*before), results(*now), factor=1.5, known=known, today=TODAY)


def subjects(found: gate.Comparison, kind: Any) -> list[str]:
    return [change.subject for group in found.of(kind) for change in group.changes]


SUBJECT = "torch-1.8.0/opset-11/shim/affine_grid-2d"


@pytest.mark.parametrize(
    "after", ["error", "mismatch", "drift", "off-spec", "crash", "timeout", "dynamic-lost", "unsupported-op"]
)
def test_a_cell_that_passed_and_no_longer_does_is_a_regression(after: str) -> None:
    found = compare([cell("pass")], [cell(after)])
    assert subjects(found, "regression") == [SUBJECT]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("error", "mismatch"),
        ("drift", "error"),
        ("pass", "pass-fallback"),
        ("not-run", "error"),
        ("unavailable", "error"),
    ],
)
def test_what_did_not_pass_before_cannot_break(before: str, after: str) -> None:
    assert compare([cell(before)], [cell(after)]).groups == ()


def test_a_new_pass_is_told_and_is_no_regression() -> None:
    found = compare([cell("error")], [cell("pass")])
    assert subjects(found, "new pass") == [SUBJECT]
    assert found.of("regression") == []


def test_equal_causes_are_one_group_whatever_numbers_they_hold() -> None:
    now = [
        broken("opset 9 at /a/b/c.py:12 failed", 9),
        broken("opset 10 at /x/y.py:3 failed", 10),
        broken("another", 11),
    ]
    found = compare([cell("pass", opset) for opset in (9, 10, 11)], now)
    assert [len(group.changes) for group in found.of("regression")] == [2, 1]
    assert cause_of("opset 9 at /a/b/c.py:12 failed") == "opset # at #:# failed"


def test_a_build_that_built_and_no_longer_does_is_a_regression_but_a_missing_compiler_is_not() -> None:
    failed = {"type": "CompileError", "message": "no THC/THC.h"}
    found = compare(
        [build("pass"), build("pass", "cuda")], [build("error", error=failed), build("unavailable", "cuda")]
    )
    assert subjects(found, "regression") == ["build/torch-1.8.0/cpp"]
    assert subjects(found, "unmeasured") == ["build/torch-1.8.0/cuda"]


def test_a_runtime_that_ran_the_file_and_no_longer_does_is_a_regression() -> None:
    made = cell("pass", digest="d", runtime="ort-1.19.2")
    found = compare([made, judged("pass")], [made, judged("unloadable")])
    assert subjects(found, "regression") == [f"{SUBJECT} @ ort-1.10.0"]


def test_an_environment_that_could_not_be_set_up_is_one_subject_and_never_a_share_of_zero() -> None:
    reason = {"type": "NetworkError", "message": "the index did not answer"}
    now = [
        environment("unavailable", error=reason),
        *(broken("no index", opset, "unavailable") for opset in range(7, 26)),
    ]
    found = compare([environment(), *(cell("pass", opset) for opset in range(7, 26))], now)
    assert subjects(found, "unmeasured") == ["torch-1.8.0"]
    assert found.of("regression") == []
    assert found.passed == {}
    assert found.compared == 0
    assert "0 of" not in gate.as_text(found)


def test_cells_that_the_run_does_not_have_are_counted_and_not_judged() -> None:
    found = compare([cell("pass", 11), cell("pass", 12)], [cell("pass", 11)])
    assert (found.missing, found.groups) == (1, ())


def timed(route: str, seconds: float, count: int = 12, torch: str = "1.8.0") -> list[Line]:
    cases = [f"case_{number}" for number in range(count)]
    return [cell("pass", route=route, case=case, torch=torch, seconds={"export": seconds}) for case in cases]


@pytest.mark.parametrize(
    ("shim", "native", "slower"),
    [(0.2, 0.1, True), (0.2, 0.2, False), (0.14, 0.1, False), (0.1, 0.05, True)],
    ids=["twice as slow", "the machine is slower", "within the factor", "the machine is faster, the shim is not"],
)
def test_speed_is_judged_against_the_same_runs_anchor(shim: float, native: float, slower: bool) -> None:
    before = timed("native", 0.1) + timed("shim", 0.1)
    found = compare(before, timed("native", native) + timed("shim", shim))
    assert subjects(found, "regression") == (["speed/torch-1.8.0/shim/export"] if slower else [])


@pytest.mark.parametrize(
    ("shims", "slower"),
    [((0.1, 0.1, 4.0), []), ((0.2, 0.2, 0.1), ["speed/shim/export"]), ((0.2, 0.2, 0.2), ["speed/shim/export"])],
    ids=["a busy minute", "most", "all"],
)
def test_over_three_environments_the_median_decides(shims: tuple[float, ...], slower: list[str]) -> None:
    releases = ("1.8.0", "1.9.1", "1.10.2")
    own = [line for torch in releases for line in timed("native", 0.1, torch=torch)]
    before = own + [line for torch in releases for line in timed("shim", 0.1, torch=torch)]
    now = own + [line for torch, took in zip(releases, shims, strict=True) for line in timed("shim", took, torch=torch)]
    assert subjects(compare(before, now), "regression") == slower


def test_without_an_anchor_or_with_few_cells_speed_is_not_judged() -> None:
    assert compare(timed("shim", 0.1), timed("shim", 0.9)).unjudged == ("speed/torch-1.8.0/shim/export",)
    before, now = timed("native", 0.1) + timed("shim", 0.1, 3), timed("native", 0.1) + timed("shim", 0.9, 3)
    assert compare(before, now).unjudged == ("speed/torch-1.8.0/shim/export",)


def excuse(subject: str = "torch-1.8.0/*", days: int = 30, verdict: str = "") -> gate.KnownFailure:
    return gate.KnownFailure(subject=subject, reason="reported", expires=TODAY + timedelta(days=days), verdict=verdict)


def test_a_known_failure_is_excused_until_it_expires() -> None:
    before, now = [cell("pass")], [cell("error")]
    assert subjects(compare(before, now, excuse()), "known") == [SUBJECT]
    assert subjects(compare(before, now, excuse(days=0)), "known") == [SUBJECT]
    late = compare(before, now, excuse(days=-1))
    assert subjects(late, "regression") == [SUBJECT]
    assert late.expired == (excuse(days=-1),)


def test_an_excuse_holds_only_for_its_verdict_and_subject() -> None:
    before, now = [cell("pass")], [cell("error")]
    assert compare(before, now, excuse(verdict="crash")).of("known") == []
    assert compare(before, now, excuse("torch-1.9.1/*")).of("known") == []


def test_an_excuse_for_what_passes_again_is_no_longer_needed() -> None:
    assert compare([cell("pass")], [cell("pass")], excuse()).unneeded == (excuse(),)
    assert compare([cell("pass")], [cell("error")], excuse()).unneeded == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[failure]]\nreason = "r"\nexpires = 2027-01-01', "subject is missing"),
        ('[[failure]]\nsubject = "s"\nreason = " "\nexpires = 2027-01-01', "reason is missing"),
        ('[[failure]]\nsubject = "s"\nreason = "r"', "every excuse ends one day"),
        ('[[failure]]\nsubject = "s"\nreason = "r"\nexpires = "2027-01-01"', "expires is no date"),
        (
            '[[failure]]\nsubject = "s"\nreason = "r"\nexpires = 2027-01-01\nverdict = "crashh"',
            "Perhaps you meant crash",
        ),
        ('[[failure]]\nsubjct = "s"', "Perhaps you meant subject"),
        ("[[failure", "known-failures.toml"),
    ],
)
def test_the_file_of_known_failures_is_read_with_care(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "known-failures.toml"
    path.write_text(text)
    with pytest.raises(CatalogError, match=said):
        gate.load_known(path)


def test_the_file_that_ships_is_well_formed() -> None:
    gate.load_known()


def write(folder: Path, *lines: Line) -> str:
    with Writer(folder / "torch-1.8.0.jsonl") as writer:
        writer.append(lines)
    return str(folder)


def test_the_exit_code_tells_regressions_from_what_could_not_be_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = write(tmp_path / "good", environment(), cell("pass"))
    bad = write(tmp_path / "bad", environment(), broken("no"))
    gone = write(tmp_path / "gone", environment("unavailable", error={"type": "E", "message": "no Python"}))
    none = str(tmp_path / "none")
    assert main(["check", "--baseline", good, "--results", good]) == 0
    assert main(["check", "--baseline", good, "--results", bad]) == RegressionError.exit_code
    assert main(["check", "--baseline", good, "--results", gone]) == NotMeasuredError.exit_code
    assert main(["check", "--baseline", good, "--results", gone, "--allow-unmeasured"]) == 0
    assert main(["check", "--baseline", good, "--results", none]) == NotMeasuredError.exit_code
    capsys.readouterr()
    known = tmp_path / "known.toml"
    known.write_text('[[failure]]\nsubject = "torch-1.8.0/*"\nreason = "r"\nexpires = 9999-01-01')
    assert main(["check", "--baseline", good, "--results", bad, "--known", str(known), "--json"]) == 0
    (group,) = json.loads(capsys.readouterr().out)["groups"]
    assert (group["kind"], group["reason"]) == ("known", "r")


def test_the_text_can_be_pasted_into_an_issue() -> None:
    found = compare([cell("pass", 11), cell("pass", 12)], [broken("it broke", 11), broken("it broke", 12)])
    text = gate.as_text(found)
    assert "## Regressions: 2" in text
    assert "- where: torch-1.8.0; opset 11-12; shim; affine_grid-2d" in text
    assert f"nox -s matrix -- --again '{SUBJECT}'" in text
    assert "- torch-1.8.0: 2 -> 0 of 2" in text
    assert ranges([7, 8, 9, 11]) == "7-9,11"
