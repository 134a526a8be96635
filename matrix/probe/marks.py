"""What a cell may leave behind in its process, so that the next cell starts where an undisturbed one would.

Cells of a group share a process. One that changed the process (the working folder, the locale, PyTorch's default type,
an exporter's table of symbolics) has its own verdict; the rest of its group goes on in a fresh child.
"""

from __future__ import annotations

import locale
import os
import sys
from typing import Any, Dict, List, Tuple

#: Where the TorchScript exporter keeps its symbolics: 1.8 - 1.12, 1.13 - 2.8, 2.9 and later.
_OLD_REGISTRY = "torch.onnx.symbolic_registry"
_REGISTRIES = ("torch.onnx._internal.registration", "torch.onnx._internal.torchscript_exporter.registration")


def seen() -> Dict[str, Any]:
    """The state that is compared before and after a cell; costs less than a millisecond."""
    return {
        "folder": _identity("."),
        "descriptors": [_identity(fd) for fd in range(3)],
        "streams": [id(stream) for stream in (sys.stdin, sys.stdout, sys.stderr)],
        "locale": locale.setlocale(locale.LC_ALL),
        "torch": _torch(),
        "symbolics": _symbolics(),
    }


def _identity(place: Any) -> Any:
    try:
        status = os.stat(place)  # noqa: PTH116 - also descriptors
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if status.st_nlink or place != "." else None


def _torch() -> Tuple[str, ...]:
    torch = sys.modules.get("torch")
    if torch is None:
        return ()
    empty = torch.empty(0)
    return str(empty.dtype), str(empty.device), str(torch.is_grad_enabled())


def _symbolics() -> List[Tuple[Any, ...]]:
    """Symbolics that are not the exporter's own, by operator and opset."""
    found: List[Tuple[Any, ...]] = []
    old: Dict[Any, Dict[str, Any]] = getattr(sys.modules.get(_OLD_REGISTRY), "_registry", {})
    for place, table in old.items():
        for name, function in table.items():
            if not str(getattr(function, "__module__", "")).startswith("torch."):
                found.append((str(place), name, id(function)))
    for module in _REGISTRIES:
        registry = getattr(sys.modules.get(module), "registry", None)
        for name, group in getattr(registry, "_registry", {}).items():
            overrides = getattr(getattr(group, "_functions", None), "_overrides", {})
            found += [(name, opset, id(function)) for opset, function in overrides.items()]
    return sorted(found)
