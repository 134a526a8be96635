"""Modules of ``onnxgrid`` in an environment without PyTorch, which the package itself imports."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import types
from typing import Any


def module(name: str) -> Any:
    """``onnxgrid.<name>``; only for modules that need neither PyTorch nor the rest of the package."""
    if "onnxgrid" not in sys.modules and importlib.util.find_spec("torch") is None:
        kernels = os.path.join(os.path.dirname(__file__), "..", "..", "kernels", "onnxgrid")  # noqa: PTH118, PTH120
        package = types.ModuleType("onnxgrid")
        package.__path__ = [os.path.abspath(kernels)]  # noqa: PTH100
        sys.modules["onnxgrid"] = package
    return importlib.import_module("onnxgrid." + name)
