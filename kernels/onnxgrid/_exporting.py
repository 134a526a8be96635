"""``with exporting(route=...)``: exports inside take the chosen route, the model unedited."""

import contextlib
import inspect
import threading

import torch

from . import _file, _session
from ._registry import installed
from ._session import ROUTES, Session
from ._spec import DEFAULT_DOMAIN, DOMAIN_VERSION

_patch_lock = threading.RLock()
_export_lock = threading.RLock()
_routes = threading.local()
_patched = []


@contextlib.contextmanager
def exporting(route="auto", *, domain=DEFAULT_DOMAIN):
    """Inside, ``torch.onnx.export`` takes ``route`` for grid_sample, affine_grid and rot90.

    The operators are caught in the traced graph, so calls in third-party code and in scripted
    modules are caught too.  Outside, also after an exception, in other threads, and between
    exports, everything is as before.

    Routes: ``shim`` writes standard operators that every opset has; ``contrib`` writes
    ``com.microsoft::GridSample`` for 4-D sampling and the shim for the rest; ``custom`` writes
    ``GridSample``, ``AffineGrid`` and ``Rotate`` of ``domain`` with function bodies of standard
    operators; ``fused`` is ``custom`` with ``AffineGridSample`` where an affine grid feeds a
    sampling; ``auto`` leaves to PyTorch what it exports by itself and right, and shims the rest.

    Raises ValueError for an unknown route or a domain that is not a dotted name.
    """
    if route not in ROUTES:
        raise ValueError("unknown route {!r}: choose one of {}".format(route, ", ".join(ROUTES)))
    if domain in ("", "ai.onnx", "com.microsoft") or not domain.replace(".", "_").isidentifier():
        raise ValueError(
            "domain {!r} cannot hold custom operators: give a dotted name such as {!r}".format(
                domain, DEFAULT_DOMAIN
            )
        )
    stack = _routes.__dict__.setdefault("stack", [])
    stack.append((route, domain))
    _patch()
    try:
        yield
    finally:
        _unpatch()
        stack.pop()


def _patch():
    with _patch_lock:
        if not _patched:
            original = torch.onnx.export
            _patched.append([original, 0])
            torch.onnx.export = _wrapper(original)
        _patched[0][1] += 1


def _unpatch():
    with _patch_lock:
        _patched[0][1] -= 1
        if not _patched[0][1]:
            torch.onnx.export = _patched.pop()[0]


def _wrapper(original):
    signature = inspect.signature(original)

    def export(*args, **kwargs):
        stack = _routes.__dict__.get("stack")
        with _export_lock:
            if not stack:
                return original(*args, **kwargs)
            bound = signature.bind(*args, **kwargs)
            return _export(original, signature, bound.arguments, *stack[-1])

    export.__doc__ = original.__doc__
    export.__name__ = "export"
    export.__wrapped__ = original
    return export


def _export(original, signature, arguments, route, domain):
    parameters = signature.parameters
    dynamo = arguments.get("dynamo")
    if dynamo is None and "dynamo" in parameters:
        dynamo = parameters["dynamo"].default
    if dynamo:
        from . import _dynamo

        return _dynamo.export(original, arguments, route, domain)
    opset = arguments.get("opset_version")
    session = Session(route, domain, opset)
    opsets = dict(arguments.get("custom_opsets") or {})
    if route in ("custom", "fused"):
        opsets.setdefault(domain, DOMAIN_VERSION)
    elif route == "contrib":
        opsets.setdefault(_session.CONTRIB_DOMAIN, 1)
    if opsets:
        arguments["custom_opsets"] = opsets
    if "autograd_inlining" in parameters:
        arguments["autograd_inlining"] = False
    from ._torchscript import symbolics_for

    with installed(symbolics_for(route, opset), opset), _session.running(session):
        result = _call(original, signature, arguments)
    _file.finish(arguments["f"], session)
    return result


def _call(original, signature, arguments):
    bound = signature.bind_partial()
    bound.arguments.update(arguments)
    ordered = inspect.BoundArguments(
        signature,
        type(bound.arguments)(
            (name, arguments[name]) for name in signature.parameters if name in arguments
        ),
    )
    return original(*ordered.args, **ordered.kwargs)
