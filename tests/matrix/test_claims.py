"""The claims of docs/claims.md that are read from cells hold in the reference run that ships."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from packaging.version import Version

from matrix import query
from matrix import results as stored
from matrix.catalog import ROOT
from matrix.cli.results import chosen
from matrix.options import REFERENCE
from matrix.selection import Selection

if TYPE_CHECKING:
    from matrix.records import CellRecord

PAGE = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
needs_reference = pytest.mark.skipif(not stored.files(REFERENCE), reason="no reference run in this checkout")


@pytest.fixture(scope="module")
def known() -> stored.Results:
    return stored.load(REFERENCE)


def found(known: stored.Results, text: str) -> list[CellRecord]:
    records = chosen(known, Selection(), [text])
    assert records, f"nothing was measured for {text}"
    return records


def test_every_query_on_the_page_is_one() -> None:
    queries = re.findall(r"matrix results '([^']+)'", PAGE)
    assert len(queries) >= 6
    for text in queries:
        if text != "QUERY":
            query.parse(text)


@needs_reference
def test_1_images_export_natively_from_1_12_at_opset_16_and_no_earlier(known: stored.Results) -> None:
    for record in found(known, "route==native and case==grid_sample-*-4d* and opset<=20"):
        passes = record["verdict"] == "pass"
        assert passes <= (Version(record["torch"]) >= Version("1.12") and record["opset"] >= 16), record["cell"]
    for record in found(known, "route==native and case==grid_sample-*-4d* and torch>=1.12 and opset==16"):
        assert record["verdict"] == "pass", record["cell"]


@needs_reference
def test_1_volumes_are_off_spec_in_1_12_and_1_13_and_pass_from_2_4_at_opset_20(known: stored.Results) -> None:
    for record in found(known, "route==native and case==grid_sample-*-5d* and verdict==off-spec"):
        assert record["torch"] in ("1.12.1", "1.13.1"), record["cell"]
    for record in found(known, "route==native and case==grid_sample-*-5d* and verdict==pass"):
        assert Version(record["torch"]) >= Version("2.4"), record["cell"]
        assert record["opset"] >= 20


@needs_reference
def test_2_affine_grid_exports_from_no_opset_in_2_0_1(known: stored.Results) -> None:
    verdicts = {record["verdict"] for record in found(known, "torch==2.0.1 and case==affine_grid-* and route==native")}
    assert verdicts <= {"unsupported-op", "unsupported-opset"}
    passing = found(known, "case==affine_grid-* and route==native and verdict==pass")
    assert min(Version(record["torch"]) for record in passing) == Version("2.4.1")


@needs_reference
def test_8_the_contrib_operator_runs_in_the_onnxruntime_of_the_index(known: stored.Results) -> None:
    for record in found(known, "route==contrib and torch==1.8.0 and opset==11"):
        assert record["verdict"] == "pass", record["cell"]
        assert "com.microsoft::GridSample" in record["operators"]
