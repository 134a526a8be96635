"""The page of claims says what docs/claims.md says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from matrix.report.claims import SOURCE, Claim, claims, introduction
from matrix.report.dashboard import TEMPLATES
from matrix.report.strings import Strings
from tests.report import pages

if TYPE_CHECKING:
    from pathlib import Path

CLAIMS = claims()
STRINGS = Strings.load(TEMPLATES / "strings.toml")


def test_every_line_of_the_documents_table_and_every_section_is_a_claim() -> None:
    text = SOURCE.read_text(encoding="utf-8")
    assert [one.number for one in CLAIMS] == re.findall(r"^## (\d+)$", text, re.MULTILINE)
    assert len(CLAIMS) == 14 == text.count("](#") - len(re.findall(r"\(\[4\]\(#4\)\)", text))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda one: one.number)
def test_a_claim_has_a_verdict_word_numbers_or_cells_and_a_command(claim: Claim) -> None:
    assert claim.verdict in ("true", "false", "only where")
    body = claim.body
    assert re.search(r"python -m matrix|claims\.py", body)
    assert re.search(r"\d", body)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda one: one.number)
def test_the_words_on_the_page_are_those_of_the_document(claim: Claim) -> None:
    assert STRINGS.texts[f"claim.{claim.number}"]["en"] == claim.claim.replace("`", "")


def test_the_page_holds_every_claim_with_its_verdict_numbers_and_commands(site: Path) -> None:
    page = pages.read(site / "claims.html")
    rows = page.all("tbody")[0].all("tr")
    assert [row.all("a")[0].attributes["href"] for row in rows] == [f"#{one.number}" for one in CLAIMS]
    assert [row.all("td")[0].text.split("\n")[0].startswith(one.verdict) for row, one in zip(rows, CLAIMS, strict=True)]
    assert "python -m matrix results 'case==affine_grid-* and route==native and verdict==pass'" in page.text
    assert "4e-16" in page.text
    assert "**" not in page.text


def test_a_cell_that_was_measured_is_linked(site: Path) -> None:
    links = {link.attributes["href"] for link in pages.read(site / "claims.html").all("a")}
    assert "case/grid_sample-bilinear-zeros-4d.html#torch-1.8.0/opset-11" in links
    assert not any("affine_grid-2d" in link for link in links), "these results have no such case"


def test_reading_the_claims_says_nothing_also_where_every_logger_is_shown(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG"):
        assert introduction()
    assert caplog.text == ""
