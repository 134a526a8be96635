"""What the reference run says about runtimes: the reports of users, and what holds over the whole axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from packaging.version import Version

from matrix import remedy, runtimes
from matrix import results as stored
from matrix.options import REFERENCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from matrix.records import CellRecord, RunRecord

    Judged = Callable[..., list[tuple[CellRecord, RunRecord]]]

pytestmark = pytest.mark.skipif(not stored.files(REFERENCE), reason="no reference run in this checkout")

ORT = [runtime for runtime in runtimes.load().runtimes if runtime.engine == "ort"]
BORDER, SAMPLE, VOLUME = (
    "grid_sample-bicubic-border-4d", "grid_sample-bilinear-zeros-4d", "grid_sample-bilinear-zeros-5d"
)  # fmt: skip


@pytest.fixture(scope="module")
def known() -> stored.Results:
    return stored.load(REFERENCE)


@pytest.fixture(scope="module")
def cells(known: stored.Results) -> dict[tuple[str, str], list[CellRecord]]:
    """Cells with a file, by case and route."""
    found: dict[tuple[str, str], list[CellRecord]] = {}
    for cell in known.cells.values():
        if "digest" in cell:
            found.setdefault((cell["case"], cell["route"]), []).append(cell)
    return found


@pytest.fixture(scope="module")
def judged(known: stored.Results, cells: dict[tuple[str, str], list[CellRecord]]) -> Judged:
    """Cells of a case and of routes, with a verdict in their own environment, and what a runtime makes of the files."""

    def find(runtime: str, case: str, *routes: str, verdict: str = "pass") -> list[tuple[CellRecord, RunRecord]]:
        return [
            (cell, run)
            for route in routes
            for cell in cells[case, route]
            if cell["verdict"] == verdict
            if (run := known.runs.get(cell["digest"], {}).get(runtime)) is not None
        ]

    return find


def test_every_onnx_runtime_judged_every_distinct_model(known: stored.Results) -> None:
    models = set(known.models.values())
    assert len(models) > 1000
    for runtime in ORT:
        assert [model for model in models if runtime.name not in known.runs.get(model, {})] == [], runtime.name


def test_runtimes_without_their_device_are_not_run(known: stored.Results) -> None:
    gpu = [runtime.name for runtime in runtimes.load().runtimes if runtime.device]
    assert gpu
    for name in gpu:
        assert {run["verdict"] for runs in known.runs.values() if (run := runs.get(name))} == {"not-run"}


@pytest.mark.parametrize("runtime", ORT, ids=lambda runtime: runtime.version)
def test_4_a_volume_at_opset_16_is_refused_up_to_1_16_and_never_green(
    known: stored.Results, judged: Judged, runtime: runtimes.Runtime
) -> None:
    found = judged(runtime.name, VOLUME, "native", verdict="off-spec")
    assert found
    for cell, run in found:
        assert known.runtimes_of(cell)[runtime.name] in ("unloadable", "off-spec")
        if Version(runtime.version) < Version("1.17"):
            assert run["verdict"] == "unloadable"
        elif "refusal" not in run:
            assert run["verdict"] == "pass"


@pytest.mark.parametrize("runtime", ORT, ids=lambda runtime: runtime.version)
def test_8_bicubic_with_border_is_wrong_from_1_9_to_1_16_and_right_from_1_17(
    judged: Judged, runtime: runtimes.Runtime
) -> None:
    for cell, run in judged(runtime.name, BORDER, "native", "contrib"):
        loaded = run["verdict"] != "unloadable"
        right = run["verdict"] == "pass"
        assert right == (loaded and Version(runtime.version) >= Version("1.17")), cell["cell"]
        if loaded and not right:
            assert run["verdict"] == "mismatch"
            assert run["max_abs_error"] > 0.07


def test_8_the_shim_is_its_smallest_remedy_and_a_newer_runtime_another(known: stored.Results) -> None:
    cell = known.cells[f"torch-2.4.1/opset-16/native/{BORDER}"]
    texts = [item.text for item in remedy.remedies(known, cell, "ort-1.16.3")]
    assert texts[0] == "use the shim route"
    assert "ONNX Runtime 1.17 or later" in texts


def test_9_the_overshoot_of_bicubic_is_no_error(judged: Judged) -> None:
    runs = [run for _, run in judged("ort-1.32.0", BORDER, "native", "contrib")]
    assert runs
    assert {run["verdict"] for run in runs} == {"pass"}


def test_7_openvino_before_2026_does_not_know_the_spelling_of_opset_20(judged: Judged) -> None:
    for name, at_20 in (("openvino-2025.4.1", "unloadable"), ("openvino-2026.4.1", "pass")):
        verdicts: dict[int, set[str]] = {}
        for cell, run in judged(name, SAMPLE, "native"):
            verdicts.setdefault(cell["opset"], set()).add(run["verdict"])
        assert verdicts[16] == verdicts[18] == {"pass"}
        assert verdicts[20] == {at_20}


def test_12_the_operator_is_the_same_in_either_domain(judged: Judged) -> None:
    for route in ("native", "contrib"):
        runs = [(cell, run) for cell, run in judged("ort-1.17.3", SAMPLE, route) if cell["opset"] == 16]
        assert runs
        assert {run["verdict"] for _, run in runs} == {"pass"}


@pytest.mark.parametrize("runtime", ORT, ids=lambda runtime: runtime.version)
def test_the_shim_is_right_wherever_the_runtime_reads_its_opset(judged: Judged, runtime: runtimes.Runtime) -> None:
    for case in (BORDER, SAMPLE, VOLUME, "affine_grid-2d", "affine_grid-3d", "spatial_transformer-2d", "rotate-90"):
        for cell, run in judged(runtime.name, case, "shim"):
            claimed = runtime.version.startswith("1.15.") and cell["opset"] == 19 and run.get("refusal") == "type"
            if run.get("refusal") not in ("ir", "opset") and not claimed:
                assert run["verdict"] == "pass", (cell["cell"], run)
