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
            arguments = dict(signature.bind(*args, **kwargs).arguments)
            for name, parameter in signature.parameters.items():
                if parameter.kind is parameter.VAR_KEYWORD:
                    arguments.update(arguments.pop(name, {}))
            return _export(original, signature.parameters, arguments, *stack[-1])

    export.__doc__ = original.__doc__
    export.__name__ = "export"
    export.__wrapped__ = original
    return export


def _export(original, parameters, arguments, route, domain):
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
    from ._torchscript import SYMBOLICS

    with installed(SYMBOLICS, opset), _session.running(session):
        try:
            result = original(**arguments)
        except (ValueError, RuntimeError) as error:
            _explain_opset(error, opset, "dynamo" in parameters)
            raise
    _file.finish(arguments["f"], session)
    return result


def _explain_opset(error, opset, has_dynamo):
    """Say in the error for an opset that the exporter does not know what would work."""
    if "Unsupported" not in str(error) or "opset" not in str(error):
        return
    remedy = "opset {} works".format(max(_known_opsets(), default=9))
    if has_dynamo:
        remedy += ", or dynamo=True for a later one"
    error.args = (
        "{}: PyTorch {} cannot write opset {} with this exporter; {}".format(
            error, torch.__version__, opset, remedy
        ),
    )


def _known_opsets():
    """Opsets for which the TorchScript exporter has symbolic functions."""
    import importlib.util

    return [
        number
        for number in range(7, 26)
        if importlib.util.find_spec("torch.onnx.symbolic_opset{}".format(number)) is not None
    ]
