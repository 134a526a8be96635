"""Runtimes: the environments' own and further ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matrix.report import dashboard, runtimes, table
from matrix.results import Results
from tests.report import pages, synthetic

if TYPE_CHECKING:
    from pathlib import Path

CASE = "grid_sample-bilinear-zeros-4d"


def test_every_runtime_is_counted_by_the_cells_whose_files_it_judged() -> None:
    results = synthetic.results(("1.8.0", "2.9.1"), (CASE,), local=False)
    found = {
        one.name: one for one in runtimes.runtimes(table.build(results, synthetic.known(("1.8.0", "2.9.1"), (CASE,))))
    }
    assert list(found) == ["ort-1.10.0", "ort-1.17.3", "ort-1.19.2"]
    assert found["ort-1.19.2"].judged == sum("runtime" in cell for cell in results.cells.values())
    assert not found["ort-1.19.2"].further
    assert found["ort-1.10.0"].further
    assert found["ort-1.10.0"].verdicts["unloadable"] > 0
    assert found["ort-1.10.0"].usable == found["ort-1.10.0"].verdicts["pass"]


def test_a_runtimes_page_tells_where_it_is_right_and_where_not(site: Path) -> None:
    squares = pages.squares(site / "runtime/ort-1.10.0.html")
    assert "1.8.0: 7–13" in squares[CASE, "contrib"].text
    assert squares[CASE, "native"].text == "–"
    assert "unloadable" in pages.read(site / "runtime/ort-1.10.0.html").text


def test_without_files_there_is_no_page_of_runtimes(tmp_path: Path) -> None:
    dashboard.render(Results(), tmp_path, known=synthetic.known(("1.8.0",), (CASE,)))
    assert not (tmp_path / "runtimes.html").exists()
    assert "runtimes.html" not in (tmp_path / "index.html").read_text()
