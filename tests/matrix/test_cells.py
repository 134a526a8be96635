"""A cell has one identifier, and the identifier has one cell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matrix import catalog, plan
from matrix.cells import Cell
from matrix.errors import UsageError
from matrix.probe.cases import CASES
from matrix.probe.routes import ROUTES
from matrix.selection import Selection


@given(
    torch=st.from_regex(r"[1-9]\.[0-9]{1,2}\.[0-9]", fullmatch=True),
    opset=st.integers(1, 99),
    route=st.sampled_from(sorted(ROUTES)),
    case=st.sampled_from(sorted(CASES)),
)
def test_formatting_and_parsing_agree(torch: str, opset: int, route: str, case: str) -> None:
    cell = Cell(torch=torch, opset=opset, route=route, case=case)
    assert Cell.parse(cell.id) == cell


def test_every_planned_cell_parses() -> None:
    for task in plan.make_plan(catalog.load(), Selection(all_cases=True)):
        for cell in task.cells:
            assert Cell.parse(cell.id) == cell


@pytest.mark.parametrize(
    "text",
    [
        "",
        "torch-1.8.0",
        "torch-1.8.0/opset-11/shim",
        "torch-1.8.0/opset-x/shim/affine_grid-2d",
        "torch-1.8.0/opset-11/shim/affine_grid-2d/",
        "torch-1.8.0/opset-11/shim/../../etc",
        "torch-1.8.0/opset-11/shim/affine_grid-2d\n",
    ],
)
def test_anything_else_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match=r"reads torch-1\.8\.0/opset-11/shim/"):
        Cell.parse(text)
