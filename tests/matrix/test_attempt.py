"""`python -m matrix try`: a case file is written that says what the command line said."""

from __future__ import annotations

import subprocess
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from matrix import own
from matrix.cli import attempt, main
from matrix.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


pytestmark = pytest.mark.usefixtures("only_built_in_cases")


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    found: list[list[str]] = []

    def run(command: list[str], **_: Any) -> Any:
        found.append(command)
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(subprocess, "run", run)
    return found


def attempted(folder: Path, *arguments: str, factory: str = "build") -> Path:
    (folder / "model.py").write_text("def build():\n    return None\n", encoding="utf-8")
    assert main(["try", f"{folder}/model.py:{factory}", "--results", str(folder / "results"), *arguments]) == 0
    return folder / "results" / f"try_model_{factory.lower()}.py"


def test_a_factory_called_build_is_not_hidden_by_the_case_of_that_name(tmp_path: Path, commands: Any) -> None:
    path = attempted(tmp_path, "--input", "1x3x8x8")
    made: list[str] = []
    scope = {"case": lambda **_: lambda function: function, "_factory": lambda: made.append("model")}
    lines = [
        line for line in path.read_text(encoding="utf-8").splitlines() if "import" not in line and "sys." not in line
    ]
    exec("\n".join(lines), scope)
    scope["build"]()  # type: ignore[operator]
    assert made == ["model"]
    assert len(commands) == 2


def test_the_case_has_the_inputs_and_a_second_size(tmp_path: Path, commands: Any) -> None:
    path = attempted(tmp_path, "--input", "1x3x8x9", "--input", "1x5", "--dynamic", "0,2", "--operators", "grid_sample")
    (case,) = own.declare([path])
    assert case.id == "own-model_build"
    assert case.input_names == ("input0", "input1")
    assert dict(case.dynamic_axes["input0"]) == {0: "d0", 2: "d2"}
    assert case.operators == ("grid_sample",)
    assert "inputs=[((1, 3, 8, 9), (1, 5)), ((2, 3, 9, 9), (2, 5))]" in path.read_text(encoding="utf-8")


def test_a_changed_model_is_another_case_file(tmp_path: Path, commands: Any) -> None:
    first = attempted(tmp_path, "--input", "1x3").read_text(encoding="utf-8")
    (tmp_path / "model.py").write_text("def build():\n    return 1\n", encoding="utf-8")
    main(["try", f"{tmp_path}/model.py:build", "--results", str(tmp_path / "results"), "--input", "1x3"])
    assert (tmp_path / "results" / "try_model_build.py").read_text(encoding="utf-8") != first


def test_the_plainest_right_route_is_recommended() -> None:
    cells: Any = [
        {"case": "own-m", "torch": "1.8.0", "opset": 11, "route": "native", "verdict": "unsupported-op"},
        {"case": "own-m", "torch": "1.8.0", "opset": 11, "route": "shim", "verdict": "pass"},
        {"case": "own-m", "torch": "2.15.0", "opset": 18, "route": "dynamo", "verdict": "pass"},
        {"case": "own-m", "torch": "2.15.0", "opset": 16, "route": "native", "verdict": "pass"},
        {"case": "own-m", "torch": "2.0.1", "opset": 16, "route": "native", "verdict": "mismatch"},
        {"case": "own-other", "torch": "2.1.2", "opset": 16, "route": "native", "verdict": "pass"},
    ]
    old, new, none = attempt.recommended(cells, "own-m")
    assert old.startswith('PyTorch 1.8.0: shim, right at opset 11: with onnxgrid.exporting("shim"): torch.onnx.export(')
    assert "dynamo" not in old
    assert "native, right at opset 16" in new
    assert "dynamo=False" in new
    assert none == "PyTorch 2.0.1: no measured route is right at any of these opsets."


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["none.py:build", "--input", "1x3"], "names no model"),
        (["{}/model.py", "--input", "1x3"], "names no model"),
        (["{}/model.py:build", "--input", "1,3"], "is no shape"),
        (["{}/model.py:build", "--input", "1x3", "--dynamic", "x"], "are no axes"),
    ],
)
def test_what_means_nothing_is_refused(
    tmp_path: Path, arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "model.py").touch()
    given = [word.replace("{}", str(tmp_path)) for word in arguments]
    assert main(["try", *given, "--results", str(tmp_path / "results")]) == UsageError.exit_code
    assert complaint in capsys.readouterr().err
