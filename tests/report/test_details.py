"""The data files: what a browser reads from them is what was measured."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from matrix.report import dashboard, details, table
from matrix.verdicts import STAGES, VERDICTS
from tests.report import pages, synthetic

if TYPE_CHECKING:
    from pathlib import Path

    from matrix.results import Results

CASE = "grid_sample-bilinear-zeros-5d"


def _decoded(data: dict[str, Any], cube: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Records as the page's script puts them together."""
    records = {}
    columns, values = data["columns"], data["values"]
    for row in range(len(columns["release"])):
        record = {}
        for name, column in columns.items():
            value = values[name][column[row]] if name in values and column[row] >= 0 else column[row]
            if value is not None and (name not in values or column[row] >= 0):
                record[name] = value
        release, opset = cube["releases"][record.pop("release")], cube["opsets"][record.pop("opset")]
        route = cube["routes"][record.pop("route")]
        records[f"torch-{release}/opset-{opset}/{route}/{data['case']}"] = record
    return records


def test_every_field_of_every_cell_comes_back(site: Path, results: Results) -> None:
    decoded = _decoded(pages.data(site / f"data/{CASE}.js"), pages.data(site / "data/verdicts.js"))
    measured = {name: cell for name, cell in results.cells.items() if cell["case"] == CASE}
    assert decoded.keys() == measured.keys()
    for name, cell in measured.items():
        record = decoded[name]
        seconds = {stage: record.pop(f"seconds.{stage}") for stage in STAGES if f"seconds.{stage}" in record}
        assert seconds == cell["seconds"]
        assert record.pop("origin") == results.origin[name]
        place = {"kind", "cell", "torch", "opset", "route", "case", "seconds"}
        assert record == {field: value for field, value in cell.items() if field not in place}


def test_the_cube_holds_every_verdict_at_its_place(site: Path, results: Results) -> None:
    cube = pages.data(site / "data/verdicts.js")
    names = [verdict for verdict, *_ in cube["verdicts"]]
    assert names == [verdict.name for verdict in sorted(VERDICTS.values(), key=lambda verdict: verdict.rank)]
    for cell in results.cells.values():
        place = cube["releases"].index(cell["torch"]) * len(cube["opsets"]) + cube["opsets"].index(cell["opset"])
        code = cube["cells"][cell["case"]][place * len(cube["routes"]) + cube["routes"].index(cell["route"])]
        assert names[ord(code) - ord("a")] == cell["verdict"]


def test_further_runtimes_are_found_by_the_digest_of_the_file(site: Path, results: Results) -> None:
    data = pages.data(site / f"data/{CASE}.js")
    digest = data["values"]["digest"][0]
    rows = [data["values"]["told"][position] for position in data["values"]["runs"][0]]
    told = {name: verdict for name, verdict, *_ in rows}
    assert told == {name: run["verdict"] for name, run in results.runs.get(digest, {}).items()}


def test_a_field_that_a_newer_probe_adds_as_nested_data_is_kept() -> None:
    results = synthetic.results(("1.8.0",), (CASE,), runs=False)
    name = f"torch-1.8.0/opset-11/shim/{CASE}"
    results.cells[name]["attributes"] = {"GridSample": {"mode": ["a", {"b": None}]}}
    encoded = details.encode(table.build(results, synthetic.known(("1.8.0",), (CASE,))), CASE)
    assert {"GridSample": {"mode": ["a", {"b": None}]}} in encoded["values"]["attributes"]


def test_a_script_cannot_be_left_from_inside_its_data() -> None:
    evil = "</script><!-- \u2028 ]]>"
    text = details.script({"text": evil}, "call")
    assert "<" not in text
    assert ">" not in text
    assert text.isascii()
    assert json.loads(text[len("call(") : -3]) == {"text": evil}


def test_files_that_are_still_there_are_linked(tmp_path: Path) -> None:
    results = synthetic.results(("1.8.0",), (CASE,), runs=False)
    digests = sorted({cell["digest"] for cell in results.cells.values() if "digest" in cell})
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / f"{digests[0]}.onnx").write_bytes(b"")
    known = synthetic.known(("1.8.0",), (CASE,))
    dashboard.render(results, tmp_path / "dashboard", known=known, models=tmp_path / "models")
    values = pages.data(tmp_path / f"dashboard/data/{CASE}.js")["values"]
    assert dict(zip(values["digest"], values["kept"], strict=True)) == {
        digest: int(digest == digests[0]) for digest in digests
    }
    assert pages.data(tmp_path / "dashboard/data/verdicts.js")["models"] == "../models"
