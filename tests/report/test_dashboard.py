"""The dashboard as a reader without JavaScript meets it."""

from __future__ import annotations

import gzip
import random
import re
from typing import TYPE_CHECKING

import pytest

from matrix.report import dashboard
from matrix.report.known import Known
from matrix.results import Results
from tests.report import pages, synthetic

if TYPE_CHECKING:
    from pathlib import Path

CASE = "grid_sample-bilinear-zeros-4d"


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_square_names_the_best_route_and_every_routes_verdict(site: Path) -> None:
    square = pages.squares(site / f"case/{CASE}.html")["1.8.0", "11"]
    assert square.all("b")[0].text == "✓ contrib"
    verdicts = {
        part.all("em")[0].text.split()[0]: part.attributes["data-q"]
        for part in square.all("span")
        if "r" in part.classes
    }
    assert verdicts == {"native": "unsupported-op", "contrib": "pass", "shim": "pass", "custom": "pass"}


def test_a_square_without_a_working_route_says_why(site: Path) -> None:
    square = pages.squares(site / f"case/{CASE}.html")["1.8.0", "20"]
    assert square.all("b")[0].text == "∅ no opset"
    assert "unsupported-opset" in square.text


def test_what_works_by_a_substitute_looks_different_from_what_pytorch_exports(site: Path) -> None:
    squares = pages.squares(site / f"case/{CASE}.html")
    assert "substitute" in squares["1.12.1", "15"].classes
    assert "good" in squares["1.12.1", "16"].classes


def test_the_overview_gives_the_widest_route_and_the_preferred_one(site: Path) -> None:
    square = pages.squares(site / "index.html")[CASE, "1.12.1"]
    assert "✓ contrib" in square.text
    assert [small.text for small in square.all("small")] == ["7–16", "native 16"]


def test_measured_here_not_run_not_applicable_and_unavailable_look_different(tmp_path: Path) -> None:
    results = Results()
    results.add(synthetic.cell("2.0.1", 11, "shim", CASE), "local")
    results.add(synthetic.cell("2.0.1", 12, "shim", CASE), "reference")
    synthetic._environment(results, "1.8.0")
    results.environments["torch-1.8.0"]["verdict"] = "unavailable"
    known = Known(
        releases=("1.8.0", "2.0.1", "2.9.1"),
        opsets=(11, 12),
        routes=("native", "shim"),
        cases={CASE: "", "rotate-90": ""},
        routes_of_case={"rotate-90": ()},
        stale={f"torch-2.0.1/opset-11/shim/{CASE}"},
    )
    dashboard.render(results, tmp_path, known=known)
    squares = pages.squares(tmp_path / f"case/{CASE}.html")
    looks = {
        "here and stale": squares["2.0.1", "11"],
        "not run": squares["2.9.1", "11"],
        "unavailable": squares["1.8.0", "11"],
        "not applicable": pages.squares(tmp_path / "case/rotate-90.html")["2.0.1", "11"],
    }
    classes = {name: frozenset(square.classes) for name, square in looks.items()}
    words = {name: square.all("b")[0].text for name, square in looks.items()}
    assert len(set(classes.values())) == len(set(words.values())) == 4
    assert {"here", "stale"} <= classes["here and stale"]
    assert "measured here; out of date" in squares["2.0.1", "11"].text


def test_every_known_square_is_there_even_when_nothing_was_measured(tmp_path: Path) -> None:
    dashboard.render(Results(), tmp_path, known=synthetic.known())
    squares = pages.squares(tmp_path / f"case/{CASE}.html")
    assert set(squares) == {(release, str(opset)) for release in synthetic.RELEASES for opset in synthetic.OPSETS}
    assert {square.all("b")[0].text for square in squares.values()} == {"· not run"}


def test_a_release_or_case_that_is_not_known_is_shown_in_its_place(tmp_path: Path) -> None:
    results = Results()
    for release, case in (("1.8.1", CASE), ("1.8.0", "my-model")):
        results.add(synthetic.cell(release, 11, "shim", case), "local")
    known = synthetic.known(("1.8.0", "1.9.1", "1.10.2"), (CASE,))
    dashboard.render(results, tmp_path, known=known)
    overview = pages.squares(tmp_path / "index.html")
    assert list(dict.fromkeys(column for _, column in overview)) == ["1.8.0", "1.8.1", "1.9.1", "1.10.2"]
    assert "✓ shim" in overview["my-model", "1.8.0"].text


def test_every_link_leads_to_a_file_and_an_anchor_that_exist(site: Path) -> None:
    trees = {path: pages.read(path) for path in site.rglob("*.html")}
    anchors = {path: {e.attributes.get("id") for e in _everything(tree)} for path, tree in trees.items()}
    for path, tree in trees.items():
        for element in _everything(tree):
            target = element.attributes.get("href") or element.attributes.get("src")
            if target is None or target.startswith("data:"):
                continue
            file, _, anchor = target.partition("#")
            reached = (path.parent / file).resolve() if file else path
            assert reached.is_file(), f"{path.name}: {target}"
            assert not anchor or anchor in anchors[reached], f"{path.name}: {target}"


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for name, content in _files(site).items():
        addresses = set(re.findall(rb"https?://[^\s\"')]+", content)) - {b"http://www.w3.org/2000/svg"}
        assert not addresses, f"{name}: {addresses}"


