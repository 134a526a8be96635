"""Putting symbolic functions into the TorchScript exporter for the length of one export.

``torch.onnx.unregister_custom_op_symbolic`` does not exist before 1.10, and later it leaves an
empty group behind (which turns the "unsupported operator" error into a ValueError) and forgets
what a user had registered.  So the entries of the registry are swapped as a whole and put back;
the registry's dictionary is the only private name used.
"""

import functools
import importlib

import torch

OPSETS = range(7, 26)


class installed:
    """Context manager: ``symbolics`` (ATen name -> function) serve ``opset`` (None: all)."""

    def __init__(self, symbolics, opset):
        self.symbolics = symbolics
        self.opsets = OPSETS if opset is None else [opset]

    def __enter__(self):
        _load_builtin_symbolics()
        self._entries = []
        try:
            for name, function in self.symbolics.items():
                self._install(name, function)
        except BaseException:
            self.__exit__()
            raise

    def _install(self, name, function):
        table = _groups()
        if table is not None:
            self._remember(table, "aten::" + name)
            table.pop("aten::" + name, None)
            for opset in self.opsets:
                torch.onnx.register_custom_op_symbolic("aten::" + name, function, opset)
            return
        registry = importlib.import_module("torch.onnx.symbolic_registry")
        for opset in self.opsets:
            # Before 1.13 the registry is one dictionary per (domain, opset).
            table = registry._registry.setdefault(("", opset), {})
            self._remember(table, name)
            table[name] = function

    def _remember(self, table, key):
        self._entries.append((table, key, key in table, table.get(key)))

    def __exit__(self, *exc):
        for table, key, present, value in reversed(self._entries):
            if present:
                table[key] = value
            else:
                table.pop(key, None)


@functools.lru_cache(maxsize=None)
def _load_builtin_symbolics():
    """Recent releases fill the registry at the first export: too late for us to put it back."""
    for opset in OPSETS:
        try:
            importlib.import_module("torch.onnx.symbolic_opset{}".format(opset))
        except ImportError:
            continue


def _groups():
    """The registry's dictionary in 1.13 and later, else None."""
    for name in (
        "torch.onnx._internal.torchscript_exporter.registration",  # 2.9 and later
        "torch.onnx._internal.registration",
    ):
        try:
            return importlib.import_module(name).registry._registry
        except ImportError:
            continue
    return None
