"""Selections, and the plans that they make."""

from typing import Any

import pytest

from matrix import catalog as catalogs
from matrix.cells import Cell
from matrix.errors import UnknownNameError, UsageError
from matrix.plan import make_plan
from matrix.probe.cases import CASES
from matrix.selection import Selection

CATALOG = catalogs.load()


def cells(**choices: Any) -> list[Cell]:
    return [cell for task in make_plan(CATALOG, Selection(**choices)) for cell in task.cells]


def releases(**choices: Any) -> list[str]:
    return [task.release.version for task in make_plan(CATALOG, Selection(**choices))]


def test_without_a_selection_everything_is_planned_in_order_of_interest() -> None:
    planned = releases()
    assert planned[:5] == ["1.8.0", "2.0.1", "2.15.0", "1.9.1", "1.10.2"]
    assert len(planned) == 22
    assert {cell.opset for cell in cells()} == set(range(7, 26))
    assert {cell.case for cell in cells()} == {case.id for case in CASES.values() if case.core}


def test_all_cases_are_forty_one() -> None:
    assert {cell.case for cell in cells(torch=("1.8.0",), all_cases=True)} == set(CASES)
    assert len(CASES) == 41


def test_quick_is_four_releases() -> None:
    assert sorted(releases(quick=True)) == ["1.13.1", "1.8.0", "2.0.1", "2.15.0"]


def test_dynamo_is_planned_only_where_the_release_has_it() -> None:
    assert {cell.torch for cell in cells(routes=("dynamo",))} == {
        r.version for r in CATALOG.releases if "dynamo" in r.exporters
    }


def test_contrib_serves_only_what_samples_a_4d_image() -> None:
    served = {cell.case for cell in cells(torch=("1.8.0",), routes=("contrib",), all_cases=True)}
    assert "grid_sample-bilinear-zeros-4d" in served
    assert not {"affine_grid-2d", "rotate-90", "grid_sample-bilinear-zeros-5d", "spatial_transformer-3d"} & served


def test_lists_ranges_and_wildcards_select() -> None:
    chosen = cells(torch=("1.8.0", "2.*"), opsets=("11-13", "16"), cases=("affine_grid-*",), routes=("shim",))
    assert {cell.opset for cell in chosen} == {11, 12, 13, 16}
    assert {cell.case for cell in chosen} == {case for case in CASES if case.startswith("affine_grid-")}
    assert "1.9.1" not in {cell.torch for cell in chosen}
    assert {cell.route for cell in chosen} == {"shim"}


def test_a_cell_pattern_selects_core_cases_unless_it_names_one() -> None:
    broad = cells(cells=("torch-1.8.0/opset-11/*",))
    assert {(cell.torch, cell.opset) for cell in broad} == {("1.8.0", 11)}
    assert "rotate-free" not in {cell.case for cell in broad}
    exact = cells(cells=("torch-1.8.0/opset-11/shim/rotate-free",))
    assert [cell.id for cell in exact] == ["torch-1.8.0/opset-11/shim/rotate-free"]


def test_a_cell_pattern_may_name_a_derived_release() -> None:
    assert {cell.torch for cell in cells(cells=("torch-1.8.1/opset-11/shim/*",))} == {"1.8.1"}


@pytest.mark.parametrize(
    ("choices", "suggestion"),
    [
        ({"torch": ("1.80.0",)}, "1.8.0"),
        ({"routes": ("shimm",)}, "shim"),
        ({"cases": ("grid_sample-biliner-zeros-4d",)}, "grid_sample-bilinear-zeros-4d"),
        ({"cells": ("torch-1.8.0/opset-11/native/afine_grid-2d",)}, "affine_grid-2d"),
    ],
)
def test_a_name_that_matches_nothing_is_answered_with_close_ones(choices: dict[str, Any], suggestion: str) -> None:
    with pytest.raises(UnknownNameError, match=f"Perhaps you meant .*{suggestion}"):
        cells(**choices)


@pytest.mark.parametrize("text", ["30", "6", "16-11", "eleven", "11-99"])
def test_an_opset_that_is_not_asked_for_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"7-25|11,16,20"):
        cells(opsets=(text,))


def test_names_that_exclude_each_other_are_an_error_with_the_reason() -> None:
    with pytest.raises(UsageError, match=r"exists from PyTorch 2\.5"):
        cells(torch=("1.8.0",), routes=("dynamo",))
    with pytest.raises(UsageError, match="serve none"):
        cells(routes=("contrib",), cases=("affine_grid-*",))
