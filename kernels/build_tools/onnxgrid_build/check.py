"""Loads what was built and compares values, in a child process: a library that crashes costs one verdict."""

from __future__ import annotations

import json
import os
import sys
from typing import Dict, Optional

from .errors import ImportFailedError
from .verdict import Verdict


def compare(device: str) -> None:
    """Forward and backward of every mode against PyTorch's own operator; raises AssertionError."""
    import torch

    torch.manual_seed(0)
    for mode in range(3):
        for padding in range(3):
            pairs = []
            x = torch.randn(2, 3, 6, 7, device=device)
            grid = torch.rand(2, 4, 9, 2, device=device) * 2.4 - 1.2
            grad = torch.randn(2, 3, 4, 9, device=device)
            for operator in (torch.ops.onnxgrid.grid_sample, torch.grid_sampler):
                a, b = x.clone().requires_grad_(), grid.clone().requires_grad_()
                y = operator(a, b, mode, padding, False)
                y.backward(grad)
                pairs.append((y.detach(), a.grad, b.grad))
            for ours, theirs in zip(*pairs):  # noqa: B905 - Python 3.8
                assert torch.allclose(ours, theirs, rtol=1e-3, atol=1e-3), f"mode {mode}, padding {padding} differ"


def try_out(library: str, cuda: Optional[str]) -> Dict[str, str]:
    """In the child: how far the library (or its CUDA half) gets."""
    import torch

    torch.set_num_threads(1)
    try:
        torch.ops.load_library(library)
        if cuda:
            torch.ops.onnxgrid.load_cuda(cuda)
            assert torch.ops.onnxgrid.has_cuda()
            if not torch.cuda.is_available():
                return {"reached": "imported"}
    except Exception as error:  # noqa: BLE001 - the message is the result
        return {"reached": "", "message": f"{type(error).__name__}: {str(error).splitlines()[0][:400]}"}
    try:
        compare("cuda" if cuda else "cpu")
    except Exception as error:  # noqa: BLE001
        return {"reached": "imported", "message": f"{type(error).__name__}: {str(error)[:400]}"}
    return {"reached": "ran"}


def load(verdict: Verdict, library: str, cuda: Optional[str] = None) -> None:
    """Advance ``verdict`` to ``imported`` or ``ran``; PyTorch is loaded already, so a fork is the cheap child."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.dup2(2, 1)
        with os.fdopen(writing, "w") as pipe:
            json.dump(try_out(library, cuda), pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    result = json.loads(text) if text and status == 0 else {"reached": "", "message": f"died with status {status}"}
    verdict.reached = result["reached"] or verdict.reached
    if "message" in result:
        raise ImportFailedError(result["message"], "the library was built for another PyTorch, or has a defect")
    verdict.verdict = "pass"
