"""What an exception means: verdict, type, first line, and a hint where one is known.

Classification looks at the exception's type and at the exporter's own fixed phrases; every rule names the releases in
which the phrase was seen.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional, Tuple

MESSAGE_LIMIT = 400
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class NotApplicableError(Exception):
    """The release has no such way out."""


class UnavailableError(Exception):
    """Something that the route needs is not installed: never counted against PyTorch."""


_UNSUPPORTED_OPSET = (
    re.compile(r"Unsupported ONNX opset version"),  # 1.8 - 2.14, ValueError
    re.compile(r"Unsupported onnx_opset_version"),  # 2.15, RuntimeError
    re.compile(r"opset_version.*(is not supported|must be)"),  # dynamo
)
_UNSUPPORTED_OP = (
    re.compile(r"Exporting the operator '?(?P<op>[\w:.]+)'? to ONNX opset version \d+ is not supported"),  # 1.8 - 2.15
    re.compile(r"No ONNX function found for (?P<op>[^\s.]+(?:\.[\w]+)*)"),  # dynamo, 2.5 and later
    re.compile(r"Unsupported: ONNX export of operator (?P<op>[\w ]+)"),  # torch.onnx.symbolic_helper, 1.8 - 1.13
    re.compile(r"ONNX export of operator (?P<op>[\w ]+)"),
    re.compile(r"ONNX export failed on (?P<op>[\w:]+), which is not implemented for opset"),  # 1.8 - 2.15
)

_HINTS: List[Tuple["re.Pattern[str]", str]] = [
    (re.compile(r"added in version (\d+)|support.*opset version (\d+)"), "needs opset {0}"),
    (re.compile(r"at\(\) was not in|_Map_base::at"), "pass autograd_inlining=False (PyTorch 2.1 and later)"),
    (re.compile(r"5D volumetric"), "5-D sampling needs opset 20"),
    (re.compile(r"THC/THC\.h"), "the THC headers are gone since PyTorch 1.11"),
    (re.compile(r"Unsupported model IR version: (\d+)"), "the runtime is older than IR version {0}"),
    (
        re.compile(r"domain_version:? ?(\d+)|[Oo]pset (\d+) is under development"),
        "the runtime does not know opset {0} yet",
    ),
]


def text_of(error: BaseException) -> str:
    """``str(error)``, also for exceptions whose ``str()`` raises."""
    try:
        return str(error)
    except BaseException as inner:  # noqa: BLE001
        return "<no message: str() raised {}>".format(type(inner).__name__)


def first_line(text: str) -> str:
    """Without the colours that dynamo's messages have since 2.5."""
    lines = [line.strip() for line in _COLOUR.sub("", text).splitlines() if line.strip()]
    line = lines[0] if lines else ""
    return line if len(line) <= MESSAGE_LIMIT else line[: MESSAGE_LIMIT - 1] + "…"


def chain(error: BaseException) -> List[BaseException]:
    """The error and what it was raised from, outermost first."""
    found: List[BaseException] = []
    current: Optional[BaseException] = error
    while current is not None and current not in found:
        found.append(current)
        current = current.__cause__ or current.__context__
    return found


def hint_of(text: str) -> Optional[str]:
    for pattern, hint in _HINTS:
        match = pattern.search(text)
        if match:
            groups = [group for group in match.groups() if group]
            return hint.format(*groups) if groups or "{" not in hint else None
    return None


def describe(error: BaseException) -> Dict[str, Any]:
    """The ``error`` object of a record."""
    errors = chain(error)
    texts = [text_of(item) for item in errors]
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else kind.__module__ + "." + kind.__qualname__
    record = {"type": name, "message": first_line(texts[0])}
    if error.__cause__ is not None:  # dynamo's own message says at which step, its cause says why
        record["cause"] = "{}: {}".format(type(errors[-1]).__name__, first_line(texts[-1]))
    hint = next((found for found in map(hint_of, texts) if found), None)
    if hint:
        record["hint"] = hint
    return record


def export_verdict(error: BaseException) -> str:
    """unsupported-opset, unsupported-op or error; unavailable and not-applicable where the probe itself says so."""
    if isinstance(error, UnavailableError):
        return "unavailable"
    if isinstance(error, NotApplicableError):
        return "not-applicable"
    for item in chain(error):
        text = text_of(item)
        if any(pattern.search(text) for pattern in _UNSUPPORTED_OPSET):
            return "unsupported-opset"
        if any(pattern.search(text) for pattern in _UNSUPPORTED_OP):
            return "unsupported-op"
    return "error"
