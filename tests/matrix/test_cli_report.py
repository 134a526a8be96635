"""python -m matrix report: every form comes out of the same results."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from matrix.cli import main
from tests.matrix.test_results import ENVIRONMENT, cell, write

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_markdown_junit_and_badge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, ENVIRONMENT, cell(11), cell(12, "mismatch"))
    assert main(["report", "--from", str(tmp_path)]) == 0
    assert "1.8.0" in capsys.readouterr().out
    output = tmp_path / "junit.xml"
    assert main(["report", "--from", str(tmp_path), "--format", "junit", "--output", str(output)]) == 0
    assert len(ET.parse(output).findall(".//failure")) == 1
    assert main(["report", "--from", str(tmp_path), "--format", "badge"]) == 0
    assert capsys.readouterr().out.startswith("<svg")
