"""What the zygote does before it forks: lazy imports and one-time work that every child would otherwise repeat.

Exporters import lazily (up to three seconds), and the first onnxruntime session of a process costs twenty times a
later one. With one OpenMP thread the process still has a single thread afterwards, so forking is safe; that is
asserted, not assumed.
"""

from __future__ import annotations

import contextlib
import io
import os
from typing import Any, Dict, Iterable, List

import numpy
import onnx
import onnxruntime  # noqa: F401 - imported here so that children find it
import torch

from matrix.probe import sharing
from matrix.probe.cell import open_session
from matrix.probe.export import has_dynamo
from matrix.probe.routes import DYNAMO, ROUTES


def up(cells: Iterable[Dict[str, Any]], share: bool) -> None:
    """Export, check and run something small by every exporter and at every opset that the cells name."""
    torch.set_num_threads(1)
    opsets = sorted({cell["opset"] for cell in cells})
    exporters = {ROUTES[cell["route"]].exporter for cell in cells}
    if any(ROUTES[cell["route"]].helper for cell in cells):
        from onnxgrid import exporting, grid_sample, inline  # noqa: F401 - what is public is imported when asked for
    if DYNAMO in exporters and share:
        sharing.share_registries()
    with _silent():
        data = b""
        for opset in opsets:
            data = _torchscript(opset) or data
        if DYNAMO in exporters:
            _dynamo(opsets, share)
        if data:
            onnx.checker.check_model(onnx.load_model_from_string(data))
            open_session(data).run(None, {"x": numpy.zeros(2, dtype="float32")})
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        raise SystemExit("the probe has {} threads; forking would not be safe".format(threads))


def facts() -> Dict[str, Any]:
    """What the environment says about its PyTorch."""
    exporters = ["torchscript"] + (["dynamo"] if has_dynamo() else [])
    return {"torch": torch.__version__, "cuda": torch.version.cuda, "exporters": exporters}


def _torchscript(opset: int) -> bytes:
    stream = io.BytesIO()
    choice: Dict[str, Any] = {"dynamo": False} if has_dynamo() else {}
    try:
        torch.onnx.export(torch.nn.ReLU(), (torch.zeros(2),), stream, opset_version=opset, input_names=["x"], **choice)
    except Exception:  # noqa: BLE001 - an opset that this release does not know is a verdict of its cells
        return b""
    return stream.getvalue()


def _dynamo(opsets: List[int], share: bool) -> None:
    module, arguments = torch.nn.ReLU(), (torch.zeros(2),)
    context: Any = sharing.shared_capture() if share else contextlib.nullcontext()
    with context:
        for opset in opsets:
            try:
                torch.onnx.export(module, arguments, dynamo=True, opset_version=opset, verbose=False)
            except Exception:  # noqa: BLE001, S112 - as above
                continue


@contextlib.contextmanager
def _silent() -> Any:
    saved = [os.dup(fd) for fd in (1, 2)]
    null = os.open(os.devnull, os.O_WRONLY)
    try:
        for fd in (1, 2):
            os.dup2(null, fd)
        yield
    finally:
        for fd, copy in zip((1, 2), saved):
            os.dup2(copy, fd)
            os.close(copy)
        os.close(null)
