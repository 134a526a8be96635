"""The sentence under a red cell: the smallest remedy that was measured, and the cell that shows it."""

from typing import Any

import pytest

from matrix import remedy
from matrix.records import CellRecord
from matrix.results import Results

ORT = "ort-1.16.3"


def cell(
    verdict: str = "pass", torch: str = "2.0.1", opset: int = 16, route: str = "native", **more: Any
) -> CellRecord:
    kept = {"digest": f"{torch}.{opset}.{route}"} if verdict == "pass" else {}
    return {
        "kind": "cell", "cell": f"torch-{torch}/opset-{opset}/{route}/affine_grid-2d", "torch": torch, "opset": opset,
        "route": route, "case": "affine_grid-2d", "verdict": verdict, "stage": "compare", "fingerprint": "f",
        "measured_at": "", "machine": "m", **kept, **more,
    }  # fmt: skip


def known(*cells: CellRecord, runs: dict[str, str] | None = None, of: CellRecord | None = None) -> Results:
    """Results with the cells, and the verdicts of runtimes on the file of ``of`` (the first cell)."""
    results = Results()
    for record in cells:
        results.add(record, "local")
        results.environments.setdefault(f"torch-{record['torch']}", {"kind": "environment"})  # type: ignore[typeddict-item]
    for runtime, verdict in (runs or {}).items():
        digest = (of or cells[0])["digest"]
        results.add({"kind": "run", "runtime": runtime, "digest": digest, "verdict": verdict}, "local")
    return results


def test_what_is_usable_needs_no_remedy() -> None:
    good = cell()
    assert remedy.sentence(known(good, runs={ORT: "pass"}), good, ORT) == ""
    assert remedy.sentence(known(good), good) == ""


def test_what_was_not_measured_has_no_remedy() -> None:
    good = cell()
    assert remedy.sentence(known(good), good, ORT) == ""


def test_without_a_measured_remedy_there_is_no_sentence() -> None:
    bad = cell("unsupported-op")
    assert remedy.sentence(known(bad, cell("mismatch", route="shim")), bad) == ""


def test_an_older_ir_version_comes_before_everything_else() -> None:
    bad = cell(ir_version=10)
    runs = {ORT: "unloadable", f"{ORT}+ir-9": "pass", "ort-1.17.3": "pass"}
    assert remedy.sentence(known(bad, runs=runs), bad, ORT) == "IR 9 instead of 10"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ("inlined", "inline the functions"),
        ("inlined+ir-7", "inline the functions and IR 7 instead of 8"),
        ("onnxgrid", "register onnxgrid's ONNX Runtime library"),
    ],
)
def test_functions_may_be_inlined_or_served_by_the_library(change: str, text: str) -> None:
    bad = cell(route="custom", ir_version=8)
    results = known(bad, cell(route="shim"), runs={ORT: "crash", f"{ORT}+{change}": "pass"})
    (first, *_) = remedy.remedies(results, bad, ORT)
    assert (first.text, first.cell, first.runtime) == (text, bad["cell"], f"{ORT}+{change}")


def test_a_change_that_helps_in_another_runtime_is_no_remedy_here() -> None:
    bad = cell(route="custom", ir_version=8)
    assert remedy.sentence(known(bad, runs={ORT: "crash", "openvino-2026.4.1+inlined": "pass"}), bad, ORT) == ""


def test_the_shim_is_the_first_other_route() -> None:
    bad = cell("unsupported-op")
    results = known(bad, cell(route="contrib"), cell(route="custom"), cell(route="shim"))
    assert [item.text for item in remedy.remedies(results, bad)] == [
        "use the shim route", "use the custom route", "use the contrib route",
    ]  # fmt: skip


def test_another_route_must_be_right_in_the_runtime_that_is_asked_about() -> None:
    bad, shim = cell(), cell(route="shim")
    results = known(bad, shim, runs={ORT: "mismatch"})
    assert remedy.sentence(results, bad, ORT) == ""
    results.add({"kind": "run", "runtime": ORT, "digest": shim["digest"], "verdict": "pass"}, "local")
    assert remedy.sentence(results, bad, ORT) == "use the shim route"


def test_the_nearest_opset_that_works() -> None:
    bad = cell("unsupported-op", opset=11)
    assert remedy.sentence(known(bad, cell(opset=20), cell(opset=16)), bad) == "opset 16 instead of 11"


def test_the_first_runtime_from_which_on_all_later_ones_are_right() -> None:
    bad = cell()
    runs = {"ort-1.9.0": "pass", "ort-1.15.1": "mismatch", ORT: "mismatch", "ort-1.17.3": "pass", "ort-1.18.1": "pass"}
    assert remedy.sentence(known(bad, runs=runs), bad, "ort-1.15.1") == "ONNX Runtime 1.17 or later"


def test_a_runtime_after_which_it_breaks_again_is_named_alone() -> None:
    bad = cell()
    runs = {ORT: "mismatch", "ort-1.17.3": "pass", "ort-1.18.1": "crash"}
    assert remedy.sentence(known(bad, runs=runs), bad, ORT) == "ONNX Runtime 1.17"


def test_runtimes_of_another_engine_are_no_newer_ones() -> None:
    bad = cell()
    assert remedy.sentence(known(bad, runs={ORT: "mismatch", "openvino-2026.4.1": "pass"}), bad, ORT) == ""


def test_the_next_release_comes_last() -> None:
    bad = cell("unsupported-op")
    results = known(bad, cell(torch="2.10.0"), cell(torch="2.4.1"), cell(torch="1.8.0"))
    assert remedy.sentence(results, bad) == "PyTorch 2.4.1"


def test_a_file_that_breaks_the_specification_is_not_cured_by_a_runtime_that_runs_it() -> None:
    bad = cell(off_spec=["GridSample-16 takes rank 4, not 5"])
    assert remedy.sentence(known(bad, runs={ORT: "unloadable", "ort-1.17.3": "pass"}), bad, ORT) == ""
