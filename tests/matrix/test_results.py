"""Results files survive interruption, and are read with care."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from matrix import results as stored
from matrix.errors import DiskFullError, NewerSchemaError, ResultsError
from matrix.results import Writer

MACHINE = {"id": "m", "label": "a machine", "system": "Linux", "cpu": "c", "cores": 2}
ENVIRONMENT = {
    "kind": "environment", "schema": 1, "environment": "torch-1.8.0", "torch": "1.8.0", "verdict": "pass",
    "measured_at": "2026-01-01T00:00:00Z", "machine": MACHINE,
}  # fmt: skip


def cell(opset: int = 11, verdict: str = "pass", **fields: Any) -> dict[str, Any]:
    return {
        "kind": "cell", "cell": f"torch-1.8.0/opset-{opset}/shim/affine_grid-2d", "torch": "1.8.0", "opset": opset,
        "route": "shim", "case": "affine_grid-2d", "verdict": verdict, "stage": "compare", "fingerprint": "f",
        "measured_at": "2026-01-01T00:00:00Z", "machine": "m", **fields,
    }  # fmt: skip


def write(folder: Path, *lines: dict[str, Any]) -> Path:
    path = folder / "torch-1.8.0.jsonl"
    with Writer(path) as writer:
        writer.append(lines)
    return path


def test_a_later_line_replaces_an_earlier_one(tmp_path: Path) -> None:
    write(tmp_path, ENVIRONMENT, cell(verdict="error"))
    write(tmp_path, cell(verdict="pass"))
    assert [record["verdict"] for record in stored.load(tmp_path).cells.values()] == ["pass"]


def test_a_local_run_lies_over_the_reference_run_and_says_so(tmp_path: Path) -> None:
    reference, local = tmp_path / "reference", tmp_path / "local"
    write(reference, ENVIRONMENT, cell(11), cell(12))
    write(local, cell(12, "mismatch"))
    results = stored.load(reference, local)
    assert {record["opset"]: record["verdict"] for record in results.cells.values()} == {11: "pass", 12: "mismatch"}
    assert results.origin[cell(11)["cell"]] == "reference"
    assert results.origin[cell(12)["cell"]] == "local"


def test_what_could_not_be_measured_here_does_not_hide_what_was_measured_elsewhere(tmp_path: Path) -> None:
    write(tmp_path / "reference", cell())
    write(tmp_path / "local", cell(verdict="unavailable"))
    results = stored.load(tmp_path / "reference", tmp_path / "local")
    assert results.cells[cell()["cell"]]["verdict"] == "pass"


def test_a_file_cut_at_any_byte_loses_at_most_its_last_line(tmp_path: Path) -> None:
    path = write(tmp_path, ENVIRONMENT, cell(11), cell(12))
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert len(stored.load(tmp_path).cells) == max(0, whole[:length].count(b"\n") - 1)


def test_writing_goes_on_after_a_cut(tmp_path: Path) -> None:
    path = write(tmp_path, ENVIRONMENT, cell(11), cell(12))
    os.truncate(path, path.stat().st_size - 7)
    write(tmp_path, cell(13))
    assert [record["opset"] for record in stored.load(tmp_path).cells.values()] == [11, 13]


def test_a_spoiled_line_is_named_with_file_and_number(tmp_path: Path) -> None:
    path = write(tmp_path, ENVIRONMENT, cell())
    path.write_bytes(path.read_bytes() + b"{broken}\n")
    with pytest.raises(ResultsError, match=r"torch-1\.8\.0\.jsonl, line 3: not JSON"):
        stored.load(tmp_path)


@pytest.mark.parametrize("line", [[], {"kind": "unknown"}, {}, 3])
def test_json_that_is_no_line_of_ours_is_refused(tmp_path: Path, line: Any) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps(line) + "\n")
    with pytest.raises(ResultsError, match="no line of a results file"):
        stored.load(tmp_path)


def test_a_newer_schema_is_refused_with_a_remedy(tmp_path: Path) -> None:
    write(tmp_path, {**ENVIRONMENT, "schema": 99})
    with pytest.raises(NewerSchemaError, match="Update torch-onnx-matrix"):
        stored.load(tmp_path)


def test_a_full_disk_is_one_message_and_no_half_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, ENVIRONMENT)
    before = path.read_bytes()
    writer = Writer(path)
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[: len(data) // 2]))
    with pytest.raises(DiskFullError, match="goes on where it stopped"):
        writer.append([cell()])
    assert path.read_bytes() == before


def test_every_field_is_present_in_the_complete_form() -> None:
    record = stored.complete(cell())  # type: ignore[arg-type]
    for name in (
        "cell torch opset route case verdict stage emitted_opset ir_version domains operators nodes bytes digest "
        "max_abs_error max_rel_error tolerance seconds error fingerprint measured_at machine"
    ).split():
        assert name in record


def test_further_runtimes_are_joined_by_the_digest(tmp_path: Path) -> None:
    run = {"kind": "run", "runtime": "ort-1.16.3", "digest": "d", "verdict": "unloadable"}
    write(tmp_path, cell(digest="d", runtime="ort-1.19.2"), run)
    results = stored.load(tmp_path)
    (record,) = results.cells.values()
    assert results.runtimes_of(record) == {"ort-1.19.2": "pass", "ort-1.16.3": "unloadable"}
