"""The folder that a report is written to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from matrix.report.output import MANIFEST, Folder

if TYPE_CHECKING:
    from pathlib import Path


def _written(folder: Path, *names: str) -> None:
    out = Folder(folder)
    for name in names:
        out.write(name, name)
    out.finish()


def test_files_of_an_earlier_rendering_go_when_they_are_not_written_again(tmp_path: Path) -> None:
    _written(tmp_path, "a.html", "deep/b.html")
    (tmp_path / "mine.txt").write_text("mine")
    _written(tmp_path, "a.html")
    left = sorted(path.name for path in tmp_path.rglob("*") if path.is_file())
    assert left == ["a.html", MANIFEST, "mine.txt"]


def test_a_list_of_files_that_points_outside_the_folder_removes_nothing_there(tmp_path: Path) -> None:
    victim = tmp_path / "victim.txt"
    victim.write_text("alive")
    folder = tmp_path / "site"
    _written(folder, "a.html")
    (folder / MANIFEST).write_text(json.dumps(["../victim.txt", str(victim), 7]))
    _written(folder, "a.html")
    assert victim.read_text() == "alive"


@pytest.mark.parametrize("content", ["", "[", "{}", "[[]]", "\udcff"])
def test_a_damaged_list_of_files_is_no_obstacle(content: str, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_bytes(content.encode(errors="surrogateescape"))
    _written(tmp_path, "a.html")
    assert json.loads((tmp_path / MANIFEST).read_text()) == ["a.html", MANIFEST]


def test_no_half_written_file_is_left_beside(tmp_path: Path) -> None:
    _written(tmp_path, "a.html", "b.html")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "b.html", MANIFEST]
