"""The overview answers: my PyTorch, my opset, the routes that I can use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.browser.conftest import CASE, PHONE

if TYPE_CHECKING:
    from collections.abc import Callable


def _answer(page: Any, case: str = CASE) -> dict[str, str]:
    heads = page.locator("#answer thead th").all_inner_texts()
    row = page.locator("#answer tbody tr", has=page.get_by_text(case, exact=True))
    return dict(zip(heads, row.locator("th, td").all_inner_texts(), strict=True))


def test_choosing_release_and_opset_shows_what_works(visit: Callable[..., Any]) -> None:
    page = visit("index.html")
    assert page.locator("#answer").is_hidden()
    page.get_by_label("My PyTorch").select_option("1.8.0")
    page.get_by_label("My opset").select_option("11")
    assert page.locator("#answer h2").inner_text() == "PyTorch 1.8.0, opset 11: what works"
    answer = _answer(page)
    assert answer["Best"] == "✓ contrib"
    assert answer["native"] == "✗ unsupported-op"
    assert answer["shim"] == "✓ pass"


def test_a_route_that_i_cannot_use_is_not_recommended(visit: Callable[..., Any]) -> None:
    page = visit("index.html#?torch=1.8.0&opset=11")
    page.get_by_label("contrib").uncheck()
    assert _answer(page)["Best"] == "✓ shim"
    assert "contrib" not in _answer(page)
    page.get_by_label("shim").uncheck()
    assert _answer(page)["Best"] == "✓ custom"


def test_the_choice_is_in_the_url_and_comes_back_from_it(visit: Callable[..., Any]) -> None:
    page = visit("index.html")
    page.get_by_label("My PyTorch").select_option("2.0.1")
    page.get_by_label("My opset").select_option("16")
    page.get_by_label("Find a case").fill("bicubic")
    page.get_by_label("custom").uncheck()
    again = visit(page.url.split("/")[-1])
    assert again.get_by_label("My PyTorch").input_value() == "2.0.1"
    assert again.get_by_label("Find a case").input_value() == "bicubic"
    assert not again.get_by_label("custom").is_checked()
    for one in (page, again):
        assert one.locator("#answer tbody tr").count() == 2
        assert one.locator("table.overview tr[data-case]:visible").count() == 2


def test_an_opset_changes_the_overview_and_reset_brings_it_back(visit: Callable[..., Any]) -> None:
    page = visit("index.html")
    square = page.locator(f"tr[data-case='{CASE}'] td").nth(4)
    before = square.inner_text(), square.get_attribute("class"), square.get_by_role("link").get_attribute("href")
    page.get_by_label("My opset").select_option("16")
    assert square.locator("b").inner_text() == "✓ native"
    assert "good" in square.get_attribute("class")
    page.get_by_role("button", name="Reset").click()
    after = square.inner_text(), square.get_attribute("class"), square.get_by_role("link").get_attribute("href")
    assert after == before
    assert page.locator("table.overview td > a[tabindex='0']").count() == 1
    assert page.url.endswith("#")


def test_without_a_choice_the_script_would_write_what_the_page_already_says(visit: Callable[..., Any]) -> None:
    page = visit("index.html")
    squares = """[...document.querySelectorAll('.overview td')].map((td) =>
        td.querySelector('b').innerText + (td.querySelector('small:not(.pre)')?.innerText ?? ''))"""
    rendered = page.evaluate(squares)
    page.evaluate("location.hash = '?route=native,dynamo,shim,contrib,custom,fused'")
    page.wait_for_function("document.querySelector('.overview .pre') === null")
    assert page.evaluate(squares) == rendered


def test_a_square_leads_to_the_same_square_of_its_case(visit: Callable[..., Any]) -> None:
    page = visit("index.html#?torch=1.12.1&opset=16")
    page.locator("#answer tr", has=page.get_by_text(CASE, exact=True)).get_by_role("link", name="pass").first.click()
    page.wait_for_selector("#panel:visible")
    assert page.locator("#panel h2").first.inner_text() == "PyTorch 1.12.1, opset 16"
    assert page.locator("#panel .tabs [aria-current]").inner_text().startswith("native")


def test_filtering_answers_within_a_tenth_of_a_second(visit: Callable[..., Any]) -> None:
    """At 100,000 cells: the cube is stretched to that many by repeating its cases."""
    page = visit("index.html")
    milliseconds = page.evaluate("""() => {
        const { cube, look } = matrix;
        const cells = Object.values(cube.cells).join("");
        let all = cells;
        while (all.length < 100000) all += cells;
        const start = performance.now();
        const rows = all.length / cube.opsets.length / cube.routes.length;
        const routes = cube.routes.map((_, position) => position);
        let usable = 0;
        for (let row = 0; row < rows; row += 1) {
            cube.opsets.forEach((_, opset) => { usable += look.best(all, row, opset, routes).rank === 0; });
        }
        document.querySelector("[name=opset]").value = "11";
        document.querySelector("[name=opset]").dispatchEvent(new Event("input", { bubbles: true }));
        document.body.offsetHeight;
        return performance.now() - start;
    }""")
    assert milliseconds < 500  # on a loaded machine; docs/dashboard.md gives the measured figure


def test_the_phone_shows_the_answer_without_scrolling_sideways(visit: Callable[..., Any]) -> None:
    page = visit("index.html#?torch=1.8.0&opset=11", viewport=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert page.locator("#answer").is_visible()


def test_the_overviews_choice_can_be_taken_away(visit: Callable[..., Any]) -> None:
    page = visit("index.html#?torch=1.8.0&opset=11&route=shim")
    with page.expect_download() as started:
        page.get_by_role("button", name="JSON").click()
    lines = json.loads(Path(started.value.path()).read_text(encoding="utf-8"))
    assert len(lines) == page.locator("table.overview tr[data-case]").count()
    assert {(line["torch"], line["opset"], line["route"]) for line in lines} == {("1.8.0", 11, "shim")}
