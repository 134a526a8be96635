"""The dashboard is rendered when something has changed, and only then."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from matrix import publish
from matrix.environment import Source

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[int]:
    """Counts the renderings, by the number of cells that each had."""
    calls: list[int] = []

    def render(results: Any, folder: Path, **_: Any) -> Path:
        calls.append(len(results.cells))
        folder.mkdir(exist_ok=True)
        (folder / "index.html").write_text("page", encoding="utf-8")
        return folder / "index.html"

    monkeypatch.setattr("matrix.report.dashboard.render", render)
    monkeypatch.setattr(publish, "REFERENCE", tmp_path / "reference")
    return calls


def measured(folder: Path, opset: int) -> None:
    cell = f"torch-1.8.0/opset-{opset}/shim/rotate-90"
    line = {"kind": "cell", "cell": cell, "torch": "1.8.0", "opset": opset, "route": "shim", "case": "rotate-90",
            "verdict": "pass", "fingerprint": "0" * 12}  # fmt: skip
    folder.mkdir(exist_ok=True)
    with (folder / "torch-1.8.0.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(line) + "\n")


def test_an_unchanged_folder_is_rendered_once(rendered: list[int], tmp_path: Path) -> None:
    measured(tmp_path / "local", 11)
    pages = {publish.dashboard(tmp_path / "local") for _ in range(3)}
    assert pages == {tmp_path / "local" / "dashboard" / "index.html"}
    assert rendered == [1]


def test_every_change_is_rendered(rendered: list[int], tmp_path: Path) -> None:
    local = tmp_path / "local"
    measured(local, 11)
    publish.dashboard(local)
    measured(local, 12)
    publish.dashboard(local)
    measured(tmp_path / "reference", 13)
    publish.dashboard(local)
    publish.dashboard(local, source=Source(torch_backend="cpu"))
    (local / "dashboard" / "index.html").unlink()
    publish.dashboard(local, source=Source(torch_backend="cpu"))
    assert rendered == [1, 2, 3, 3, 3]


def test_a_comparison_is_always_rendered_and_does_not_pass_for_the_plain_page(
    rendered: list[int], tmp_path: Path
) -> None:
    local = tmp_path / "local"
    measured(local, 11)
    publish.dashboard(local)
    publish.dashboard(local, before=tmp_path / "reference")
    publish.dashboard(local, before=tmp_path / "reference")
    publish.dashboard(local)
    assert len(rendered) == 4
