"""Two runs compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from matrix.report import dashboard, diff, table
from tests.report import pages, synthetic

if TYPE_CHECKING:
    from pathlib import Path

    from matrix.records import CellRecord
    from matrix.results import Results

CASE = "grid_sample-bilinear-zeros-4d"
KNOWN = synthetic.known(("1.8.0", "1.9.1"), (CASE, "flow_warp"))


def _run(**changes: Any) -> Results:
    """All cells of two releases, with some fields changed at opsets 11 and 12 of the shim."""
    results = synthetic.results(("1.8.0", "1.9.1"), (CASE, "flow_warp"), runs=False, local=False)
    for name in [name for name, cell in results.cells.items() if cell["route"] == "shim" and cell["opset"] in {11, 12}]:
        results.cells[name] = cast("CellRecord", results.cells[name] | changes)
    return results


def _changes(before: Results, after: Results) -> list[diff.Change]:
    return diff.compare(before, table.build(after, KNOWN))


def test_equal_runs_have_no_change() -> None:
    assert _changes(_run(), _run(measured_at="2027-01-01T00:00:00Z", max_abs_error=3e-7)) == []


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ({}, {"verdict": "mismatch"}, "regression"),
        ({}, {"verdict": "drift"}, "regression"),
        ({"verdict": "crash"}, {}, "improvement"),
        ({"emitted_opset": 11}, {"emitted_opset": 18}, "opset"),
        ({"verdict": "unavailable"}, {}, "new"),
        ({}, {"verdict": "unavailable"}, "gone"),
    ],
)
def test_a_change_is_told_once_for_all_cases_and_places(
    before: dict[str, Any], after: dict[str, Any], kind: str
) -> None:
    (change,) = _changes(_run(**before), _run(**after))
    assert change.kind == kind
    assert change.cases == ("flow_warp", CASE)
    assert change.where == (("1.8.0–1.9.1", "11–12"),)
    assert change.example == "torch-1.8.0/opset-11"
    assert change.count == 8


def test_a_cell_that_only_one_run_has_is_new_or_gone() -> None:
    less = _run()
    del less.cells[f"torch-1.8.0/opset-7/native/{CASE}"]
    assert [change.kind for change in _changes(less, _run())] == ["new"]
    assert [change.kind for change in _changes(_run(), less)] == ["gone"]


def test_regressions_come_first_and_the_deepest_fall_leads() -> None:
    after = _run(verdict="drift")
    after.cells[f"torch-1.8.0/opset-9/shim/{CASE}"]["verdict"] = "timeout"
    after.cells[f"torch-1.8.0/opset-7/native/{CASE}"]["verdict"] = "pass"
    changes = _changes(_run(), after)
    assert [(change.kind, change.after) for change in changes] == [
        ("regression", "timeout"),
        ("regression", "drift"),
        ("improvement", "pass"),
    ]


def test_a_release_that_is_no_longer_known_is_still_told() -> None:
    before = _run()
    before.add(synthetic.cell("1.7.1", 11, "shim", CASE), "reference")
    (change,) = _changes(before, _run())
    assert (change.kind, change.where) == ("gone", (("1.7.1", "11"),))


def test_the_page_of_changes_exists_only_when_there_is_something_to_compare_with(tmp_path: Path) -> None:
    dashboard.render(_run(), tmp_path, known=KNOWN)
    assert not (tmp_path / "changes.html").exists()
    assert "changes.html" not in (tmp_path / "index.html").read_text()
    dashboard.render(_run(verdict="mismatch"), tmp_path, known=KNOWN, before=_run())
    text = pages.read(tmp_path / "changes.html").text
    assert "1.8.0–1.9.1: 11–12" in text
    assert text.index("✓ pass") < text.index("≠ mismatch")
