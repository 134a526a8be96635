"""Exporting one case by one route: the only place that calls ``torch.onnx.export``.

The exporter is always chosen explicitly: PyTorch 2.9 changed the default of ``dynamo`` from False to True, and
releases before 2.5 do not have the argument.
"""

from __future__ import annotations

import contextlib
import inspect
import io
from typing import Any, Dict, Tuple

import torch

from matrix.probe.cases import Case
from matrix.probe.routes import DYNAMO, Route

_PARAMETERS = frozenset(inspect.signature(torch.onnx.export).parameters)


def has_dynamo() -> bool:
    return "dynamo" in _PARAMETERS


def export(case: Case, route: Route, opset: int, module: Any, arguments: Tuple[Any, ...]) -> bytes:
    """The file's bytes; raises whatever the exporter raises."""
    if route.helper is None:
        helper: Any = contextlib.nullcontext()
    else:
        import onnxgrid

        helper = onnxgrid.exporting(route.helper)
    with helper:
        if route.exporter == DYNAMO:
            return _dynamo(case, opset, module, arguments)
        return _torchscript(case, opset, module, arguments)


def _torchscript(case: Case, opset: int, module: Any, arguments: Tuple[Any, ...]) -> bytes:
    stream = io.BytesIO()
    choice: Dict[str, Any] = {"dynamo": False} if has_dynamo() else {}
    torch.onnx.export(
        module,
        arguments,
        stream,
        opset_version=opset,
        input_names=list(case.input_names),
        output_names=list(case.outputs),
        dynamic_axes={name: dict(axes) for name, axes in case.dynamic_axes.items()},
        **choice,
    )
    return stream.getvalue()


def _dynamo(case: Case, opset: int, module: Any, arguments: Tuple[Any, ...]) -> bytes:
    sizes: Dict[str, Any] = {}
    shapes = tuple(
        {axis: sizes.setdefault(name, torch.export.Dim(name)) for axis, name in case.dynamic_axes[input_].items()}
        for input_ in case.input_names
    )
    program = torch.onnx.export(
        module,
        arguments,
        dynamo=True,
        opset_version=opset,
        input_names=list(case.input_names),
        output_names=list(case.outputs),
        dynamic_shapes=shapes,
        verbose=False,
    )
    data: bytes = program.model_proto.SerializeToString()
    return data