def test_every_table_has_a_caption_or_label_and_every_head_a_scope(site: Path) -> None:
    for path in site.rglob("*.html"):
        for table in pages.read(path).all("table"):
            assert table.all("caption") or "errors" in path.read_text()
            assert all(head.attributes.get("scope") in {"row", "col"} for head in table.all("th"))


def test_failures_are_readable_without_scripts(site: Path) -> None:
    text = pages.read(site / f"case/{CASE}.html").text
    assert "'aten::grid_sampler' to opset 7 is not supported." in text
    assert "1.8.0: 7–13" in text
    assert "nox -s matrix -- --cell torch-1.8.0/opset-7/native/grid_sample-bilinear-zeros-4d --again" in text


def test_the_order_of_the_results_does_not_matter(results: Results, site: Path, tmp_path: Path) -> None:
    shuffled = Results(
        environments=dict(reversed(results.environments.items())),
        cells=dict(random.Random(1).sample(list(results.cells.items()), len(results.cells))),
        builds=dict(reversed(results.builds.items())),
        runs={digest: dict(reversed(runs.items())) for digest, runs in reversed(results.runs.items())},
        machines=dict(reversed(results.machines.items())),
        origin=dict(reversed(results.origin.items())),
    )
    known = synthetic.known(("1.8.0", "1.12.1", "2.0.1", "2.9.1"), tuple(dashboard_cases(site)))
    dashboard.render(shuffled, tmp_path, known=known)
    assert _files(tmp_path) == _files(site)


def test_rendering_again_rewrites_nothing(site: Path, results: Results) -> None:
    before = {path: path.stat().st_mtime_ns for path in site.rglob("*")}
    known = synthetic.known(("1.8.0", "1.12.1", "2.0.1", "2.9.1"), tuple(dashboard_cases(site)))
    dashboard.render(results, site, known=known)
    assert {path: path.stat().st_mtime_ns for path in site.rglob("*") if path.is_file()} == {
        path: time for path, time in before.items() if path.is_file()
    }


def test_what_an_earlier_rendering_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    dashboard.render(Results(), tmp_path, known=synthetic.known(cases=(CASE, "rotate-90")))
    (tmp_path / "case/mine.html").write_text("mine")
    dashboard.render(Results(), tmp_path, known=synthetic.known(cases=(CASE,)))
    assert sorted(path.name for path in (tmp_path / "case").iterdir()) == [f"{CASE}.html", "mine.html"]


def test_the_first_view_is_light(tmp_path: Path) -> None:
    dashboard.render(synthetic.results(), tmp_path, known=synthetic.known())
    loaded = ["assets/dashboard.css", "assets/dashboard.js", "assets/strings.js", "data/verdicts.js"]
    for page in ("index.html", f"case/{CASE}.html", "torch/1.8.0.html"):
        weight = sum(len(gzip.compress((tmp_path / name).read_bytes())) for name in [page, *loaded])
        assert weight < 100_000, page
    assert len(gzip.compress((tmp_path / f"data/{CASE}.js").read_bytes())) < 200_000


@pytest.mark.parametrize("place", ["case", "message", "label", "output"])
def test_nothing_from_the_results_becomes_markup(place: str, tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'--><!--"
    results = Results()
    synthetic._environment(results, "1.8.0")
    record = synthetic.cell("1.8.0", 11, "native", CASE)
    if place == "case":
        record |= {"case": evil, "cell": f"torch-1.8.0/opset-11/native/{evil}"}
    elif place == "message":
        record["error"] = {"type": evil, "message": evil, "hint": evil}
    elif place == "label":
        results.machines[record["machine"]] = evil
        results.environments["torch-1.8.0"]["machine"] = synthetic.machine(label=evil)
    else:
        record |= {"output": evil, "attributes": {evil: evil}, "off_spec": [evil]}
    results.add(record, "local")
    dashboard.render(results, tmp_path, known=synthetic.known(("1.8.0",), (CASE,)))
    for path in tmp_path.rglob("*"):
        if path.suffix in {".html", ".js"} and path.name not in {"dashboard.js", "strings.js"}:
            text = path.read_text()
            assert "<img" not in text, path.name
            assert "<script>alert" not in text, path.name
            if path.suffix == ".html":
                pages.read(path)


def _everything(element: pages.Element) -> list[pages.Element]:
    return [element, *(below for child in element.children for below in _everything(child))]


def dashboard_cases(site: Path) -> list[str]:
    """The cases of a rendering, in its order."""
    return [name for name, *_ in pages.data(site / "data/verdicts.js")["cases"]]
