"""A real browser on a rendered dashboard.

Drives the Chromium that the system has (Debian: ``apt-get install chromium``); nothing is downloaded. Without it, or
without the ``browser`` dependency group, these tests are skipped, unless MATRIX_REQUIRE_BROWSER=1 makes that a failure.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from matrix.report import dashboard
from tests.report import synthetic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
CASE = "grid_sample-bilinear-zeros-4d"
DESKTOP, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.browser)


def _missing(reason: str) -> NoReturn:
    if os.environ.get("MATRIX_REQUIRE_BROWSER") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A running browser."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        _missing("no Chromium on PATH (Debian: apt-get install chromium)")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("the package playwright is not installed (dependency group: browser)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe() -> Any:
    """The accessibility rules of axe-core."""
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        _missing("the package axe-playwright-python is not installed (dependency group: browser)")
    return Axe()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All releases and core cases, and one case whose name and messages are hostile."""
    folder = tmp_path_factory.mktemp("site")
    results = synthetic.results()
    evil = "<img src=x onerror=document.title='owned'>"
    record = synthetic.cell("1.8.0", 11, "native", CASE)
    record |= {"case": evil, "cell": f"torch-1.8.0/opset-11/native/{evil}", "output": evil}
    record["error"] = {"type": evil, "message": f"</script><script>document.title='owned'</script>{evil}"}
    results.add(record, "local")
    before = synthetic.results(runs=False, local=False)
    for name in list(before.cells)[::97]:
        before.cells[name]["verdict"] = "pass"
    dashboard.render(results, folder, known=synthetic.known(), before=before)
    return folder


@pytest.fixture(scope="session")
def small_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four releases and two cases: every kind of page and of square, for checks that look at each element."""
    folder = tmp_path_factory.mktemp("small")
    releases, cases = ("1.8.0", "1.12.1", "2.0.1", "2.9.1"), (CASE, "spatial_transformer-2d")
    results, before = (synthetic.results(releases, cases) for _ in range(2))
    for name in list(before.cells)[::17]:
        before.cells[name]["verdict"] = "pass"
    known = replace(synthetic.known(releases, cases), stale=frozenset(list(results.cells)[:5]))
    dashboard.render(results, folder, known=known, before=before)
    return folder


@pytest.fixture
def visit(chromium: Any, site: Path) -> Iterator[Callable[..., Any]]:
    """Open a page of the dashboard from the file system; a message on the console or an error fails the test."""
    contexts, problems = [], []

    def visit(address: str, site: Path = site, **options: Any) -> Any:
        context = chromium.new_context(**{"viewport": DESKTOP, "locale": "en-US"} | options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: problems.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("requestfailed", lambda request: problems.append(f"failed: {request.url}"))
        page.goto(f"{site.as_uri()}/{address}")
        return page

    yield visit
    for context in contexts:
        context.close()
    assert problems == []
