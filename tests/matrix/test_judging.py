"""Distinct files once, in each runtime, resumable; without a process."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from matrix import environment, judging, machine, native_library, probe_process, questions, runtimes
from matrix import results as stored
from matrix.errors import InstallError, MissingDependencyError
from matrix.options import Options
from matrix.progress import Progress
from matrix.results import Writer

if TYPE_CHECKING:
    from collections.abc import Iterator

CASE = "affine_grid-2d"


def cell(torch: str, route: str, digest: str, **fields: Any) -> dict[str, Any]:
    return {
        "kind": "cell", "cell": f"torch-{torch}/opset-11/{route}/{CASE}", "torch": torch, "opset": 11, "route": route,
        "case": CASE, "verdict": "pass", "stage": "compare", "fingerprint": "f", "measured_at": "", "machine": "m",
        "digest": digest, "data": f"in-{torch}", "ir_version": 6, "operators": {"Relu": 1}, **fields,
    }  # fmt: skip


CELLS = [
    cell("1.8.0", "shim", "a"),
    cell("1.9.1", "shim", "b"),  # the same model as a
    cell("1.9.1", "custom", "c", functions=["custom.ops::F"], operators={"custom.ops::F": 1}, ir_version=8),
    cell("2.15.0", "native", "d", ir_version=10),
]
MODELS = {"a": "A", "b": "A", "c": "C", "d": "D"}


class Machine:
    """Stands for environments and probes; remembers what was asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[tuple[str, list[str]]] = []
        self.sorted: list[str] = []
        self.answers: dict[tuple[str, str], dict[str, Any]] = {}

    def messages(self, python: Path, config: dict[str, Any], module: str) -> Iterator[dict[str, Any]]:
        if module.endswith("sorting"):
            names = [Path(item["path"]).stem for item in config["cells"]]
            self.sorted += names
            yield {"event": "ready"}
            for index, name in enumerate(names):
                yield {"event": "cell", "index": index, "record": {"digest": MODELS[name]}}
            yield {"event": "done"}
            return
        change = config["cells"][0]["change"] or ("library" if "library" in config["cells"][0]["options"] else "")
        names = [Path(item["model"]).stem for item in config["cells"]]
        self.asked.append((change, names))
        yield {"event": "ready", "python": "3.11", "packages": {"onnxruntime": "1.9.0"}, "version": "1.9.0"}
        for index, name in enumerate(names):
            record = self.answers.get((name, change), {"verdict": "pass", "stage": "compare", "max_abs_error": 0.0})
            yield {"event": "cell", "index": index, "record": record}
        yield {"event": "done", "seconds": {"cells": 1.0}, "peak_rss_mb": 1}

    def judge(self, name: str = "ort-1.9.0", **options: Any) -> int:
        catalog = runtimes.load()
        cells = stored.load(self.folder).cells.values()
        wish = Options(results=self.folder, keep_envs=True, **options)
        progress = Progress(name, overwrite=False, write=lambda _: None)
        return judging.judge(catalog, catalog.runtime(name), cells, wish, workers=1, progress=progress)

    def runs(self, digest: str) -> dict[str, str]:
        return {name: run["verdict"] for name, run in stored.load(self.folder).runs.get(digest, {}).items()}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    models = tmp_path / "models"
    models.mkdir()
    for record in CELLS:
        (models / f"{record['digest']}.onnx").write_bytes(b"")
        (models / f"{record['data']}.npz").write_bytes(b"")
    with Writer(tmp_path / "torch-1.8.0.jsonl") as writer:
        writer.append(CELLS)
    fake = Machine(tmp_path)
    monkeypatch.setattr(probe_process, "messages", fake.messages)
    monkeypatch.setattr(environment, "ensure", lambda *_: environment.Environment(Path("python"), 0.0))
    monkeypatch.setattr(native_library, "path", lambda: Path("library.so"))
    return fake


def test_files_that_are_one_model_are_judged_once_with_the_data_of_all(here: Machine) -> None:
    assert here.judge() == 3
    assert here.asked[0] == ("", ["a", "c", "d"])
    results = stored.load(here.folder)
    asked = questions.questions(results, results.cells.values(), here.folder / "models")
    assert next((q.digest, q.file, q.data, q.cells) for q in asked) == ("A", "a", ("in-1.8.0", "in-1.9.1"), 2)


def test_every_cell_of_a_model_gets_its_verdict(here: Machine) -> None:
    here.answers["a", ""] = {"verdict": "mismatch", "stage": "compare", "max_abs_error": 0.5}
    here.judge()
    results = stored.load(here.folder)
    for record in CELLS[:2]:
        assert results.runtimes_of(results.cells[record["cell"]]) == {"ort-1.9.0": "mismatch"}


def test_a_second_run_asks_nothing_and_again_asks_anew(here: Machine) -> None:
    here.judge()
    before, here.asked = (here.folder / "ort-1.9.0.jsonl").read_bytes(), []
    assert here.judge() == 0
    assert here.asked == []
    assert (here.folder / "ort-1.9.0.jsonl").read_bytes() == before
    assert here.judge(again=True) == 3


