"""How long a rendering takes, how much memory it needs, how heavy its pages are: ``python -m tests.report.speed``.

Prints what docs/dashboard.md states. No test: times on a shared machine are no specification.
"""

from __future__ import annotations

import argparse
import gzip
import resource
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from matrix.probe.cases import CASES
from matrix.report import dashboard
from tests.report import synthetic


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all-cases", action="store_true", help="about 100,000 cells instead of about 27,000")
    parser.add_argument("--browser", action="store_true", help="also how long a filter takes in headless Chromium")
    options = parser.parse_args()
    cases = (*CASES, *(f"invented-{number}" for number in range(14))) if options.all_cases else synthetic.CORE
    results, known = synthetic.results(cases=cases), synthetic.known(cases=cases)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    with tempfile.TemporaryDirectory() as folder:
        wall, processor = time.perf_counter(), time.process_time()
        dashboard.render(results, Path(folder), known=known)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"{len(results.cells):,} cells: {wall:.2f} s ({processor:.2f} s of processor time)")
        print(f"peak {peak} MB, of which {before} MB are the results themselves")
        shared = [f"assets/{name}" for name in ("dashboard.css", "dashboard.js", "strings.js")] + ["data/verdicts.js"]
        for page in ("index.html", f"case/{cases[0]}.html", "torch/1.8.0.html"):
            weights = [len(gzip.compress((Path(folder) / name).read_bytes())) for name in (page, *shared)]
            print(f"{page}: {sum(weights) / 1000:.0f} kB gzip with everything that it loads")
        details = (Path(folder) / f"data/{cases[0]}.js").read_bytes()
        print(f"details of one case: {len(details) / 1000:.0f} kB, {len(gzip.compress(details)) / 1000:.0f} kB gzip")
        files = [path for path in Path(folder).rglob("*") if path.is_file()]
        print(f"{len(files)} files, {sum(path.stat().st_size for path in files) / 1e6:.1f} MB")
        if options.browser:
            for name, milliseconds in filtering(Path(folder)).items():
                print(f"{name}: {statistics.median(milliseconds):.0f} ms (at most {max(milliseconds):.0f})")


#: A choice in the form, until the page is laid out again.
CHANGE = """([name, values]) => values.map((value) => {
    const field = document.querySelector(`#filters [name=${name}]`);
    const start = performance.now();
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    document.body.getBoundingClientRect();
    return performance.now() - start;
})"""


def filtering(folder: Path) -> dict[str, list[float]]:
    """Milliseconds that the overview takes to answer a filter, over all cells of the folder's dashboard."""
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import ARGUMENTS

    path = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto((folder / "index.html").as_uri())
        page.wait_for_function("document.querySelector('.overview td > a[tabindex]') !== null")
        changes = {
            "filter by opset": ["opset", [str(opset) for opset in synthetic.OPSETS]],
            "filter by release too": ["torch", list(synthetic.RELEASES)],
            "find a case": ["find", ["b", "bi", "bilinear", ""]],
        }
        found = {name: page.evaluate(CHANGE, change) for name, change in changes.items()}
        browser.close()
    return found


if __name__ == "__main__":
    main()
