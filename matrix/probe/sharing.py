"""Work that the dynamo exporter repeats for every opset, done once per case or once per process.

Capturing a module (``torch.export.export``), decomposing it (``ExportedProgram.run_decompositions``) and filling the
registry of translations do not depend on the requested opset, or only by an argument that is part of the key below.
Within one child process, which measures one case by one route, their results are remembered. What is exported is the
same to the last byte; ``--isolate`` measures without sharing, and a test compares the two.
"""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Callable, Dict, Iterator, Tuple

import torch


@contextlib.contextmanager
def shared_capture() -> Iterator[None]:
    """Inside, captures and decompositions of the same module with the same arguments are done once."""
    remembered: Dict[Any, Tuple[Any, Any, Any]] = {}

    def once(key: Any, keep_alive: Any, call: Callable[[], Any]) -> Any:
        if key not in remembered:
            try:
                remembered[key] = (keep_alive, call(), None)
            except Exception as error:  # noqa: BLE001 - the same call fails in the same way for every opset
                remembered[key] = (keep_alive, None, error)
        _, result, failure = remembered[key]
        if failure is not None:
            raise failure
        return result

    capture = torch.export.export
    decompose = torch.export.ExportedProgram.run_decompositions

    @functools.wraps(capture)
    def shared_export(mod: Any, args: Any, kwargs: Any = None, **options: Any) -> Any:
        key = ("capture", id(mod), tuple(map(id, args)), repr(kwargs), repr(options))
        return once(key, (mod, args), lambda: capture(mod, args, kwargs, **options))

    @functools.wraps(decompose)
    def shared_decompositions(self: Any, decomp_table: Any = None, **options: Any) -> Any:
        table = None if decomp_table is None else frozenset(map(str, decomp_table))
        key = ("decompose", id(self), table, repr(options))
        return once(key, self, lambda: decompose(self, decomp_table, **options))

    with (
        _patched(torch.export, "export", shared_export),
        _patched(torch.export.ExportedProgram, "run_decompositions", shared_decompositions),
    ):
        yield


def share_registries() -> None:
    """From now on, this process and its children fill the exporter's registry of translations once per opset.

    The plain exporter only reads its registry, so one is enough.

    A private class, whose name has not changed from 2.5 to 2.15; where it is missing nothing is shared. Copies are
    handed out, since ``custom_translation_table`` registers into them.
    """
    try:
        from torch.onnx._internal.exporter._registration import ONNXRegistry

        built = functools.lru_cache(maxsize=None)(ONNXRegistry.from_torchlib)
    except (ImportError, AttributeError):
        return

    def copied(*args: Any, **options: Any) -> Any:
        registry = built(*args, **options)
        copy = ONNXRegistry.__new__(ONNXRegistry)
        copy.__dict__.update(registry.__dict__)
        copy.functions = {name: list(found) for name, found in registry.functions.items()}
        return copy

    ONNXRegistry.from_torchlib = staticmethod(copied)


@contextlib.contextmanager
def _patched(owner: Any, name: str, value: Any) -> Iterator[None]:
    original = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, original)
