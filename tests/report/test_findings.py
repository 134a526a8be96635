"""Findings: thresholds of PyTorch's own exporters, and trouble that no exception announces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matrix.report import findings, table
from tests.report import synthetic

if TYPE_CHECKING:
    from matrix.report.table import Table

CASES = ("grid_sample-bilinear-zeros-4d", "grid_sample-bilinear-border-4d", "grid_sample-bilinear-zeros-5d")


def _table() -> Table:
    return table.build(synthetic.results(cases=CASES, local=False), synthetic.known(cases=CASES))


def test_cases_with_the_same_threshold_are_told_together() -> None:
    native = {found.cases: found.where for found in findings.thresholds(_table()) if found.route == "native"}
    assert native == {
        CASES[:2]: (("1.12.1", "16"), ("1.13.1", "16–17"), ("2.0.1–2.3.1", "16–18"), ("2.4.1–2.15.0", "16–20")),
        CASES[2:]: (("2.4.1–2.15.0", "20"),),
    }


def test_a_substitute_has_no_threshold() -> None:
    assert {found.route for found in findings.thresholds(_table())} == {"native", "dynamo"}


def test_silent_trouble_is_worst_first_and_names_an_example() -> None:
    silent = findings.silent(_table())
    order = [findings.SILENT.index(found.verdict) for found in silent]
    assert order == sorted(order)
    volume = next(found for found in silent if found.verdict == "off-spec" and found.route == "native")
    assert volume.where == (("1.12.1", "16"), ("1.13.1", "16–17"))
    assert volume.example["cell"] == "torch-1.12.1/opset-16/native/grid_sample-bilinear-zeros-5d"
    assert volume.count == 3


def test_a_failed_export_is_not_silent() -> None:
    assert "unsupported-op" not in {found.verdict for found in findings.silent(_table())}
