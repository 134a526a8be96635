"""The page of a case: squares, details, filters, keyboard."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.conftest import CASE, PHONE

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = f"case/{CASE}.html"


def _square(page: Any, torch: str, opset: int) -> Any:
    return page.locator(f"[id='torch-{torch}/opset-{opset}']")


def test_a_click_opens_everything_known_about_a_square(visit: Callable[..., Any]) -> None:
    page = visit(PAGE)
    _square(page, "1.8.0", 11).click()
    page.wait_for_selector("#panel .record")
    panel = page.locator("#panel")
    text = panel.inner_text()
    assert page.url.endswith("#torch-1.8.0/opset-11")
    for expected in (
        "contrib",
        "com.microsoft::GridSample",
        "ci-linux-2-cores",
        "2026-11-12",
        "reference run",
        "Emitted opset",
    ):
        assert expected in text
    command = panel.locator(".command").inner_text()
    assert command == f"nox -s matrix -- --cell 'torch-1.8.0/opset-11/contrib/{CASE}' --again"


def test_a_failure_is_told_with_stage_message_and_output(visit: Callable[..., Any]) -> None:
    page = visit(f"{PAGE}#torch-1.8.0/opset-11/native")
    page.wait_for_selector("#panel .record")
    text = page.locator("#panel").inner_text()
    assert "UnsupportedOperatorError" in text
    assert "warnings.warn(" in text
    assert page.locator("#panel [aria-current=step]").inner_text() == "export"


def test_a_route_of_the_square_is_one_click_away_and_back_undoes_it(visit: Callable[..., Any]) -> None:
    page = visit(f"{PAGE}#torch-1.8.0/opset-11/native")
    page.locator("#panel .tabs a", has_text="shim").click()
    page.wait_for_selector("#panel .record >> text=GatherElements")
    assert page.url.endswith("#torch-1.8.0/opset-11/shim")
    page.go_back()
    page.wait_for_selector("#panel >> text=UnsupportedOperatorError")


def test_what_was_measured_here_says_where(visit: Callable[..., Any]) -> None:
    page = visit(f"{PAGE}#torch-2.0.1/opset-11/shim")
    page.wait_for_selector("#panel .record")
    text = page.locator("#panel .record").inner_text()
    assert "measured here" in text
    assert "laptop <of> someone & co" in text


def test_a_cell_that_was_not_measured_says_how_to_measure_it(visit: Callable[..., Any]) -> None:
    page = visit(f"{PAGE}#torch-1.8.0/opset-11/fused")
    page.wait_for_selector("#panel .command")
    assert "Nothing is known about this cell yet." in page.locator("#panel").inner_text()


def test_further_runtimes_are_listed(visit: Callable[..., Any]) -> None:
    page = visit(f"{PAGE}#torch-2.9.1/opset-20/native")
    page.wait_for_selector("#panel .record")
    assert "ort-1.10.0 ⊘ unloadable" in page.locator("#panel").inner_text().replace("\n", " ")


def test_leaving_out_routes_changes_the_best_one(visit: Callable[..., Any]) -> None:
    page = visit(PAGE)
    best = _square(page, "1.8.0", 11).locator("b")
    assert best.inner_text() == "✓ contrib"
    page.get_by_label("contrib").uncheck()
    assert best.inner_text() == "✓ shim"
    for route in ("shim", "custom"):
        page.get_by_label(route).uncheck()
    assert best.inner_text() == "✗ no op"
    assert page.url.endswith("?route=native,dynamo,fused")


def test_only_differences_folds_equal_releases(visit: Callable[..., Any]) -> None:
    page = visit(f"{PAGE}#?fold=1&newest=1")
    shown = page.locator("tr[data-torch]:visible").evaluate_all("rows => rows.map(row => row.dataset.torch)")
    assert shown[0] == "2.15.0"
    assert "2.14.1" not in shown
    assert shown[-1] == "1.8.0"
    page.get_by_label("only differences").uncheck()
    assert page.locator("tr[data-torch]:visible").count() == 22


def test_one_verdict_alone_can_be_looked_for(visit: Callable[..., Any]) -> None:
    page = visit(f"{PAGE}#?verdict=route-not-taken")
    assert "dim" in (page.locator("td", has=_square(page, "1.8.0", 16)).get_attribute("class") or "")
    assert "dim" not in (page.locator("td", has=_square(page, "2.0.1", 16)).get_attribute("class") or "")


@pytest.mark.parametrize(("view", "shown"), [("best", False), ("routes", True), ("words", True)])
def test_the_view_can_be_chosen(view: str, shown: bool, visit: Callable[..., Any]) -> None:
    page = visit(f"{PAGE}#?view={view}")
    parts = _square(page, "1.8.0", 11).locator(".rs")
    assert parts.is_visible() == shown
    assert parts.get_by_text("shim pass").is_visible() == (view == "words")


def test_the_views_work_without_javascript(visit: Callable[..., Any]) -> None:
    page = visit(PAGE, java_script_enabled=False)
    parts = page.locator("[id='torch-1.8.0/opset-11'] .rs")
    page.get_by_label("in words").check()
    assert "shim pass" in parts.inner_text()
    page.get_by_label("best route").check()
    assert parts.is_hidden()
    assert page.locator("noscript p").is_visible()
    assert page.get_by_label("only differences").is_hidden()


def test_arrow_keys_walk_over_the_squares_and_escape_closes_the_details(visit: Callable[..., Any]) -> None:
    page = visit(PAGE)
    assert page.locator("table.squares td > a[tabindex='0']").count() == 1
    page.locator("table.squares td > a[tabindex='0']").focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp", "End", "ArrowLeft"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.id") == "torch-1.8.0/opset-24"
    page.keyboard.press("Enter")
    page.wait_for_selector("#panel:visible")
    assert page.evaluate("document.activeElement.tagName") == "H2"
    page.keyboard.press("Escape")
    assert page.locator("#panel").is_hidden()
    assert page.evaluate("document.activeElement.id") == "torch-1.8.0/opset-24"
    assert page.url.endswith("#")


def test_heads_stay_in_sight_while_the_table_scrolls(visit: Callable[..., Any]) -> None:
    page = visit(PAGE, viewport=PHONE)
    page.evaluate("document.querySelector('.scroll').scrollTo(600, 500)")
    box = page.locator(".scroll").first.bounding_box()
    head = page.locator("thead th").nth(12).bounding_box()
    first = page.locator("tr[data-torch] th").nth(14).bounding_box()
    assert abs(head["y"] - box["y"]) <= 2
    assert abs(first["x"] - box["x"]) <= 2


def test_a_hostile_name_and_message_stay_text(visit: Callable[..., Any], site: Any) -> None:
    name = next(path.name for path in (site / "case").iterdir() if path.name.startswith("img"))
    page = visit(f"case/{name}#torch-1.8.0/opset-11/native")
    page.wait_for_selector("#panel .record")
    assert "</script><script>" in page.locator("#panel").inner_text()
    assert page.locator("img").count() == 0
    visit("index.html#?torch=1.8.0&opset=11")
    assert page.title() != "owned"


def test_the_case_can_be_cut_by_runtime(visit: Callable[..., Any]) -> None:
    page = visit(PAGE)
    page.get_by_label("PyTorch × runtime").check()
    page.wait_for_selector("#slice table")
    assert page.locator("table[data-case]").is_hidden()
    heads = page.locator("#slice thead th").all_inner_texts()
    assert heads == ["PyTorch", "ort-1.10.0", "ort-1.17.3", "ort-1.19.2"]
    page.locator("select[name=at]").select_option("16")
    row = page.locator("#slice tbody tr", has=page.get_by_role("rowheader", name="2.0.1", exact=True))
    assert row.locator("b").all_inner_texts() == ["⊘ unloadable", "✓ native", "✓ native"]
    page.get_by_label("opset × runtime").check()
    page.wait_for_selector("#slice >> text=requested opsets by runtime")
    assert page.locator("#slice tbody tr").count() == 19
    assert "axes=opset" in page.url


def test_the_view_can_be_taken_away_as_csv_and_json(visit: Callable[..., Any]) -> None:
    page = visit(f"{PAGE}#?route=native&verdict=unsupported-op")
    with page.expect_download() as started:
        page.get_by_role("button", name="JSON").click()
    lines = json.loads(Path(started.value.path()).read_text(encoding="utf-8"))
    assert {(line["route"], line["verdict"]) for line in lines} == {("native", "unsupported-op")}
    assert lines[0]["cell"] == f"torch-1.8.0/opset-7/native/{CASE}"
    assert lines[0]["error"]["type"] == "UnsupportedOperatorError"
    with page.expect_download() as started:
        page.get_by_role("button", name="CSV").click()
    with Path(started.value.path()).open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["cell"] for row in rows] == [line["cell"] for line in lines]


def test_a_link_to_a_square_far_down_shows_it_with_the_top_of_its_details(visit: Callable[..., Any]) -> None:
    page = visit(f"{PAGE}#torch-2.15.0/opset-25/dynamo")
    page.wait_for_selector("#panel .record")
    height = page.viewport_size["height"]
    for element in (page.locator("#panel h2").first, _square(page, "2.15.0", 25)):
        box = element.bounding_box()
        assert 0 <= box["y"] <= height - box["height"]
        assert box["x"] + box["width"] <= page.viewport_size["width"]


def test_a_runtime_that_has_not_seen_a_file_has_not_run_it(visit: Callable[..., Any]) -> None:
    page = visit(f"{PAGE}#?axes=opset&of=1.8.0&route=custom")
    page.wait_for_selector("#slice table")
    row = page.locator("#slice tbody tr", has=page.get_by_role("rowheader", name="7", exact=True))
    assert row.locator("b").all_inner_texts() == ["· not run", "· not run", "⊘ unloadable"]
    row = page.locator("#slice tbody tr", has=page.get_by_role("rowheader", name="20", exact=True))
    assert set(row.locator("b").all_inner_texts()) == {"∅ no opset"}
