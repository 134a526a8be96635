"""The pictures of docs/screenshots, from a rendered dashboard: ``python -m tests.browser.screenshots DASHBOARD``.

WebP by Chromium itself. ``--png FOLDER`` keeps PNG files beside, for programs that show no WebP.
"""

from __future__ import annotations

import argparse
import base64
import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

from matrix.catalog import ROOT
from tests.browser.conftest import ARGUMENTS, CASE

FOLDER = ROOT / "docs" / "screenshots"
LIMIT = 150_000
DESKTOP, PHONE = {"width": 1200, "height": 800}, {"width": 390, "height": 844}
ASKED = "advise.html#?torch=1.8.0&opset=11&case=grid_sample-bilinear-border-4d"
CELL = f"case/{CASE}.html#torch-1.8.0/opset-11/native"

#: Name, address, screen, colour scheme, and what has to be there first.
PICTURES = (
    ("overview", "index.html", DESKTOP, "light", ".overview"),
    ("overview-phone", "index.html#?torch=1.8.0&opset=11", PHONE, "dark", "#answer table"),
    ("advise", ASKED, DESKTOP, "light", "#recommended"),
    ("advise-phone", ASKED, PHONE, "dark", "#recommended"),
    ("cell", CELL, DESKTOP, "dark", "#panel .record"),
    ("claims", "claims.html", DESKTOP, "light", ".claims"),
    ("claims-phone", "claims.html", PHONE, "light", ".claims"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dashboard", type=Path)
    parser.add_argument("--png", type=Path)
    options = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS, timeout=120_000)
        for name, address, screen, scheme, awaited in PICTURES:
            page = browser.new_page(viewport=screen, color_scheme=scheme, locale="en-US")
            page.set_default_timeout(120_000)
            page.goto(f"{options.dashboard.resolve().as_uri()}/{address}")
            page.wait_for_selector(awaited)
            session = page.context.new_cdp_session(page)
            shot = session.send("Page.captureScreenshot", {"format": "webp", "quality": 70})
            data = base64.b64decode(shot["data"])
            if len(data) > LIMIT:
                parser.error(f"{name} has {len(data):,} bytes, more than {LIMIT:,}")
            (FOLDER / f"{name}.webp").write_bytes(data)
            if options.png:
                options.png.mkdir(exist_ok=True)
                page.screenshot(path=options.png / f"{name}.png")
            print(f"{name}: {len(data):,} bytes", flush=True)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
