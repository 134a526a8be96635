"""Charts: numbers that add up, and drawings that load nothing, run nothing and never change by themselves."""

from __future__ import annotations

import pytest

from matrix.report import charts, table
from matrix.results import Results
from tests.report import synthetic

KNOWN = synthetic.known()


def test_coverage_counts_every_square_once() -> None:
    chart = charts.charts(table.build(synthetic.results(), KNOWN))[0]
    totals = {sum(values[row] or 0 for _, values in chart.series) for row in range(len(chart.labels))}
    assert totals == {len(KNOWN.cases) * len(KNOWN.opsets)}
    own = [value or 0 for value in dict(chart.series)["own"]]
    assert own[KNOWN.releases.index("1.11.0")] < own[KNOWN.releases.index("2.9.1")]


def test_every_stage_of_every_route_has_its_median() -> None:
    stages = charts.charts(table.build(synthetic.results(), KNOWN))[1]
    assert stages.labels == synthetic.ROUTES
    assert [name for name, _ in stages.series] == ["export", "check", "load", "run", "compare"]
    assert dict(stages.series)["load"] == (11.0,) * len(synthetic.ROUTES)


def test_what_was_not_measured_has_no_chart_but_coverage() -> None:
    assert [chart.name for chart in charts.charts(table.build(Results(), KNOWN))] == ["coverage"]


def test_a_drawing_holds_no_script_no_comment_and_no_address() -> None:
    pytest.importorskip("pygal")
    for chart in charts.charts(table.build(synthetic.results(), KNOWN)):
        assert chart.svg.startswith("<svg")
        for forbidden in ("<script", "<!--", "https:", "url("):
            assert forbidden not in chart.svg, chart.name


def test_the_same_numbers_give_the_same_drawing() -> None:
    one, two = (charts.charts(table.build(synthetic.results(), KNOWN)) for _ in range(2))
    assert one == two
