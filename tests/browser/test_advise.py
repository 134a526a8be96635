"""The page of advice gives the answers of `matrix advise`, and cell pages the sentences of matrix.remedy."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

from matrix.advise import Question, advise
from matrix.remedy import sentence
from matrix.report import dashboard
from matrix.verdicts import VERDICTS
from tests.browser.conftest import CASE, PHONE
from tests.report import synthetic

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matrix.results import Results

RELEASES = ("1.8.0", "1.12.1", "1.13.1", "2.0.1", "2.5.1", "2.9.1")
CASES = (CASE, "grid_sample-bilinear-zeros-5d", "affine_grid-2d", "spatial_transformer-2d", "rotate-90")
KNOWN = synthetic.known(RELEASES, CASES)


@pytest.fixture(scope="module")
def mixed() -> Results:
    """Synthetic results of which some cells are gone and others have any verdict at all."""
    results, chance = synthetic.results(RELEASES, CASES), random.Random(6)
    for name in sorted(results.cells):
        lot = chance.random()
        if lot < 0.1:
            del results.cells[name]
        elif lot < 0.25:
            results.cells[name]["verdict"] = chance.choice([one for one in VERDICTS if one != "not-run"])
    return results


@pytest.fixture(scope="module")
def advised(mixed: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("advised")
    dashboard.render(mixed, folder, known=KNOWN)
    return folder


ASK = """async (queries) => {
    await matrix.loadLists();
    const slugs = Object.fromEntries(matrix.cube.cases.map(([name, slug]) => [name, slug]));
    const answers = [];
    for (const { torch, opset, runtime, case: name } of queries) {
        const data = await matrix.details.load(slugs[name]);
        answers.push(new matrix.Decision(data).json({ torch, opset, runtime }));
    }
    return answers;
}"""


def test_the_page_and_the_command_agree_on_600_random_queries(
    visit: Callable[..., Any], advised: Path, mixed: Results
) -> None:
    chance = random.Random(7)
    runtimes = ["", "ort-1.19", *sorted({name for runs in mixed.runs.values() for name in runs})]
    queries = [
        {
            "torch": chance.choice(RELEASES),
            "opset": chance.choice(synthetic.OPSETS),
            "runtime": chance.choice([name for name in runtimes if "+" not in name]),
            "case": chance.choice(CASES),
        }
        for _ in range(600)
    ]
    answers = visit("advise.html", advised).evaluate(ASK, queries)
    kinds = set()
    for query, answer in zip(queries, answers, strict=True):
        expected = json.loads(json.dumps(advise(Question(**query), mixed, KNOWN).as_json()))
        assert answer == expected, query
        kinds.add((answer["recommended"] or {}).get("route"))
    assert {None, "native", "dynamo", "shim", "contrib", "custom"} <= kinds


REMEDY = """async (cells) => {
    await matrix.loadLists();
    const sentences = [];
    for (const [slug, torch, opset, route, runtime] of cells) {
        const data = await matrix.details.load(slug);
        sentences.push(new matrix.Remedy(data).sentence(torch, opset, route, runtime));
    }
    return sentences;
}"""


def test_the_smallest_remedy_is_that_of_the_module(visit: Callable[..., Any], advised: Path, mixed: Results) -> None:
    chosen = random.Random(8).sample(sorted(mixed.cells), 500)
    asked = [
        (mixed.cells[name], runtime)
        for name in chosen
        for runtime in ("", *sorted(mixed.runtimes_of(mixed.cells[name])))
        if "+" not in runtime
    ]
    cells = [[cell["case"], cell["torch"], cell["opset"], cell["route"], runtime] for cell, runtime in asked]
    said = visit("advise.html", advised).evaluate(REMEDY, cells)
    expected = [sentence(mixed, cell, runtime) for cell, runtime in asked]
    assert said == expected
    assert len(set(said)) > 20


def test_a_question_is_answered_with_route_reason_script_price_and_flow(visit: Callable[..., Any]) -> None:
    page = visit(f"advise.html#?torch=1.8.0&opset=11&case={CASE}")
    page.wait_for_selector("#recommended")
    assert page.locator("#recommended").inner_text().startswith("Take the route contrib")
    text = page.locator("#advice").inner_text()
    assert "Native is unsupported-op; contrib is right: exported at opset 11" in text
    assert 'with onnxgrid.exporting("contrib"):' in text
    assert "opset_version=11," in text
    assert "ms to export" in text
    taken = page.locator(".flow .taken b").all_inner_texts()
    assert taken == ["➜ no", "➜ no", "➜ contrib", "➜ yes", "➜ yes"]
    assert page.locator(".flow .step").count() == 6
    assert "opset 16 and PyTorch 1.12.1" in text


def test_the_answer_follows_the_form_the_url_and_the_language(visit: Callable[..., Any]) -> None:
    page = visit("advise.html")
    page.wait_for_selector("#recommended")
    page.get_by_label("My PyTorch").select_option("2.9.1")
    page.get_by_label("My opset").select_option("18")
    page.wait_for_function("document.querySelector('.answer-card .asked').textContent.includes('2.9.1 · opset 18')")
    assert page.locator("#recommended").inner_text().startswith("Take the route native")
    assert "torch=2.9.1&opset=18" in page.url
    page.get_by_role("button", name="中文").click()
    page.wait_for_function("document.querySelector('#recommended').textContent.startsWith('走 native 路线')")
    assert "PyTorch 自带导出器即可得到正确的文件" in page.locator("#advice").inner_text()
    page.get_by_role("button", name="重置").click()
    page.wait_for_function("document.querySelector('.answer-card .asked').textContent.includes('1.8.0 · opset 11')")


def test_where_nothing_is_right_the_page_says_so_and_shows_the_nearest(visit: Callable[..., Any]) -> None:
    page = visit(f"advise.html#?torch=1.8.0&opset=25&case={CASE}")
    page.wait_for_selector("#recommended")
    assert page.locator("#recommended").inner_text() == "No recommendation"
    assert "contrib is right at opset 13" in page.locator(".answer-card").inner_text()
    assert page.locator("#advice pre").count() == 1, "no script, only the command"


def test_the_question_can_be_asked_by_keyboard_and_the_phone_shows_the_answer(visit: Callable[..., Any]) -> None:
    page = visit("advise.html", viewport=PHONE)
    page.wait_for_selector("#recommended")
    page.get_by_label("My opset").focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_function("document.querySelector('.answer-card .asked').textContent.includes('opset 12')")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_a_red_cell_says_what_was_measured_to_help_and_leads_to_the_advice(visit: Callable[..., Any]) -> None:
    page = visit(f"case/{CASE}.html#torch-1.8.0/opset-11/native")
    page.wait_for_selector("#panel .remedy")
    assert page.locator("#panel .remedy").first.inner_text() == "What was measured to help: use the shim route"
    page.get_by_role("link", name="Which route here, why, and the script").click()
    page.wait_for_selector("#recommended")
    assert page.locator(".answer-card .asked").inner_text() == f"{CASE} · PyTorch 1.8.0 · opset 11"


def test_without_a_script_the_flow_and_the_command_are_there(chromium: Any, site: Path) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site.as_uri()}/advise.html")
    text = page.locator("#advice").inner_text()
    context.close()
    assert "Is the operator in ONNX at opset N?" in text
    assert "python -m matrix advise --torch 1.8.0 --opset 11 grid_sample" in text
