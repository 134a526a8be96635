"""Many cells in few words."""

from __future__ import annotations

from matrix.report import table
from matrix.report.places import places
from matrix.results import Results
from tests.report import synthetic

TABLE = table.build(Results(), synthetic.known(("1.8.0", "1.9.1", "1.10.2", "2.0.1")))


def test_neighbouring_releases_with_the_same_opsets_are_one_place() -> None:
    found = [(release, opset) for release in ("1.9.1", "1.10.2", "1.8.0") for opset in (9, 8, 7)]
    assert places(TABLE, [*found, ("2.0.1", 18)]) == (("1.8.0–1.10.2", "7–9"), ("2.0.1", "18"))


def test_a_release_between_two_others_that_is_missing_keeps_them_apart() -> None:
    assert places(TABLE, [("1.8.0", 7), ("1.10.2", 7)]) == (("1.8.0", "7"), ("1.10.2", "7"))


def test_a_release_that_the_table_lacks_comes_last() -> None:
    assert places(TABLE, [("1.7.0", 7), ("1.8.0", 8)]) == (("1.8.0", "8"), ("1.7.0", "7"))
