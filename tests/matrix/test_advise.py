"""Advice is read from cells and never made up."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from matrix.advise import Advice, Question, advise
from matrix.advise.question import case_of, runtimes_named
from matrix.advise.text import as_text
from matrix.cli import main
from matrix.errors import UnknownNameError, UsageError
from matrix.probe.cases import CASES
from matrix.report.known import Known
from matrix.report.table import best_route, build
from matrix.results import Results
from matrix.verdicts import USABLE, VERDICTS
from tests.report import synthetic

RELEASES, OPSETS = ("1.8.0", "1.12.1", "2.4.1"), (11, 16, 20)
ROUTES = ("native", "dynamo", "shim", "contrib", "custom")
CASE, OTHER = "grid_sample-bilinear-border-4d", "affine_grid-2d"
KNOWN = Known(
    releases=RELEASES,
    opsets=OPSETS,
    routes=ROUTES,
    cases={CASE: "", OTHER: ""},
    routes_of_release={name: frozenset(ROUTES) - {"dynamo"} for name in RELEASES},
    routes_of_case={OTHER: frozenset(ROUTES) - {"contrib"}},
)


def cell(verdict: str, torch: str = "1.8.0", opset: int = 11, route: str = "shim", **fields: Any) -> dict[str, Any]:
    case = fields.pop("case", CASE)
    stage = "export" if verdict.startswith("unsupported") else "compare"
    made: dict[str, Any] = {"runtime": "ort-1.19.2", "digest": f"{torch}{opset}{route}{case}"}
    made = {} if stage == "export" else {**made, "emitted_opset": opset + (verdict == "drift")}
    made |= {"off_spec": ["a rule"]} if verdict == "off-spec" else {}
    return {
        "kind": "cell", "cell": f"torch-{torch}/opset-{opset}/{route}/{case}", "torch": torch, "opset": opset,
        "route": route, "case": case, "verdict": verdict, "stage": stage, "fingerprint": "f",
        "measured_at": "2026-01-02T00:00:00Z", "machine": "m", **made, **fields,
    }  # fmt: skip


def judged(of: dict[str, Any], runtime: str, verdict: str, stage: str = "compare") -> dict[str, Any]:
    return {
        "kind": "run", "runtime": runtime, "digest": of["digest"], "verdict": verdict, "stage": stage,
        "fingerprint": "f", "measured_at": "2026-01-03T00:00:00Z", "machine": "m", "cells": [of["cell"]],
    }  # fmt: skip


def results(*lines: dict[str, Any]) -> Results:
    known = Results()
    for line in lines:
        known.add(line, "reference")
    return known


def ask(*lines: dict[str, Any], torch: str = "1.8.0", opset: int = 11, runtime: str = "", case: str = CASE) -> Advice:
    return advise(Question(torch=torch, opset=opset, case=case, runtime=runtime), results(*lines), KNOWN)


verdicts = st.sampled_from(sorted(VERDICTS))
places = st.tuples(
    st.sampled_from(RELEASES), st.sampled_from(OPSETS), st.sampled_from(ROUTES), st.sampled_from([CASE, OTHER])
)
RUNTIMES = ("ort-1.10.0", "ort-1.17.3")


@st.composite
def anything(draw: st.DrawFn) -> Results:
    """Cells with any verdict at any place, some judged by further runtimes with any verdict."""
    lines: list[dict[str, Any]] = []
    for (torch, opset, route, case), verdict in draw(st.dictionaries(places, verdicts, max_size=40)).items():
        lines.append(cell(verdict, torch, opset, route, case=case))
        for runtime, other in draw(st.dictionaries(st.sampled_from(RUNTIMES), verdicts)).items():
            if "digest" in lines[-1]:
                lines.append(judged(lines[-1], runtime, other))
                break
    return results(*lines)


@settings(max_examples=100, phases=(Phase.explicit, Phase.reuse, Phase.generate), deadline=None)
@given(anything())
def test_in_5400_queries_the_recommended_route_passed_exactly_there_or_none_did(known: Results) -> None:
    for torch in RELEASES:
        for opset in OPSETS:
            for case in (CASE, OTHER):
                for runtime in ("", "ort-1.10", "ort-1.17.3"):
                    advice = advise(
                        Question(torch=torch, opset=opset, case=case, runtime=runtime), known, KNOWN, runtimes=RUNTIMES
                    )
                    passed = [
                        route
                        for route in ROUTES
                        if _passed(known, f"torch-{torch}/opset-{opset}/{route}/{case}", runtime)
                    ]
                    if advice.recommended is None:
                        assert passed == []
                        assert advice.why.startswith(("None of the measured", "Nothing was measured"))
                        assert advice.snippet is None
                    else:
                        assert advice.recommended.route in passed
                        assert (
                            advice.recommended.cell == f"torch-{torch}/opset-{opset}/{advice.recommended.route}/{case}"
                        )
                    for upgrade in advice.upgrades:
                        assert _passed(known, upgrade.cell, upgrade.runtime if runtime else "")
                        assert "/native/" in upgrade.cell
                    json.dumps(advice.as_json())
                    as_text(advice)


def _passed(known: Results, name: str, runtime: str) -> bool:
    """Looked up by hand: the cell passes, and so does the runtime asked for, if one was."""
    record: Any = known.cells.get(name, {})
    if not runtime:
        return record.get("verdict") in USABLE
    judges = {own: record["verdict"] for own in [record.get("runtime", "")] if own.startswith(runtime)}
    judges |= {
        name: run["verdict"]
        for name, run in known.runs.get(record.get("digest", ""), {}).items()
        if name.startswith(runtime)
    }
    of_the_file = ("drift", "off-spec", "route-not-taken", "unavailable", "not-applicable")
    return any(verdict in USABLE for verdict in judges.values()) and record["verdict"] not in of_the_file


def test_a_neighbour_that_passes_is_no_answer() -> None:
    advice = ask(cell("pass", opset=16), cell("pass", torch="1.12.1"))
    assert advice.recommended is None
    assert advice.why == "Nothing was measured here, so nothing is recommended."


def test_without_an_answer_the_nearest_opset_that_has_one_is_named() -> None:
    advice = ask(cell("unsupported-opset", opset=20), cell("pass", opset=11), cell("pass", opset=16), opset=20)
    assert advice.recommended is None
    assert advice.nearest is not None
    assert advice.nearest.cell == f"torch-1.8.0/opset-16/shim/{CASE}"


def test_among_equals_pytorchs_own_exporter_comes_first() -> None:
    advice = ask(cell("pass", route="custom"), cell("pass", route="native"), cell("pass"))
    assert advice.recommended is not None
    assert advice.recommended.route == "native"
    assert [one.route for one in advice.routes if one.usable] == ["native", "shim", "custom"]


def test_a_plain_pass_goes_before_a_pass_by_another_provider() -> None:
    advice = ask(cell("pass-fallback", route="native"), cell("pass"))
    assert advice.recommended is not None
    assert advice.recommended.route == "shim"


def test_what_was_not_measured_is_said_with_the_command_that_measures_it() -> None:
    advice = ask(cell("pass"))
    assert advice.measure == f"nox -s matrix -- --torch 1.8.0 --opset 11 --case '{CASE}' --route native,contrib,custom"
    assert "native, contrib, custom; this measures it:" in as_text(advice)


def test_a_runtime_decides_for_its_own_file() -> None:
    contrib, shim = cell("pass", route="contrib"), cell("pass")
    lines = (contrib, shim, judged(contrib, "ort-1.8.1", "unloadable", "load"), judged(shim, "ort-1.8.1", "pass"))
    advice = ask(*lines, runtime="ort-1.8")
    assert advice.recommended is not None
    assert (advice.recommended.route, advice.recommended.runtime) == ("shim", "ort-1.8.1")
    assert next(one.verdict for one in advice.routes if one.route == "contrib") == "unloadable"


def test_a_runtime_that_did_not_judge_the_file_is_not_measured() -> None:
    shim = cell("pass")
    advice = ask(shim, judged(cell("pass", opset=16), "ort-1.8.1", "pass"), runtime="ort-1.8")
    assert advice.recommended is None
    assert next(one.message for one in advice.routes if one.route == "shim") == "not measured in ort-1.8"


def test_a_changed_file_that_the_runtime_runs_is_a_remedy_and_no_recommendation() -> None:
    file = cell("pass", route="custom")
    inlined = judged(file, "ort-1.8.1+inlined", "pass")
    advice = ask(file, judged(file, "ort-1.8.1", "unloadable", "load"), inlined, runtime="ort-1.8")
    assert advice.recommended is None
    (custom,) = [one for one in advice.routes if one.route == "custom"]
    assert custom.remedies == ("ort-1.8.1+inlined",)
    assert "right as ort-1.8.1+inlined" in as_text(advice)


def test_the_command_for_a_runtime_names_all_its_patch_releases() -> None:
    made = cell("pass"), judged(cell("pass", opset=16), "ort-1.8.1", "pass")
    assert ask(*made, runtime="ort-1.8").measure.endswith(" --runtime 'ort-1.8*'")
    assert ask(*made, runtime="ort-1.8.1").measure.endswith(" --runtime 'ort-1.8.1'")


def test_drift_and_off_spec_are_no_recommendation_though_another_runtime_runs_the_file() -> None:
    file = cell("drift", route="native", emitted_opset=18)
    advice = ask(file, judged(file, "ort-1.17.3", "pass"), runtime="ort-1.17.3")
    assert advice.recommended is None
    assert advice.routes[0].message == "right numbers, but opset 18 comes out instead of 11"


def test_a_runtime_of_an_unknown_family_is_answered_with_close_names() -> None:
    with pytest.raises(UnknownNameError, match="Perhaps you meant ort"):
        ask(cell("pass"), runtime="orrt-1.10")


def test_a_name_of_a_runtime_means_its_patch_releases_newest_first_and_no_other_family() -> None:
    known = ["ort-1.9.0", "ort-1.10.0", "ort-1.10.2", "ort-gpu-1.10.0", "reference-1.23.2"]
    assert runtimes_named("ort-1.10", known) == ["ort-1.10.2", "ort-1.10.0"]
    assert runtimes_named("ort", known) == ["ort-1.10.2", "ort-1.10.0", "ort-1.9.0"]
    assert runtimes_named("ort-gpu-1.10", known) == ["ort-gpu-1.10.0"]
    assert runtimes_named("ort-1.1", known) == []


@pytest.mark.parametrize(
    ("lines", "changes"),
    [
        ([cell("pass", "1.8.0", 16, "native")], [("opset",)]),
        ([cell("pass", "1.12.1", 11, "native"), cell("pass", "2.4.1", 11, "native")], [("torch",)]),
        ([cell("pass", "1.12.1", 16, "native")], [("opset", "torch")]),
        ([cell("pass", "1.8.0", 16, "native"), cell("pass", "1.12.1", 16, "native")], [("opset",)]),
        ([cell("pass", "1.8.0", 16, "native"), cell("pass", "1.12.1", 11, "native")], [("opset",), ("torch",)]),
        ([cell("off-spec", "1.12.1", 16, "native")], []),
    ],
)  # fmt: skip
def test_the_smallest_upgrades_change_as_little_as_possible(
    lines: list[dict[str, Any]], changes: list[tuple[str, ...]]
) -> None:
    advice = ask(cell("unsupported-op", route="native"), *lines)
    assert [one.changes for one in advice.upgrades] == changes
    assert all(one.torch in ("1.8.0", "1.12.1") for one in advice.upgrades), "the nearest release, not the newest"


def test_an_upgrade_of_the_runtime_alone_is_found() -> None:
    file = cell("pass", route="native")
    lines = [file, judged(file, "ort-1.10.0", "unloadable", "load"), judged(file, "ort-1.17.3", "pass")]
    (upgrade,) = ask(*lines, runtime="ort-1.10").upgrades
    assert (upgrade.changes, upgrade.runtime) == (("runtime",), "ort-1.17.3")


def test_an_upgrade_says_how_many_nearer_places_nobody_measured() -> None:
    (upgrade,) = ask(cell("unsupported-op", route="native"), cell("pass", "2.4.1", 11, "native")).upgrades
    assert upgrade.unmeasured == 1  # 1.12.1


def test_the_path_asks_onnx_the_exporter_the_route_the_runtime_and_the_numbers() -> None:
    message = "Exporting the operator grid_sampler to ONNX opset version 11 is not supported. Please feel free to ask."
    refused = cell("unsupported-op", route="native", error={"type": "RuntimeError", "message": message})
    advice = ask(refused, cell("pass", max_abs_error=1.2e-7))
    assert [(step.answer, step.detail) for step in advice.path] == [
        ("no", "GridSample since opset 16"),
        ("no", "Exporting the operator grid_sampler to ONNX opset version 11 is not supported"),
        ("shim", "plain PyTorch arithmetic instead of the operator"),
        ("yes", "shim"),
        ("yes", "largest difference 1.2e-07"),
    ]


@pytest.mark.parametrize(
    ("subject", "choices", "case"),
    [
        ("grid_sample", {"mode": "bicubic", "padding": "border"}, "grid_sample-bicubic-border-4d"),
        ("F.grid_sample", {"rank": 5, "aligned": True}, "grid_sample-bilinear-zeros-5d-aligned"),
        ("affine_grid", {"rank": 5}, "affine_grid-3d"),
        ("spatial_transformer", {}, "spatial_transformer-2d"),
        ("rotate", {}, "rotate-90"),
        ("deformable_attention", {}, "deformable_attention"),
    ],
)  # fmt: skip
def test_an_operator_with_its_arguments_is_a_case(subject: str, choices: dict[str, Any], case: str) -> None:
    assert case_of(subject, **choices) == case
    assert case in CASES


def test_what_pytorch_cannot_do_is_refused_with_the_reason() -> None:
    with pytest.raises(UsageError, match="bilinear or nearest only"):
        case_of("grid_sample", mode="bicubic", rank=5)
    with pytest.raises(UnknownNameError, match="Perhaps you meant grid_sample"):
        case_of("gridsample")


def test_the_command_speaks_of_derived_releases_and_modes(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "--torch", "1.8.1", "--opset", "11", "grid_sample", "--from", str(tmp_path)]) == 0
    assert "Nothing was measured here, so nothing is recommended." in capsys.readouterr().out
    assert main(["advise", "--torch", "1.8.0", "--opset", "11", "grid_sample", "--mode", "biliner"]) == 2
    assert "Perhaps you meant bilinear?" in capsys.readouterr().err
    assert (
        main(["advise", "--torch", "1.8.1", "--opset", "11", "affine_grid", "--script", "--from", str(tmp_path)]) == 13
    )
    assert "nox -s matrix -- --torch 1.8.1 --opset 11" in capsys.readouterr().err


def test_the_advice_is_the_best_route_of_the_dashboards_square() -> None:
    known = synthetic.results(("1.8.0", "2.5.1", "2.9.1"), (CASE, OTHER), local=False)
    table = build(known, synthetic.known(("1.8.0", "2.5.1", "2.9.1"), (CASE, OTHER)))
    recommended = 0
    for case in table.cases:
        for row, torch in enumerate(table.releases):
            for column, opset in enumerate(table.opsets):
                square = table.squares[case][row][column]
                best = best_route(square)
                advice = advise(Question(torch=torch, opset=opset, case=case), known, table.known)
                expected = table.routes[best] if square[best] in USABLE else None
                assert (advice.recommended.route if advice.recommended else None) == expected
                recommended += expected is not None
    assert recommended > 50
