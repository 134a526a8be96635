"""Lines, selections and questions from elsewhere: whatever they hold, what comes out is our own error or nothing."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from matrix import catalog as catalogs
from matrix import query, schema
from matrix.errors import MatrixError, ResultsError
from matrix.merge import merge
from matrix.options import REFERENCE, parse
from matrix.plan import make_plan
from matrix.results import load, read_lines

if TYPE_CHECKING:
    from pathlib import Path

CATALOG = catalogs.load()
CELL = {
    "kind": "cell", "cell": "torch-1.8.0/opset-11/shim/rotate-90", "torch": "1.8.0", "opset": 11, "route": "shim",
    "case": "rotate-90", "verdict": "pass", "stage": "compare", "digest": "ab12", "seconds": {"export": 0.1},
    "fingerprint": "0" * 12, "measured_at": "2026-01-01T00:00:00Z", "machine": "m",
}  # fmt: skip

any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
few = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_every_line_of_the_reference_run_follows_the_schema() -> None:
    for path in sorted(REFERENCE.glob("*.jsonl")):
        lines = path.read_bytes().splitlines()
        for number in random.Random(6).sample(range(len(lines)), min(len(lines), 100)):
            schema.check(json.loads(lines[number]), f"{path.name}, line {number + 1}")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"verdict": "splendid"}, "no verdict is 'splendid'"),
        ({"stage": "lunch"}, "no stage is 'lunch'"),
        ({"opset": "11"}, "Expected `int`"),
        ({"opset": 12}, "is not the cell of its fields"),
        ({"cell": "torch-1.8.0/opset-11/shim/<img src=x onerror=alert(1)>"}, "is not a cell"),
        ({"digest": "../../etc/passwd"}, "is no digest"),
    ],
)
def test_a_line_that_no_run_could_have_written_is_refused(
    tmp_path: Path, changes: dict[str, Any], complaint: str
) -> None:
    source = tmp_path / "elsewhere"
    source.mkdir()
    (source / "torch-1.8.0.jsonl").write_text(json.dumps(CELL | changes) + "\n", encoding="utf-8")
    with pytest.raises(ResultsError, match=complaint) as raised:
        merge([source], tmp_path / "here")
    assert "torch-1.8.0.jsonl, line 1" in str(raised.value)
    with pytest.raises(ResultsError, match=complaint):
        load(source, check=True)


def test_only_files_named_by_a_digest_come_along_and_no_links(tmp_path: Path) -> None:
    models = tmp_path / "elsewhere" / "models"
    models.mkdir(parents=True)
    (models.parent / "torch-1.8.0.jsonl").write_text(json.dumps(CELL) + "\n", encoding="utf-8")
    (models / "ab12.onnx").write_bytes(b"model")
    (models / "run.sh").write_text("echo", encoding="utf-8")
    (models / "cd34.onnx").symlink_to("/etc/passwd")
    merge([models.parent], tmp_path / "here")
    assert [path.name for path in (tmp_path / "here" / "models").iterdir()] == ["ab12.onnx"]


@few
@given(st.lists(st.binary(max_size=60) | any_json.map(lambda value: json.dumps(value).encode()), max_size=4))
def test_a_file_of_anything_is_read_or_refused(tmp_path: Path, lines: list[bytes]) -> None:
    path = tmp_path / "torch-1.8.0.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    try:
        list(read_lines(path, check=True))
    except MatrixError:
        return


@few
@given(st.sampled_from(sorted(CELL)), any_json)
def test_a_line_with_any_value_anywhere_is_read_or_refused(tmp_path: Path, field: str, value: Any) -> None:
    path = tmp_path / "torch-1.8.0.jsonl"
    path.write_text(json.dumps(CELL | {field: value}) + "\n", encoding="utf-8")
    try:
        found = load(tmp_path, check=True)
    except MatrixError:
        return
    assert set(found.cells) <= {CELL["cell"]}


@few
@given(st.binary(min_size=1, max_size=400), st.integers(0, 400))
def test_a_file_cut_anywhere_loses_its_last_line_at_most(tmp_path: Path, noise: bytes, at: int) -> None:
    path = tmp_path / "torch-1.8.0.jsonl"
    whole = (json.dumps(CELL) + "\n").encode()
    path.write_bytes(whole + (json.dumps(CELL | {"output": noise.hex()}) + "\n").encode()[:at].rstrip(b"\n"))
    assert next(iter(read_lines(path, check=True)))["cell"] == CELL["cell"]


@few
@given(
    st.lists(
        st.sampled_from(["--torch", "--opset", "--case", "--route", "--shard", "--cell", "--timeout", "--group"])
        | st.text(st.characters(blacklist_categories=("Cs",)), max_size=12),
        max_size=5,
    )
)
def test_a_command_line_of_anything_is_a_plan_or_an_error(words: list[str]) -> None:
    try:
        make_plan(CATALOG, parse(words).selection)
    except MatrixError:
        return


@few
@given(st.text(max_size=40) | st.from_regex(r"(torch|opset|route|verdict) ?(==|!=|>=|<|in) ?['a-z0-9.]{0,8}( and )?"))
def test_a_query_of_anything_is_a_query_or_an_error(text: str) -> None:
    try:
        query.parse(text)
    except MatrixError:
        return
