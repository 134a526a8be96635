"""What failed in a case, told so that it can be read."""

from __future__ import annotations

from matrix.report import table
from matrix.report.failures import Failure, failures
from tests.report import synthetic

CASE = "grid_sample-bilinear-zeros-4d"
RELEASES = ("1.8.0", "1.9.1", "1.12.1")


def _failures() -> list[Failure]:
    results = synthetic.results(RELEASES, (CASE,), runs=False, local=False)
    return failures(table.build(results, synthetic.known(RELEASES, (CASE,))), CASE)


def test_messages_that_differ_only_in_numbers_are_told_once_with_the_first_as_example() -> None:
    (failure,) = [one for one in _failures() if one.verdict == "unsupported-op"]
    assert failure.where == (("1.8.0", "7–13"), ("1.9.1", "7–14"), ("1.12.1", "7–15"))
    assert failure.example["cell"] == f"torch-1.8.0/opset-7/native/{CASE}"


def test_routes_that_fail_alike_at_the_same_places_are_told_together() -> None:
    (failure,) = [one for one in _failures() if one.verdict == "unsupported-opset"]
    assert failure.routes == ("native", "contrib", "shim", "custom")


def test_what_passes_is_not_told() -> None:
    assert {one.verdict for one in _failures()} == {"unsupported-op", "unsupported-opset", "dynamic-lost", "unloadable"}
