"""Markdown, JUnit XML, badge, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
import random
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from matrix.records import CELL_FIELDS
from matrix.report import badge, export, junit, markdown
from matrix.results import Results
from matrix.verdicts import USABLE
from tests.report import synthetic

if TYPE_CHECKING:
    from collections.abc import Callable

CASE = "grid_sample-bilinear-zeros-4d"
KNOWN = synthetic.known(("1.8.0", "1.12.1"), (CASE,))
EVIL = "</td> | ` <script>alert(1)</script>\n=cmd() \x1b[31m"


def _results() -> Results:
    return synthetic.results(("1.8.0", "1.12.1"), (CASE,), local=False)


def _evil() -> Results:
    results = _results()
    results.cells[f"torch-1.8.0/opset-11/native/{CASE}"]["error"] = {"type": EVIL, "message": EVIL}
    record = synthetic.cell("1.8.0", 11, "native", CASE) | {"case": EVIL, "cell": f"torch-1.8.0/opset-11/native/{EVIL}"}
    results.add(record, "local")
    return results


RENDERINGS: list[Callable[[Results], str]] = [
    lambda results: markdown.render(results, known=KNOWN, before=Results()),
    junit.render,
    lambda results: badge.render(results, known=KNOWN),
    export.as_json,
    export.as_csv,
]


@pytest.mark.parametrize("render", RENDERINGS)
def test_the_order_of_the_results_does_not_matter(render: Callable[[Results], str]) -> None:
    shuffled = _results()
    shuffled.cells = dict(random.Random(7).sample(list(shuffled.cells.items()), len(shuffled.cells)))
    assert render(shuffled) == render(_results())


@pytest.mark.parametrize("render", RENDERINGS)
def test_nothing_measured_is_no_error(render: Callable[[Results], str]) -> None:
    assert isinstance(render(Results()), str)


def test_markdown_counts_and_shows_the_widest_route_of_each_release() -> None:
    text = markdown.render(_results(), known=KNOWN)
    assert text.startswith("**152 of 152 cells measured.**")
    assert "| 1.8.0 | ✓ contrib 7–13 |" in text
    assert "∅ " in text.splitlines()[0]


def test_markdown_leaves_out_releases_without_results() -> None:
    text = markdown.render(_results(), known=synthetic.known(("1.8.0", "1.12.1", "2.0.1"), (CASE,)))
    assert "2.0.1" not in text


def test_markdown_tells_what_changed() -> None:
    before = _results()
    before.cells[f"torch-1.8.0/opset-20/shim/{CASE}"]["verdict"] = "pass"
    text = markdown.render(_results(), known=KNOWN, before=before)
    assert "| regression | shim | pass | unsupported-opset |" in text
    assert "Nothing changed" in markdown.render(_results(), known=KNOWN, before=_results())


def test_markdown_escapes_what_is_not_ours() -> None:
    text = markdown.render(_evil(), known=KNOWN)
    assert "<script>" not in text
    assert "\x1b" not in text
    for line in text.splitlines():
        if line.startswith("| "):
            assert line.replace(r"\|", "").count("|") in {4, 5}, line


def test_junit_holds_one_test_per_cell_and_counts_them() -> None:
    results = _results()
    root = ET.fromstring(junit.render(results))
    tests = root.findall("testsuite/testcase")
    assert len(tests) == len(results.cells) == int(root.get("tests", ""))
    failed = [test for test in tests if test.find("failure") is not None]
    usable = [cell for cell in results.cells.values() if cell["verdict"] in USABLE]
    assert len(failed) == int(root.get("failures", "")) == len(results.cells) - len(usable)
    assert [suite.get("name") for suite in root] == ["torch-1.8.0", "torch-1.12.1"]


def test_junit_says_how_to_do_it_again() -> None:
    root = ET.fromstring(junit.render(_results()))
    failure = root.find(f"testsuite/testcase[@name='opset-11/native/{CASE}']/failure")
    assert failure is not None
    assert failure.get("type") == "unsupported-op"
    assert "nox -s matrix -- --cell torch-1.8.0/opset-11/native/" in (failure.text or "")


def test_junit_skips_what_is_expected_or_says_nothing_about_pytorch_and_calls_a_crash_an_error() -> None:
    results = _results()
    names = list(results.cells)[:3]
    for name, verdict in zip(names, ("unavailable", "crash", "mismatch"), strict=True):
        results.cells[name]["verdict"] = verdict
    root = ET.fromstring(junit.render(results, expected=[names[2]]))
    assert (root.get("skipped"), root.get("errors")) == ("2", "1")


def test_junit_is_well_formed_whatever_was_captured() -> None:
    root = ET.fromstring(junit.render(_evil()))
    assert any(EVIL.replace("\x1b", "\ufffd") in (test.get("name") or "") for test in root.iter("testcase"))


def test_json_holds_every_field_its_runtimes_and_its_origin() -> None:
    lines = [json.loads(line) for line in export.as_json(_results()).splitlines()]
    assert all(set(line) == {*CELL_FIELDS, "runtimes", "origin"} for line in lines)
    line = next(line for line in lines if line["cell"] == f"torch-1.8.0/opset-11/shim/{CASE}")
    assert line["runtimes"] == {"ort-1.19.2": "pass", "ort-1.10.0": "pass", "ort-1.17.3": "pass"}
    assert line["error"] is None


def test_csv_comes_back_and_runs_no_formula() -> None:
    results = _results()
    results.cells[f"torch-1.8.0/opset-11/native/{CASE}"]["error"] = {"type": "E", "message": '=1+1, "quoted"\nline'}
    rows = list(csv.DictReader(io.StringIO(export.as_csv(results))))
    assert [row["cell"] for row in rows[:1]] == [f"torch-1.8.0/opset-7/contrib/{CASE}"]
    row = next(row for row in rows if row["opset"] == "11" and row["route"] == "native" and row["torch"] == "1.8.0")
    assert row["error_message"] == '\'=1+1, "quoted"\nline'
    assert row["emitted_opset"] == ""


def test_the_badge_gives_the_share_of_squares_for_which_a_route_works() -> None:
    root = ET.fromstring(badge.render(_results(), known=KNOWN))
    assert root.get("aria-label") == "grid_sample to ONNX: 17 of 38 work"


def test_the_badge_of_nothing_claims_nothing() -> None:
    assert "not measured" in badge.render(Results(), known=KNOWN)


def test_the_badge_escapes_its_label() -> None:
    root = ET.fromstring(badge.render(_results(), known=KNOWN, label='<b>"&'))
    assert '<b>"&' in (root.get("aria-label") or "")
