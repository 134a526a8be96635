"""For everyone: accessibility rules, two languages, two schemes, paper, phone; a picture of each for people."""

from __future__ import annotations

import functools
import http.server
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.conftest import CASE, DESKTOP, PHONE

if TYPE_CHECKING:
    from collections.abc import Callable

PAGES = [
    "index.html",
    "index.html#?torch=1.8.0&opset=11",
    "advise.html",
    f"advise.html#?torch=1.8.0&opset=25&case={CASE}",
    f"case/{CASE}.html",
    f"case/{CASE}.html#torch-1.8.0/opset-11/native",
    "torch/2.0.1.html",
    "environments.html",
    f"case/{CASE}.html#?axes=torch",
    "findings.html",
    "claims.html",
    "changes.html",
    "charts.html",
    "runtimes.html",
    "runtime/ort-1.10.0.html",
    "builds.html",
    "legend.html",
]


def _settle(page: Any) -> None:
    if "/opset-" in page.url:
        page.wait_for_selector("#panel .record")
    elif "advise" in page.url:
        page.wait_for_selector("#recommended")


@pytest.mark.parametrize(
    ("scheme", "rules"), [("light", {}), ("dark", {"runOnly": ["color-contrast"]})], ids=["light", "dark"]
)
@pytest.mark.parametrize("address", PAGES)
def test_no_serious_violation_of_accessibility_rules(
    address: str, scheme: str, rules: dict[str, Any], visit: Callable[..., Any], small_site: Path, axe: Any
) -> None:
    page = visit(address, small_site, color_scheme=scheme)
    _settle(page)
    found = axe.run(page, options={"preload": False} | rules).response["violations"]
    serious = [
        f"{one['id']}: {one['help']}: {[node['html'][:160] for node in one['nodes'][:3]]}"
        for one in found
        if one["impact"] in {"serious", "critical"}
    ]
    assert serious == []


@pytest.mark.parametrize("address", PAGES)
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_page_fits_its_screen(address: str, size: dict[str, int], visit: Callable[..., Any], tmp_path: Path) -> None:
    page = visit(address, viewport=size)
    _settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    folder = Path(os.environ.get("MATRIX_SCREENSHOTS") or tmp_path)
    name = address.replace("/", "-").replace("#", "-").replace("?", "") + f"-{size['width']}.png"
    assert len(page.screenshot(path=folder / name)) > 10_000


def test_chinese_is_one_click_away_and_is_remembered(visit: Callable[..., Any]) -> None:
    page = visit(f"case/{CASE}.html#torch-1.8.0/opset-11/native")
    _settle(page)
    page.get_by_role("button", name="中文").click()
    assert page.evaluate("document.documentElement.lang") == "zh-Hans"
    assert "PyTorch 版本 × 请求的 opset" in page.locator("caption").inner_text()
    assert "精确复现此单元" in page.locator("#panel").inner_text()
    page.reload()
    assert page.get_by_role("link", name="总览").is_visible()
    page.get_by_role("button", name="English").click()
    assert page.get_by_role("link", name="Overview").is_visible()


def test_a_chinese_browser_gets_chinese_at_once(visit: Callable[..., Any]) -> None:
    page = visit("index.html", locale="zh-CN")
    assert page.get_by_label("我的 PyTorch").is_visible()
    page.get_by_label("我的 opset").select_option("25")
    assert "无此 opset" in page.locator(".overview").inner_text()


def test_the_scheme_can_be_switched(visit: Callable[..., Any]) -> None:
    page = visit("index.html", color_scheme="light")
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(paper)
    page.get_by_role("button", name="Dark / light").click()
    assert page.evaluate(paper) != light
    page.reload()
    assert page.evaluate(paper) != light


def test_paper_shows_the_whole_table_and_no_controls(visit: Callable[..., Any]) -> None:
    page = visit(f"case/{CASE}.html")
    page.emulate_media(media="print")
    assert page.locator("#filters").is_hidden()
    assert page.evaluate("getComputedStyle(document.querySelector('.scroll')).overflowX") == "visible"


def test_forced_colours_keep_verdicts_apart(visit: Callable[..., Any]) -> None:
    page = visit(f"case/{CASE}.html", forced_colors="active")
    style = "selector => getComputedStyle(document.querySelector(selector)).textDecorationLine"
    assert page.evaluate(style, "td.good b") == "underline"
    assert page.evaluate(style, "td.v-unsupported-opset b") == "none"


def test_verdicts_are_told_apart_by_more_than_colour(visit: Callable[..., Any]) -> None:
    page = visit("legend.html")
    texts = page.locator("tbody th").all_inner_texts()
    assert len({text.split()[0] for text in texts}) == len({text.split()[1] for text in texts}) == len(texts)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def test_a_web_server_may_serve_it_too(chromium: Any, small_site: Path) -> None:
    handler = functools.partial(_Quiet, directory=str(small_site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = chromium.new_page()
        problems: list[str] = []
        page.on("console", lambda message: problems.append(message.text))
        page.goto(f"http://127.0.0.1:{server.server_port}/case/{CASE}.html#torch-1.8.0/opset-11/shim")
        page.wait_for_selector("#panel .record")
        page.close()
        server.shutdown()
    assert problems == []
