"""The catalog's lists as the axes of the table."""

from __future__ import annotations

from matrix import catalog
from matrix.probe.cases import CASES
from matrix.report.axes import known_from
from matrix.results import Results
from tests.report import synthetic

CATALOG = catalog.load()


def test_all_releases_and_opsets_and_the_core_cases_are_known_without_any_result() -> None:
    known = known_from(CATALOG, Results())
    assert known.releases == tuple(release.version for release in CATALOG.releases)
    assert known.opsets == tuple(CATALOG.opsets)
    assert list(known.cases) == [name for name, case in CASES.items() if case.core]


def test_a_measured_case_beyond_the_core_joins_its_group() -> None:
    results = Results()
    results.add(synthetic.cell("1.8.0", 11, "shim", "rotate-free"), "local")
    assert known_from(CATALOG, results).cases["rotate-free"] == CASES["rotate-free"].group


def test_an_exporter_that_a_release_lacks_is_not_applicable_there() -> None:
    known = known_from(CATALOG, Results())
    case = "grid_sample-bilinear-zeros-4d"
    assert not known.applicable("1.8.0", "dynamo", case)
    assert known.applicable("2.15.0", "dynamo", case)


def test_a_route_that_has_nothing_to_offer_for_a_case_is_not_applicable_to_it() -> None:
    known = known_from(CATALOG, Results())
    assert not known.applicable("2.0.1", "contrib", "rotate-90")
    assert known.applicable("2.0.1", "contrib", "grid_sample-bilinear-zeros-4d")
