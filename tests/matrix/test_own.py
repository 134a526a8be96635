"""Files of the user's own cases: read on the host, never executed there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from matrix import catalog as catalogs
from matrix import own
from matrix.catalog import ROOT
from matrix.cells import Cell
from matrix.cli import main
from matrix.environment import Source
from matrix.errors import CaseFileError
from matrix.fingerprint import Fingerprints
from matrix.options import parse
from matrix.plan import make_plan

if TYPE_CHECKING:
    from pathlib import Path

CATALOG = catalogs.load()
EXAMPLE = ROOT / "docs" / "examples" / "my_cases.py"


pytestmark = pytest.mark.usefixtures("only_built_in_cases")


def file(folder: Path, text: str) -> Path:
    path = folder / "my_cases.py"
    path.write_text("raise SystemExit('executed on the host')\n" + text, encoding="utf-8")
    return path


def declared(folder: Path, arguments: str, name: str = "model") -> Any:
    (found,) = own.declare([file(folder, f"@case({arguments})\ndef {name}():\n    return None\n")])
    return found


def test_the_example_is_planned_by_the_routes_that_apply() -> None:
    selection = parse(["--cases", str(EXAMPLE), "--torch", "2.15.0", "--opset", "16"]).selection
    (task,) = make_plan(CATALOG, selection)
    by_case: dict[str, list[str]] = {}
    for cell in task.cells:
        by_case.setdefault(cell.case, []).append(cell.route)
    assert by_case == {
        "own-unfold": ["native", "dynamo"],
        "own-nearest-point": ["native", "dynamo"],
        "own-warp": ["native", "dynamo", "shim", "contrib", "custom"],
    }


def test_cases_of_a_file_stand_beside_the_built_in_ones_when_both_are_named() -> None:
    selection = parse(["--cases", str(EXAMPLE), "--case", "own-*,affine_grid-2d", "--torch", "1.8.0"]).selection
    (task,) = make_plan(CATALOG, selection)
    assert {cell.case for cell in task.cells} == {"own-unfold", "own-nearest-point", "own-warp", "affine_grid-2d"}


def test_what_stands_in_the_file_is_what_the_case_says(tmp_path: Path) -> None:
    case = declared(
        tmp_path,
        'name="roi-align", dynamic_axes={"x": {0: "n"}, "boxes": {0: "k"}}, outputs=("out",), atol=1e-3, '
        'operators=["grid_sample"], rank=5, requirements=["torchvision>=0.9"], inputs=whatever()',
    )
    assert (case.id, case.input_names, case.outputs, case.atol) == ("own-roi-align", ("x", "boxes"), ("out",), 1e-3)
    assert (case.operators, case.rank, case.arguments["requirements"]) == (("grid_sample",), 5, ("torchvision>=0.9",))
    assert Cell.parse(f"torch-1.8.0/opset-11/native/{case.id}").case == case.id


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("def f(:\n", r"my_cases.py:2: "),
        ("x = 1\n", "declares no case"),
        ("@case(dynamic_axes=axes)\ndef f(): ...\n", r"my_cases.py:2: dynamic_axes must stand there as it is"),
        ("@case(inputs=[])\ndef f(): ...\n", r"my_cases.py:3: f does not name its inputs"),
        ("@case(dynamic_axes={}, name='<img onerror=alert(1)>')\ndef f(): ...\n", "is no name for a case"),
        ("@case(dynamic_axes={}, name='../../etc')\ndef f(): ...\n", "is no name for a case"),
        ("@case(dynamic_axes={}, requirements=['not a requirement'])\ndef f(): ...\n", "is no requirement"),
        ("@case(dynamic_axes={})\ndef f(): ...\n" * 2, "declared twice"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(CaseFileError, match=complaint):
        own.declare([file(tmp_path, text)])


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--cases", str(tmp_path / "none.py")]) == CaseFileError.exit_code
    assert "No such file" in capsys.readouterr().err


def test_a_changed_file_is_measured_again(tmp_path: Path) -> None:
    prints = Fingerprints(CATALOG, CATALOG.release("1.8.0"), Source())
    found = set()
    for comment in ("one", "one", "two"):
        case = declared(tmp_path, f'dynamic_axes={{"x": {{}}}}, name="model", rtol=1e-3)  # {comment}\n@other(')
        found.add(prints.of(Cell(torch="1.8.0", opset=11, route="native", case=case.id)))
    assert len(found) == 2


def test_cases_with_requirements_have_an_environment_of_their_own(tmp_path: Path) -> None:
    declared(tmp_path, 'dynamic_axes={"x": {}}, requirements=["einops"]', "needy")
    cells = [Cell(torch="1.8.0", opset=11, route="native", case=case) for case in ("own-needy", "rotate-90")]
    groups = own.by_requirements(cells)
    assert {needs: [cell.case for cell in group] for needs, group in groups.items()} == {
        (): ["rotate-90"],
        ("einops",): ["own-needy"],
    }
    subject = own.Extended(CATALOG.release("1.8.0"), ("einops",))
    assert subject.name.startswith("torch-1.8.0-with-")
    requirements = own.ExtendedCatalog(CATALOG).requirements_of(subject)
    assert "torch==1.8.0" in requirements
    assert requirements[-1] == "einops"
