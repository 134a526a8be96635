"""try: one model of the user's own, for the impatient: a case file is written and measured."""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.version import Version

from matrix.catalog import ROOT
from matrix.errors import UsageError
from matrix.probe.routes import DYNAMO, ROUTES
from matrix.results import load

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matrix.cli.common import Commands
    from matrix.records import CellRecord

_SHAPE = re.compile(r"\d+(?:x\d+)*")
_TEMPLATE = '''"""Written by `python -m matrix try {model}`; to measure it again: `nox -s matrix -- --cases {file}`.

Of the model as it was then ({digest}): a changed one is another case file.
"""

import sys

sys.path.insert(0, {folder!r})
from {module} import {factory} as _factory

from matrix.probe.own import case


@case(
    name={name!r},
    inputs=[{first}, {second}],
    dynamic_axes={axes!r},
    operators={operators!r},
    requirements={requirements!r},
)
def build():
    return _factory()
'''


def add(commands: Commands) -> None:
    parser = commands.add_parser(
        "try",
        help="measure one model: try model.py:build --input 1x3x224x224",
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("model", help="FILE.py:NAME of what makes the module: a function or a class without arguments")
    parser.add_argument("--input", action="append", required=True, metavar="SHAPE", help="1x3x224x224; once per input")
    parser.add_argument("--dynamic", default="0", metavar="AXES", help="axes that must stay dynamic, such as 0,2,3")
    parser.add_argument(
        "--operators", default="", metavar="LIST", help="of grid_sample, affine_grid, rot90: what it calls"
    )
    parser.add_argument(
        "--requirement", action="append", default=[], metavar="PACKAGE", help="to install beside PyTorch"
    )
    parser.add_argument("--torch", default="newest", metavar="LIST")
    parser.add_argument("--opset", default="11,13,16-18,20", metavar="LIST")
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "local" / "try", metavar="FOLDER")
    parser.set_defaults(run=_try)


def _try(values: argparse.Namespace) -> int:
    path = _case_file(values)
    selection = ["--cases", str(path), "--torch", values.torch, "--opset", values.opset]
    results = ["--results", str(values.results)]
    command = [sys.executable, "-m", "nox", "-s", "matrix", "--", *selection, *results, "--runtime", "none"]
    done = subprocess.run(command, cwd=ROOT, check=False, env=os.environ | {"PYTHONPATH": str(ROOT)})
    print(f"\n{path} is the case as it was measured.\n")
    table = [sys.executable, "-m", "matrix", "results", "--from", str(values.results), *selection]
    subprocess.run(table, cwd=ROOT, check=False)
    for line in recommended(load(values.results).cells.values(), f"own-{path.stem.removeprefix('try_')}"):
        print(line)
    return done.returncode


def recommended(cells: Iterable[CellRecord], case: str) -> list[str]:
    """For each release the plainest route that is right, where it is, and how to take it."""
    right: dict[str, dict[str, list[int]]] = {}
    for cell in cells:
        if cell["case"] == case:
            by_route = right.setdefault(cell["torch"], {})
            if cell["verdict"] == "pass":
                by_route.setdefault(cell["route"], []).append(cell["opset"])
    lines = []
    for torch, by_route in right.items():
        best = next((route for route in ROUTES if route in by_route), None)
        if best is None:
            lines.append(f"PyTorch {torch}: no measured route is right at any of these opsets.")
            continue
        opsets = ", ".join(map(str, sorted(by_route[best])))
        route = ROUTES[best]
        how = f'with onnxgrid.exporting("{route.helper}"): ' if route.helper else ""
        exporter = f", dynamo={route.exporter == DYNAMO}" if Version(torch) >= Version("2.5") else ""
        call = f"torch.onnx.export(model, args, 'model.onnx', opset_version={max(by_route[best])}{exporter}, …)"
        lines.append(f"PyTorch {torch}: {best}, right at opset {opsets}: {how}{call}")
    return lines


def _case_file(values: argparse.Namespace) -> Path:
    """Write the case file that the command line describes; raises UsageError for what it cannot mean."""
    file, _, factory = values.model.partition(":")
    path = Path(file).resolve()
    if path.suffix != ".py" or not path.is_file() or not factory.isidentifier() or not path.stem.isidentifier():
        raise UsageError(
            f"{values.model!r} names no model.", "Write model.py:build, a file that is there and a name in it."
        )
    shapes = [_shape(text) for text in values.input]
    try:
        dynamic = [int(axis) for axis in values.dynamic.split(",") if axis.strip()]
    except ValueError:
        raise UsageError(f"{values.dynamic!r} are no axes.", "Write --dynamic 0,2,3.") from None
    names = [f"input{number}" for number in range(len(shapes))] if len(shapes) > 1 else ["input"]
    # One size for all inputs that share an axis' number, so that what belongs together stays together.
    axes = {
        name: {axis: f"d{axis}" for axis in dynamic if axis < len(shape)}
        for name, shape in zip(names, shapes, strict=True)
    }
    second = [tuple(size + 1 if axis in dynamic else size for axis, size in enumerate(shape)) for shape in shapes]
    name = re.sub(r"[^a-z0-9_]+", "_", f"{path.stem}_{factory}".lower()).strip("_")
    target: Path = values.results / f"try_{name}.py"
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    text = _TEMPLATE.format(
        model=values.model, digest=digest, file=target.name, folder=str(path.parent),
        module=path.stem, factory=factory, name=name,
        first=tuple(shapes), second=tuple(second), axes=axes,
        operators=[word.strip() for word in values.operators.split(",") if word.strip()],
        requirements=values.requirement,
    )  # fmt: skip
    target.write_text(text, encoding="utf-8")
    return target


def _shape(text: str) -> tuple[int, ...]:
    if not _SHAPE.fullmatch(text):
        raise UsageError(f"{text!r} is no shape.", "Write --input 1x3x224x224.")
    return tuple(int(size) for size in text.split("x"))