def test_what_was_killed_between_two_steps_goes_on_with_the_second(here: Machine) -> None:
    here.judge()
    path = here.folder / "ort-1.9.0.jsonl"
    kept = [line for line in path.read_bytes().splitlines(keepends=True) if b"+inlined" not in line]
    path.write_bytes(b"".join(kept))
    here.asked = []
    assert here.judge() == 1
    assert here.asked == [("inlined", ["c"])]
    assert here.judge() == 0


def test_a_new_release_asks_only_about_what_is_new(here: Machine) -> None:
    here.judge()
    here.asked, here.sorted = [], []
    MODELS["e"] = "E"
    (here.folder / "models" / "e.onnx").write_bytes(b"")
    with Writer(here.folder / "torch-2.0.1.jsonl") as writer:
        writer.append([cell("2.0.1", "shim", "e", data="in-1.8.0")])
    assert here.judge() == 1
    assert here.sorted == ["e"]
    assert here.asked == [("", ["e"])]


def test_functions_are_judged_as_they_are_inlined_and_by_the_library_and_named_apart(here: Machine) -> None:
    here.answers["c", ""] = {"verdict": "crash", "stage": "load"}
    here.judge()
    assert here.runs("c") == {"ort-1.9.0": "crash", "ort-1.9.0+inlined": "pass", "ort-1.9.0+onnxgrid": "pass"}


def test_without_the_library_the_rest_is_judged(here: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Path:
        raise MissingDependencyError("no compiler", "install one")

    monkeypatch.setattr(native_library, "path", missing)
    assert here.judge() == 3
    assert set(here.runs("c")) == {"ort-1.9.0", "ort-1.9.0+inlined"}


def test_a_file_refused_for_its_ir_version_is_asked_about_with_the_largest_that_is_read(here: Machine) -> None:
    message = "Unsupported model IR version: 10, max supported IR version: 9"
    here.answers["d", ""] = {
        "verdict": "unloadable", "stage": "load", "refusal": "ir", "error": {"type": "Fail", "message": message},
    }  # fmt: skip
    here.judge()
    assert here.runs("d") == {"ort-1.9.0": "unloadable", "ort-1.9.0+ir-9": "pass"}


def test_a_runtime_that_does_not_say_which_is_asked_with_the_largest_that_it_took(here: Machine) -> None:
    unknown = {
        "verdict": "unloadable", "stage": "load", "refusal": "ir",
        "error": {"type": "Fail", "message": "Unknown model file format version."},
    }  # fmt: skip
    here.answers |= {("d", ""): unknown, ("c", ""): unknown, ("c", "inlined"): unknown}
    here.judge()
    assert set(here.runs("d")) == {"ort-1.9.0", "ort-1.9.0+ir-6"}
    assert here.runs("c")["ort-1.9.0+inlined+ir-6"] == "pass"


def test_the_library_helps_a_runtime_that_is_older_than_functions(here: Machine) -> None:
    unknown = {
        "verdict": "unloadable", "stage": "load", "refusal": "ir",
        "error": {"type": "Fail", "message": "Unknown model file format version."},
    }  # fmt: skip
    here.answers |= {("d", ""): unknown, ("c", ""): unknown, ("c", "library"): unknown}
    here.judge()
    assert here.runs("c")["ort-1.9.0+onnxgrid"] == "unloadable"
    assert here.runs("c")["ort-1.9.0+ir-6+onnxgrid"] == "pass"


def test_only_onnx_runtime_is_given_the_library(here: Machine) -> None:
    here.judge("openvino-2026.4.1")
    assert set(here.runs("c")) == {"openvino-2026.4.1", "openvino-2026.4.1+inlined"}


def test_a_runtime_whose_device_is_missing_is_not_run(here: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "has_device", lambda _: False)
    here.judge("ort-gpu-1.31.1")
    assert here.asked == []
    assert here.runs("a") == {"ort-gpu-1.31.1": "not-run"}
    assert "no cuda device" in stored.load(here.folder).runtimes["ort-gpu-1.31.1"]["error"]["message"]


def test_a_runtime_that_cannot_be_installed_is_unavailable_with_its_reason(
    here: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(catalog: Any, runtime: Any, source: Any) -> environment.Environment:
        if runtime.engine == "ort":
            raise InstallError("no such wheel", "choose another")
        return environment.Environment(Path("python"), 0.0)

    monkeypatch.setattr(environment, "ensure", fail)
    assert here.judge() == 0
    head = stored.load(here.folder).runtimes["ort-1.9.0"]
    assert (head["verdict"], head["error"]["hint"]) == ("unavailable", "choose another")
    assert here.runs("a") == {}


def test_a_file_without_its_data_is_not_asked_about(here: Machine) -> None:
    (here.folder / "models" / "in-2.15.0.npz").unlink()
    assert here.judge() == 2


def test_what_was_installed_is_recorded(here: Machine) -> None:
    here.judge()
    head = stored.load(here.folder).runtimes["ort-1.9.0"]
    assert (head["version"], head["packages"]) == ("1.9.0", {"onnxruntime": "1.9.0"})
