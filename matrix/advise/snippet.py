"""A script that exports by the recommended route and compares with eager PyTorch: runs as it is printed.

The model in it is the source of the class that was measured, so that the script shows what the verdict is about.
"""

from __future__ import annotations

import ast
import functools
import re
from typing import TYPE_CHECKING

from matrix.catalog import ROOT
from matrix.probe.cases import CASES, Case
from matrix.probe.routes import DYNAMO, ROUTES, Route

if TYPE_CHECKING:
    from collections.abc import Mapping

_MODULES = ROOT / "matrix" / "probe" / "modules.py"

#: Expressions for the model's inputs, in their order, by ``Case.inputs``; 4-D and 5-D where both exist.
_IMAGE = {4: "torch.randn(2, 3, 16, 24)", 5: "torch.randn(2, 3, 4, 8, 12)"}
_GRID = {4: "torch.rand(2, 10, 12, 2) * 2.4 - 1.2", 5: "torch.rand(2, 3, 6, 8, 3) * 2.4 - 1.2"}
_THETA = {
    4: "torch.eye(2, 3) + 0.2 * torch.randn(2, 2, 3)",
    5: "torch.eye(3, 4) + 0.2 * torch.randn(2, 3, 4)",
}


def snippet(route_name: str, case_id: str, opset: int, *, two_exporters: bool) -> str | None:
    """The script; None for a case or a route that is not the project's own.

    ``two_exporters`` tells that the release has both and must be told which (``dynamo``, from PyTorch 2.5 on).
    """
    case, route = CASES.get(case_id), ROUTES.get(route_name)
    if case is None or route is None:
        return None
    source, names = _class(case.module)
    inputs = _inputs(case)
    typing = sorted(name for name in names if name in ("Any", "Dict", "List", "Optional", "Tuple"))
    parts = [
        *([f"from typing import {', '.join(typing)}", ""] if typing else []),
        *(["import onnxgrid"] if route.helper else []),
        "import onnxruntime",
        "import torch",
        "from torch import nn",
        *(["from torch.nn import functional as F"] if "F" in names else []),
        *["", ""],
        source,
        *["", ""],
        f"model = {case.module}({_call(case.arguments)}).eval()",
        f"arguments = ({', '.join(inputs)}{',' if len(inputs) == 1 else ''})",
        *_export(case, route, opset, two_exporters),
        "",
        'session = onnxruntime.InferenceSession("model.onnx", providers=["CPUExecutionProvider"])',
        f"feeds = {{name: tensor.numpy() for name, tensor in zip({_names(case.input_names)}, arguments)}}",
        "with torch.no_grad():",
        "    expected = model(*arguments)",
        "expected = expected if isinstance(expected, tuple) else (expected,)",
        "for got, want in zip(session.run(None, feeds), expected):",
        '    print("largest difference from eager PyTorch:", abs(got - want.numpy()).max())',
    ]
    return "\n".join(parts) + "\n"


def _call(arguments: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={_quoted(value)}" for name, value in arguments.items())


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _inputs(case: Case) -> list[str]:
    rank = case.rank
    image, grid, theta = _IMAGE[rank], _GRID.get(rank, ""), _THETA.get(rank, "")
    return {
        "image_and_grid": [image, grid],
        "theta_and_image": [theta, image],
        "angle_and_image": ["torch.randn(2)", image],
        "image": [image],
        "image_and_flow": [image, "torch.randn(2, 2, 16, 24)"],
        "attention": [
            "torch.randn(2, 40, 2, 4)",
            "torch.rand(2, 5, 2, 2, 4, 2)",
            "torch.rand(2, 5, 2, 2, 4)",
        ],
    }[case.inputs]


def _export(case: Case, route: Route, opset: int, two_exporters: bool) -> list[str]:
    common = [
        f"opset_version={opset},",
        f"input_names={_names(case.input_names)},",
        f"output_names={_names(case.outputs)},",
    ]
    if route.exporter == DYNAMO:
        sizes = sorted({name for input_ in case.input_names for name in case.dynamic_axes[input_].values()})
        lines = [f'{name} = torch.export.Dim("{name}")' for name in sizes]
        shapes = "".join(
            "{" + ", ".join(f"{axis}: {name}" for axis, name in case.dynamic_axes[input_].items()) + "}, "
            for input_ in case.input_names
        )
        call = ["program = torch.onnx.export(", "    model,", "    arguments,", "    dynamo=True,"]
        call += [f"    {line}" for line in common]
        call += [f"    dynamic_shapes=({shapes.strip()}),", ")", 'program.save("model.onnx")']
    else:
        lines = []
        call = ["torch.onnx.export(", "    model,", "    arguments,", '    "model.onnx",']
        call += [f"    {line}" for line in common]
        call += ["    dynamic_axes={"]
        call += [f'        "{name}": {_axes(axes)},' for name, axes in case.dynamic_axes.items()]
        call += ["    },", *(["    dynamo=False,"] if two_exporters else []), ")"]
    if route.helper:
        call = [f'with onnxgrid.exporting("{route.helper}"):', *(f"    {line}" for line in call)]
    return ["", *lines, *([""] if lines else []), *call]


def _names(names: tuple[str, ...]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def _axes(axes: Mapping[int, str]) -> str:
    return "{" + ", ".join(f'{axis}: "{name}"' for axis, name in axes.items()) + "}"


@functools.cache
def _class(name: str) -> tuple[str, frozenset[str]]:
    """Source of a class of the measured modules, and the names that it uses."""
    text = _MODULES.read_text(encoding="utf-8")
    node = next(node for node in ast.parse(text).body if isinstance(node, ast.ClassDef) and node.name == name)
    source = ast.get_source_segment(text, node) or ""
    used = frozenset(inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))
    return re.sub(r"[ \t]*# noqa.*", "", source), used
