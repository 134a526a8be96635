"""Exporting one case by one route: the only place that calls ``torch.onnx.export``.

The exporter is always chosen explicitly: PyTorch 2.9 changed the default of ``dynamo`` from False to True, and
releases before 2.5 do not have the argument.
"""

from __future__ import annotations

import contextlib
import inspect
import io
from typing import Any, Dict, Optional, Tuple

import torch

from matrix.probe import peers
from matrix.probe.cases import Case
from matrix.probe.failures import NotApplicableError
from matrix.probe.routes import DYNAMO, Route

_PARAMETERS = frozenset(inspect.signature(torch.onnx.export).parameters)


def has_dynamo() -> bool:
    return "dynamo" in _PARAMETERS


def export(case: Case, route: Route, opset: int, module: Any, arguments: Tuple[Any, ...]) -> bytes:
    """The file's bytes; raises whatever the exporter raises."""
    with _helper(route):
        if route.exporter == DYNAMO:
            return _dynamo(case, opset, module, arguments)
        return _torchscript(case, opset, module, arguments, route.export_type)


def _helper(route: Route) -> Any:
    """The context in which the operators leave PyTorch by the route."""
    if route.name == "mmcv":
        return peers.mmcv()
    if route.helper is None:
        return contextlib.nullcontext()
    import onnxgrid

    return onnxgrid.exporting(route.helper)


def _torchscript(
    case: Case, opset: int, module: Any, arguments: Tuple[Any, ...], export_type: Optional[str] = None
) -> bytes:
    stream = io.BytesIO()
    choice: Dict[str, Any] = {"dynamo": False} if has_dynamo() else {}
    if export_type is not None:
        if "operator_export_type" not in _PARAMETERS:
            raise NotApplicableError("this release's exporter has no operator_export_type")
        choice["operator_export_type"] = getattr(torch.onnx.OperatorExportTypes, export_type)
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
