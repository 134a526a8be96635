"""Work that the dynamo exporter repeats for every opset, done once per case or once per process.

Capturing a module (by up to four strategies in turn, of which draft export alone can take ten seconds), decomposing the
graph with type promotion, and listing the translations of torchlib do not depend on the requested opset, or only by an
argument that is part of the key below. Within one child process, which measures one case by one route, their results
are remembered. What is exported is the same to the last byte; ``--isolate`` measures without sharing, and a test
compares the two.

All of it is private to PyTorch, with names that have not changed from 2.5 to 2.15; where one is missing nothing is
shared.
"""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Callable, Dict, Iterator, Tuple


@contextlib.contextmanager
def shared_capture() -> Iterator[None]:
    """Inside, captures and decompositions of the same module with the same arguments are done once."""
    try:
        from torch.onnx._internal.exporter import _core
        from torch.onnx._internal.exporter._capture_strategies import CaptureStrategy

        capture = CaptureStrategy.__call__
        prepare = _core._prepare_exported_program_for_export  # noqa: SLF001
    except (ImportError, AttributeError):
        yield
        return
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

    @functools.wraps(capture)
    def shared_strategy(self: Any, model: Any, args: Any, kwargs: Any, dynamic_shapes: Any) -> Any:
        """Also of failures, which a strategy returns instead of raising them."""
        key = ("capture", type(self), id(model), tuple(map(id, args)), repr(kwargs), repr(dynamic_shapes))
        return once(key, (model, args), lambda: capture(self, model, args, kwargs, dynamic_shapes))

    @functools.wraps(prepare)
    def shared_preparation(program: Any, *, registry: Any) -> Any:
        """What is decomposed depends on which operators have a translation, not on the translations."""
        key = ("prepare", id(program), frozenset(registry.functions))
        return once(key, program, lambda: prepare(program, registry=registry))

    with (
        _patched(CaptureStrategy, "__call__", shared_strategy),
        _patched(_core, "_prepare_exported_program_for_export", shared_preparation),
    ):
        yield


def share_registries() -> None:
    """From now on, this process and its children fill the exporter's registry of translations once per opset.

    Copies are handed out, since ``custom_translation_table`` registers into them. Listing torchlib, most of the work of
    filling one, is done once for all opsets.
    """
    try:
        from torch.onnx._internal._lazy_import import onnxscript_apis
        from torch.onnx._internal.exporter._registration import ONNXRegistry

        built = functools.lru_cache(maxsize=None)(ONNXRegistry.from_torchlib)
        onnxscript_apis.get_torchlib_ops = functools.lru_cache(maxsize=None)(onnxscript_apis.get_torchlib_ops)
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
