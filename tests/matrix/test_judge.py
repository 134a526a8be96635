"""One file in one runtime, with engines made for the purpose."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy
import pytest

from matrix.probe import data
from matrix.probe.engines import RefusedError
from matrix.probe.judge import changed, judge

if TYPE_CHECKING:
    from collections.abc import Callable


class Engine:
    """Doubles its input, unless ``behave`` does something else with (count of runs so far, input)."""

    def __init__(self, behave: Callable[[int, Any], Any] | None = None, placed: str | None = None) -> None:
        self.behave = behave or (lambda _, x: 2 * x)
        self.placed = placed
        self.runs = 0
        self.closed = False
        self.loaded = b""

    def version(self) -> str:
        return "1"

    def warm(self) -> None:
        pass

    def load(self, path: str, options: dict[str, Any]) -> Engine:
        self.loaded = Path(path).read_bytes()
        if options.get("refuse"):
            raise RuntimeError(
                f"Load model from {path} failed:Unsupported model IR version: 9, max supported IR version: 8"
            )
        return self

    def run(self, feeds: dict[str, Any]) -> list[Any]:
        self.runs += 1
        return [self.behave(self.runs, feeds["x"])]

    def placement(self) -> str | None:
        return self.placed

    def close(self) -> None:
        self.closed = True


X = [numpy.arange(3.0, dtype="float32"), numpy.arange(5.0, dtype="float32")]


@pytest.fixture
def question(tmp_path: Path) -> dict[str, Any]:
    feeds = [{"x": x} for x in X]
    names = []
    for rounding in (0.0, 1e-7):
        outputs = [(2 * x + numpy.float32(rounding),) for x in X]
        names.append(data.name_of(feeds, outputs))
        data.store(str(tmp_path), names[-1], feeds, outputs)
    (tmp_path / "m.onnx").write_bytes(b"\x08\x09rest")
    return {
        "model": str(tmp_path / "m.onnx"), "data": [str(tmp_path / f"{name}.npz") for name in names],
        "atol": 1e-5, "rtol": 1e-5, "change": "", "options": {},
    }  # fmt: skip


def judged(engine: Engine, question: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    stages: list[str] = []
    return judge(engine, question, stages.append), stages


def test_a_right_file_runs_twice_at_both_sizes(question: dict[str, Any]) -> None:
    engine = Engine()
    record, stages = judged(engine, question)
    assert (record["verdict"], record["stage"]) == ("pass", "compare")
    assert engine.runs == 4
    assert engine.closed
    assert stages == ["load", "run", "compare", "run", "compare"]
    assert 0 < record["max_abs_error"] < 1e-6, "compared with the eager results of every release"
    assert set(record["seconds"]) == {"load", "run"}


def test_another_provider_makes_it_a_pass_by_fallback(question: dict[str, Any]) -> None:
    record, _ = judged(Engine(placed="GridSample on CPUExecutionProvider"), question)
    assert (record["verdict"], record["placement"]) == ("pass-fallback", "GridSample on CPUExecutionProvider")


def test_wrong_numbers_are_a_mismatch_with_their_size(question: dict[str, Any]) -> None:
    record, _ = judged(Engine(lambda _, x: 2 * x + 0.25), question)
    assert (record["verdict"], record["max_abs_error"]) == ("mismatch", 0.25)


def test_a_second_run_that_differs_is_a_mismatch(question: dict[str, Any]) -> None:
    record, _ = judged(Engine(lambda run, x: 2 * x + (run == 2)), question)
    assert (record["verdict"], record["max_abs_error"]) == ("mismatch", 1.0)


def test_wrong_or_refused_at_the_second_size_alone_is_dynamic_lost(question: dict[str, Any]) -> None:
    wrong, _ = judged(Engine(lambda run, x: 2 * x + (run > 2)), question)
    assert (wrong["verdict"], wrong["stage"]) == ("dynamic-lost", "compare")

    def refuse(run: int, x: Any) -> Any:
        if run > 2:
            raise ValueError("Got invalid dimensions for input")
        return 2 * x

    refused, _ = judged(Engine(refuse), question)
    assert (refused["verdict"], refused["stage"]) == ("dynamic-lost", "run")
    assert refused["error"]["message"] == "Got invalid dimensions for input"


def test_another_shape_has_no_finite_error(question: dict[str, Any]) -> None:
    record, _ = judged(Engine(lambda _, x: x[:1]), question)
    assert (record["verdict"], record["max_abs_error"]) == ("mismatch", None)


def test_a_refusal_has_its_kind_and_no_path(question: dict[str, Any]) -> None:
    record, _ = judged(Engine(), {**question, "options": {"refuse": True}})
    assert (record["verdict"], record["stage"], record["refusal"]) == ("unloadable", "load", "ir")
    assert question["model"] not in record["error"]["message"]


def test_a_runtime_that_refuses_only_when_it_knows_the_shapes_refuses_all_the_same(question: dict[str, Any]) -> None:
    def refuse(run: int, x: Any) -> Any:
        raise RefusedError("Unimplemented(AffineGrid)")

    engine = Engine(refuse)
    record, _ = judged(engine, question)
    assert (record["verdict"], record["stage"], record["refusal"]) == ("unloadable", "load", "operator")
    assert engine.closed


def test_any_other_failure_of_a_run_is_an_error(question: dict[str, Any]) -> None:
    def fail(run: int, x: Any) -> Any:
        raise RuntimeError("out of luck")

    record, _ = judged(Engine(fail), question)
    assert (record["verdict"], record["stage"]) == ("error", "run")
    assert "refusal" not in record


def test_a_changed_copy_is_loaded_and_removed(
    question: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "copies"))
    (tmp_path / "copies").mkdir()
    engine = Engine()
    record, _ = judged(engine, {**question, "change": "ir-8"})
    assert record["verdict"] == "pass"
    assert engine.loaded == b"\x08\x08rest"
    assert list((tmp_path / "copies").iterdir()) == []


def test_an_unknown_change_is_refused() -> None:
    with pytest.raises(ValueError, match="no change is called 'smaller'"):
        changed(b"\x08\x08", "smaller")
