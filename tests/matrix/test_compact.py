"""Runs of runtimes are kept compactly, and say the same."""

from pathlib import Path
from typing import Any

import pytest

from matrix import results as stored
from matrix.cli import main
from matrix.compact import compact, together
from matrix.errors import UsageError
from matrix.results import Writer


def run(digest: str, verdict: str = "pass", at: str = "1", **fields: Any) -> dict[str, Any]:
    return {
        "kind": "run", "runtime": "ort-1.9.0", "digest": digest, "verdict": verdict, "stage": "compare",
        "fingerprint": digest, "measured_at": at, "machine": "m", "seconds": {"run": 0.1}, **fields,
    }  # fmt: skip


HEAD = {
    "kind": "runtime", "schema": 1, "runtime": "ort-1.9.0", "verdict": "pass", "measured_at": "1",
    "machine": {"id": "m", "label": "l", "system": "s", "cpu": "c", "cores": 1},
}  # fmt: skip
CELL = {
    "kind": "cell", "torch": "1.8.0", "route": "shim", "case": "affine_grid-2d", "verdict": "pass", "stage": "compare",
    "fingerprint": "f", "measured_at": "1", "machine": "m",
}  # fmt: skip


def cells(count: int) -> list[dict[str, Any]]:
    return [
        {**CELL, "opset": 7 + i, "cell": f"torch-1.8.0/opset-{7 + i}/shim/affine_grid-2d", "digest": f"file{i}"}
        for i in range(count)
    ]


def test_models_with_the_same_outcome_share_a_line_and_only_the_latest_counts() -> None:
    lines = [run("a"), run("b", max_abs_error=0.2), run("a", "crash", "2"), run("c", max_abs_error=0.1)]
    assert [
        (line["digests"], line["verdict"], line.get("max_abs_error")) for line in together(lines, {"a", "b", "c"})
    ] == [
        (["a"], "crash", None),
        (["b", "c"], "pass", 0.2),
    ]


def test_wrong_numbers_of_another_size_and_other_reasons_stay_apart() -> None:
    wrong = [run("a", "mismatch", max_abs_error=0.07), run("b", "mismatch", max_abs_error=0.4)]
    refused = [run(name, "unloadable", error={"type": "E", "message": name}) for name in "cd"]
    assert len(together(wrong + refused, set("abcd"))) == 4


def test_a_compact_folder_answers_as_the_whole_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, small = tmp_path / "whole", tmp_path / "small"
    models = [{"kind": "file", "digest": f"m{i // 2}", "files": [f"file{i}"]} for i in range(6)]
    runs = [run("m0"), run("m1", "mismatch", max_abs_error=0.3), run("m2"), run("m2", runtime="ort-1.9.0+inlined")]
    for folder in (whole, small):
        with Writer(folder / "torch-1.8.0.jsonl") as writer:
            writer.append(cells(6))
    with Writer(whole / "files.jsonl") as writer:
        writer.append(models)
    with Writer(whole / "ort-1.9.0.jsonl") as writer:
        writer.append([HEAD, *runs])
    assert main(["compact", str(whole), str(small)]) == 0
    before, after = stored.load(whole), stored.load(small)
    for cell in before.cells.values():
        assert after.runtimes_of(cell) == before.runtimes_of(cell) != {}
    assert after.runtimes == before.runtimes
    assert "ort-1.9.0.jsonl: 4 lines" in capsys.readouterr().out
    again = {path.name: path.read_bytes() for path in small.iterdir()}
    compact(whole, small)
    assert {path.name: path.read_bytes() for path in small.iterdir()} == again


def test_a_folder_without_cells_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no cells"):
        compact(tmp_path, tmp_path / "empty")


def test_the_command_lists_what_was_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Writer(tmp_path / "torch-1.8.0.jsonl") as writer:
        writer.append([*cells(3), {"kind": "file", "digest": "m", "files": ["file0", "file1", "file2"]}])
        writer.append([HEAD, run("m", "mismatch", max_abs_error=0.3)])
    assert main(["runtimes", "--from", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "3 cells gave 3 files, which are 1 distinct models (3.0 cells each)" in said
    assert "0 right  1 mismatch" in said


def test_the_command_says_what_mends_a_cell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Writer(tmp_path / "torch-1.8.0.jsonl") as writer:
        writer.append([*cells(1), {"kind": "file", "digest": "m", "files": ["file0"]}])
        writer.append([HEAD, run("m", "mismatch"), run("m", runtime="ort-1.17.3")])
    assert main(["remedy", cells(1)[0]["cell"], "--runtime", "ort-1.9.0", "--from", str(tmp_path)]) == 0
    assert "ONNX Runtime 1.17" in capsys.readouterr().out


def test_cells_are_kept_with_their_latest_line_and_without_the_noise_of_refusals(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    first = {**CELL, "cell": "torch-1.8.0/opset-11/shim/affine_grid-2d", "opset": 11}
    refused = {
        **first,
        "cell": "torch-1.8.0/opset-30/shim/affine_grid-2d",
        "verdict": "unsupported-opset",
        "output": "x",
    }
    with Writer(source / "torch-1.8.0.jsonl") as writer:
        writer.append([{**first, "verdict": "error", "output": "graph"}, {**first, "digest": "d"}, refused])
    assert main(["compact", "--cells", str(source), str(target)]) == 0
    kept = stored.load(target).cells
    assert [cell["verdict"] for cell in kept.values()] == ["pass", "unsupported-opset"]
    assert not any("output" in cell for cell in kept.values())
