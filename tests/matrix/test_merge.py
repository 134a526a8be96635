"""Merging is a maximum: in any order, in any grouping, any number of times the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matrix import results as stored
from matrix.cli import main
from matrix.errors import MixedSchemaError, NewerSchemaError, UsageError
from matrix.merge import merge, merged
from matrix.results import Writer, read_lines

if TYPE_CHECKING:
    import random
    from pathlib import Path

Line = dict[str, Any]


def machine(name: str = "a") -> Line:
    return {"id": name, "label": name, "system": "Linux", "cpu": "c", "cores": 2}


def environment(verdict: str = "pass", at: str = "1", where: str = "a", schema: int = 1, **fields: Any) -> Line:
    return {
        "kind": "environment", "schema": schema, "environment": "torch-1.8.0", "torch": "1.8.0", "verdict": verdict,
        "measured_at": at, "machine": machine(where), **fields,
    }  # fmt: skip


def cell(verdict: str = "pass", at: str = "1", fingerprint: str = "f", opset: int = 11, **fields: Any) -> Line:
    return {
        "kind": "cell", "cell": f"torch-1.8.0/opset-{opset}/shim/affine_grid-2d", "torch": "1.8.0", "opset": opset,
        "route": "shim", "case": "affine_grid-2d", "verdict": verdict, "stage": "compare", "fingerprint": fingerprint,
        "measured_at": at, "machine": "a", **fields,
    }  # fmt: skip


def judged(digests: list[str], at: str = "1", verdict: str = "pass") -> Line:
    models = {"digest": digests[0]} if len(digests) == 1 else {"digests": digests}
    return {
        "kind": "run", "runtime": "ort-1.10.0", **models, "verdict": verdict, "stage": "compare", "fingerprint": "f",
        "measured_at": at, "machine": "a",
    }  # fmt: skip


def model(files: list[str]) -> Line:
    return {"kind": "file", "digest": "d", "files": files}


def runtime(at: str = "1", where: str = "a") -> Line:
    return {
        "kind": "runtime", "schema": 1, "runtime": "ort-1.10.0", "verdict": "pass", "measured_at": at,
        "machine": machine(where),
    }  # fmt: skip


times, verdicts = st.sampled_from("123"), st.sampled_from(["pass", "error", "unavailable"])
lines = st.lists(
    st.one_of(
        st.builds(environment, verdicts, times, st.sampled_from("ab")),
        st.builds(cell, verdicts, times, st.sampled_from("fg"), st.sampled_from([9, 11])),
        st.builds(judged, st.lists(st.sampled_from("xyz"), min_size=1, unique=True), times, verdicts),
        st.builds(model, st.lists(st.sampled_from("xyz"), min_size=1, unique=True)),
        st.builds(runtime, times, st.sampled_from("ab")),
    ),
    max_size=12,
)


@given(lines, lines, lines)
def test_grouping_does_not_matter(a: list[Line], b: list[Line], c: list[Line]) -> None:
    assert merged([*merged([*a, *b]), *c]) == merged([*a, *merged([*b, *c])]) == merged([*a, *b, *c])


@given(lines, st.randoms())
def test_order_does_not_matter(some: list[Line], chance: random.Random) -> None:
    shuffled = list(some)
    chance.shuffle(shuffled)
    assert merged(shuffled) == merged(some)


@given(lines)
def test_merging_again_changes_nothing(some: list[Line]) -> None:
    once = merged(some)
    assert merged(once) == once
    assert merged([*once, *some]) == once


@given(lines)
def test_a_reader_finds_the_newest_measurement_of_every_cell(some: list[Line]) -> None:
    known = stored.Results()
    for line in merged(some):
        known.add(line, "x")
    for name, record in known.cells.items():
        of_cell = [line for line in some if line.get("cell") == name]
        measured = [line["measured_at"] for line in of_cell if line["verdict"] != "unavailable"]
        if measured:
            assert record["verdict"] != "unavailable"
            assert record["measured_at"] == max(measured)


def test_the_newest_per_fingerprint_is_kept_and_the_newest_of_all_is_last() -> None:
    kept = merged([cell("pass", "3", "new"), cell("error", "1", "old"), cell("pass", "2", "old")])
    assert [(line["fingerprint"], line["measured_at"]) for line in kept] == [("old", "2"), ("new", "3")]


def test_what_could_not_be_measured_does_not_hide_what_was() -> None:
    known = stored.Results()
    for line in merged(
        [cell("pass", "1"), cell("unavailable", "2"), environment("pass", "1"), environment("unavailable", "2", "b")]
    ):
        known.add(line, "x")
    assert known.cells["torch-1.8.0/opset-11/shim/affine_grid-2d"]["verdict"] == "pass"
    assert known.environments["torch-1.8.0"]["verdict"] == "pass"


def test_one_model_unites_the_files_of_all_shards() -> None:
    assert merged([model(["y"]), model(["x"]), model(["z", "x"])]) == [model(["x", "y", "z"])]


def test_a_line_about_several_models_is_taken_apart() -> None:
    runs = merged([judged(["x", "y"], "1"), judged(["x"], "2", "error")])
    assert [(run["digest"], run["verdict"]) for run in runs] == [("x", "error"), ("y", "pass")]


def write(folder: Path, *written: Line, name: str = "torch-1.8.0.jsonl") -> Path:
    with Writer(folder / name) as writer:
        writer.append(written)
    return folder


def test_folders_become_one_file_by_file(tmp_path: Path) -> None:
    a = write(tmp_path / "a", environment(), cell(opset=9))
    b = write(tmp_path / "b", environment(where="b"), cell(opset=10))
    write(b, environment(), name="torch-1.9.1.jsonl")
    (a / "models").mkdir()
    (a / "models" / "d.onnx").write_bytes(b"file")
    merge([a, b], tmp_path / "ab")
    assert sorted(path.name for path in (tmp_path / "ab").iterdir()) == [
        "models",
        "torch-1.8.0.jsonl",
        "torch-1.9.1.jsonl",
    ]
    kinds = [line["kind"] for line in read_lines(tmp_path / "ab" / "torch-1.8.0.jsonl")]
    assert kinds == ["environment", "environment", "cell", "cell"]
    assert (tmp_path / "ab" / "models" / "d.onnx").read_bytes() == b"file"


def test_the_target_is_merged_too_so_that_a_second_time_changes_nothing(tmp_path: Path) -> None:
    a, b = write(tmp_path / "a", environment(), cell(opset=9)), write(tmp_path / "b", environment(), cell(opset=10))
    merge([a, b], tmp_path / "ab")
    first = (tmp_path / "ab" / "torch-1.8.0.jsonl").read_bytes()
    merge([b, a], tmp_path / "ab")
    assert (tmp_path / "ab" / "torch-1.8.0.jsonl").read_bytes() == first
    merge([b], a)
    assert (a / "torch-1.8.0.jsonl").read_bytes() == first


def test_mixed_schemas_are_refused_with_a_remedy_and_nothing_is_written(tmp_path: Path) -> None:
    a, b = write(tmp_path / "a", environment(schema=0)), write(tmp_path / "b", environment(schema=1))
    with pytest.raises(MixedSchemaError, match=r"0 \(torch-1.8.0.jsonl\), 1 .*\n.*Measure the older"):
        merge([a, b], tmp_path / "ab")
    assert not (tmp_path / "ab").exists()


def test_a_newer_schema_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NewerSchemaError):
        merge([write(tmp_path / "a", environment(schema=99))], tmp_path / "x")
    (tmp_path / "none").mkdir()
    with pytest.raises(UsageError, match="holds no results"):
        merge([tmp_path / "none"], tmp_path / "x")


def test_the_command_says_what_it_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = write(tmp_path / "a", environment(), cell(opset=9)), write(tmp_path / "b", environment(), cell(opset=10))
    assert main(["merge", str(a), str(b), "--into", str(tmp_path / "ab")]) == 0
    assert capsys.readouterr().out.startswith("3 lines in 1 files")
