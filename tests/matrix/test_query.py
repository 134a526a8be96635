"""Queries: what they mean, that they equal flags, and what is said about mistakes."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matrix import query
from matrix.cli import main
from matrix.cli.results import chosen
from matrix.errors import MatrixError, UnknownNameError, UsageError
from matrix.results import Writer
from matrix.selection import Selection
from matrix.verdicts import STAGES, VERDICTS
from tests.report import synthetic

if TYPE_CHECKING:
    from pathlib import Path

RESULTS = synthetic.results(("1.8.0", "2.5.1", "2.9.1", "2.10.0"), runs=False, local=False)


def found(text: str) -> set[str]:
    return {record["cell"] for record in chosen(RESULTS, Selection(), [text])}


def where(**parts: Any) -> set[str]:
    return {c["cell"] for c in RESULTS.cells.values() if all(c[name] == value for name, value in parts.items())}  # type: ignore[literal-required]


def test_the_query_of_the_manual_finds_what_drifted() -> None:
    drifted = found("torch>=2.5 and route==dynamo and emitted!=opset")
    assert drifted
    for name in drifted:
        assert RESULTS.cells[name]["route"] == "dynamo"
        assert RESULTS.cells[name]["emitted_opset"] != RESULTS.cells[name]["opset"]


def test_releases_compare_as_versions_and_not_as_text() -> None:
    assert {name.split("/")[0] for name in found("torch>2.5.1")} == {"torch-2.9.1", "torch-2.10.0"}
    assert found("torch==2.5.*") == where(torch="2.5.1")
    assert found("torch==2.1") == set(), "2.10.0 is another release"


@pytest.mark.parametrize(
    ("text", "selection"),
    [
        ("torch==1.8.0 and opset==11 and route==shim", {"torch": ("1.8.0",), "opsets": ("11",), "routes": ("shim",)}),
        ("route==native and 11<=opset<=13", {"routes": ("native",), "opsets": ("11-13",)}),
        (
            "case==grid_sample-* and torch==2.* and (route==shim or route==dynamo)",
            {"cases": ("grid_sample-*",), "torch": ("2.*",), "routes": ("shim", "dynamo")},
        ),
        ("cell==torch-1.8.0/opset-11/shim/*", {"cells": ("torch-1.8.0/opset-11/shim/*",)}),
    ],
)
def test_a_query_finds_what_equal_flags_find(text: str, selection: dict[str, Any]) -> None:
    by_flags = {record["cell"] for record in chosen(RESULTS, Selection(**selection), [])}
    assert by_flags
    assert found(text) == by_flags


def test_and_binds_stronger_than_or_and_not_stronger_than_and() -> None:
    eleven, shim, native = where(opset=11), where(route="shim"), where(route="native")
    assert found("opset==11 and route==shim or route==native") == (eleven & shim) | native
    assert found("opset==11 and (route==shim or route==native)") == eleven & (shim | native)
    assert found("opset==11 and not route==shim") == eleven - shim


def test_what_a_record_does_not_have_is_in_no_comparison() -> None:
    refused = {name for name, record in RESULTS.cells.items() if "emitted_opset" not in record}
    assert refused
    assert not refused & found("emitted!=opset")
    assert not refused & found("emitted<100")
    assert found("emitted==none") == refused
    assert found("emitted!=none") == set(RESULTS.cells) - refused


def test_a_value_may_stand_first_and_may_be_quoted() -> None:
    assert found("11 <= opset and 'shim' == route") == found('opset>=11 and route=="shim"')


def test_every_verdict_and_stage_can_be_asked_for() -> None:
    for name in (*VERDICTS, *STAGES):
        assert name not in query.FIELDS
    assert found("verdict==error") == where(verdict="error")
    assert found("stage==export") == where(stage="export")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rout==dynamo", "Perhaps you meant route"),
        ("route==dynmo", "Perhaps you meant dynamo"),
        ("verdict==passs", "Perhaps you meant pass"),
        ("case==grid_sample-biliner-zeros-4d", "Perhaps you meant grid_sample-bilinear-zeros-4d"),
        ("torch>=two", "no PyTorch version"),
        ("opset==eleven", "opset is a number"),
        ("opset<=verdict", "one is a number"),
        ("(opset==11", "is no query"),
        ("opset=11", "not understood"),
        ("opset", "compared with nothing"),
        ("opset==11 and", "is no query"),
        ("__import__('os').system('true')==1", "is no query|not understood|comparison has|compared"),
        ("(lambda: 1)()==1", "is no query|not understood|comparison has|compared"),
    ],
)
def test_a_mistake_is_answered(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        query.parse(text)


@given(st.text(alphabet="torchpset10.*=<>!() andorit'\"-/", max_size=40))
def test_no_text_does_anything_but_test_rows_or_say_what_is_wrong(text: str) -> None:
    try:
        test = query.parse(text)
    except MatrixError:
        return
    assert test(query.row(next(iter(RESULTS.cells.values())))) in (True, False)


def test_an_id_is_no_query_and_a_query_is_no_id() -> None:
    assert not any(query.is_query(name) for name in RESULTS.cells)
    assert not query.is_query("torch-1.8.0/opset-11/*")
    assert query.is_query("opset==11")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, environment in RESULTS.environments.items():
        cells = [record for record in RESULTS.cells.values() if f"torch-{record['torch']}" == name]
        with Writer(tmp_path / f"{name}.jsonl") as writer:
            writer.append([environment, *cells])
    return tmp_path


def test_table_json_and_csv_hold_the_same_cells(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "opset==11 and route==shim"
    assert main(["results", text, "--from", str(folder)]) == 0
    table = {line.split()[0] for line in capsys.readouterr().out.splitlines()}
    assert main(["results", text, "--from", str(folder), "--json"]) == 0
    lines = {json.loads(line)["cell"] for line in capsys.readouterr().out.splitlines()}
    assert main(["results", text, "--from", str(folder), "--csv"]) == 0
    rows = {row["cell"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    assert table == lines == rows == found(text)


def test_ids_flags_and_queries_together_narrow_down(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["torch-1.8.0/opset-11/*", "verdict==pass", "--route", "shim", "--from", str(folder)]
    assert main(["results", *words]) == 0
    names = {line.split()[0] for line in capsys.readouterr().out.splitlines()}
    assert names == where(torch="1.8.0", opset=11, route="shim", verdict="pass")


def test_a_mistyped_field_ends_the_command_with_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["results", "rout==dynamo"]) == UnknownNameError.exit_code
    assert "Perhaps you meant route" in capsys.readouterr().err
