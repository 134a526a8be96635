"""A small language over results: ``torch>=2.5 and route==dynamo and emitted!=opset``.

Words are turned into Python string literals, Python's own parser (``ast``) does the grammar, and only comparisons,
``and``, ``or``, ``not`` and parentheses are then understood: nothing is ever evaluated as code. A word is a field where
it is the name of one, else a value. PyTorch versions compare as versions (packaging), numbers as numbers, text as
text; ``==`` and ``!=`` take wildcards. A field that a record does not have makes every comparison false, except that
``field==none`` asks for it.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from matrix.errors import UnknownNameError, UsageError
from matrix.probe.cases import CASES
from matrix.probe.routes import ROUTES
from matrix.verdicts import STAGES, VERDICTS

if TYPE_CHECKING:
    from collections.abc import Collection

    from matrix.records import CellRecord

Row = Mapping[str, Any]
Test = Callable[[Row], bool]

#: Fields by kind. No field may have the name of a verdict or stage, which stand on the other side of a comparison.
TEXT = ("cell", "route", "case", "verdict", "stage", "runtime", "digest", "machine", "origin", "measured_at", "message")
NUMBER = ("opset", "emitted", "ir", "nodes", "bytes", "difference", "export_seconds", "run_seconds")
FIELDS = ("torch", *NUMBER, *TEXT)

_SYNTAX = "Write it like: torch>=2.5 and route==dynamo and emitted!=opset"
_TOKEN = re.compile(r"\s*(?:(?P<sign>==|!=|<=|>=|[<>()])|(?P<quoted>\"[^\"]*\"|'[^']*')|(?P<word>[^\s()=!<>\"']+))")
_SIGNS: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}
_MIRROR = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def is_query(text: str) -> bool:
    """Whether the text is a query and not a pattern of cell ids (which hold neither blanks nor comparisons)."""
    return re.search(r"[\s=<>()]", text) is not None


def row(record: CellRecord, origin: str = "") -> Row:
    """The record's values by the names of FIELDS; absent ones are missing."""
    seconds, error = record.get("seconds", {}), record.get("error")
    values: dict[str, Any] = {name: record.get(name) for name in ("torch", "opset", "nodes", "bytes", *TEXT)}
    values |= {
        "emitted": record.get("emitted_opset"),
        "ir": record.get("ir_version"),
        "difference": record.get("max_abs_error"),
        "export_seconds": seconds.get("export"),
        "run_seconds": seconds.get("run"),
        "origin": origin,
        "message": error["message"] if error else None,
    }
    return values


def parse(text: str, *, cases: Collection[str] = ()) -> Test:
    """The query as a test of rows. ``cases`` are known beyond the built-in ones.

    Raises UsageError where the text is no query, UnknownNameError for a field, route, verdict, stage or case that
    does not exist.
    """
    source = _as_python(text)
    try:
        tree = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UsageError(f"{text!r} is no query.", _SYNTAX) from None
    return _test(tree, frozenset(CASES) | frozenset(cases))


def _as_python(text: str) -> str:
    """The same with every word but and, or, not as a string literal."""
    parts: list[str] = []
    position = 0
    text = text.strip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise UsageError(f"{text[position:].split()[0]!r} is not understood in {text!r}.", _SYNTAX)
        position = match.end()
        word = match["word"]
        if word in ("and", "or", "not"):
            parts.append(word)
        elif word is not None:
            parts.append(repr(word))
        elif match["quoted"] is not None:
            parts.append(repr(match["quoted"][1:-1]))
        else:
            parts.append(match["sign"])
    return " ".join(parts)


def _test(node: ast.expr, cases: frozenset[str]) -> Test:
    if isinstance(node, ast.BoolOp):
        tests = [_test(value, cases) for value in node.values]
        every = all if isinstance(node.op, ast.And) else any
        return lambda values: every(test(values) for test in tests)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = _test(node.operand, cases)
        return lambda values: not inner(values)
    if isinstance(node, ast.Compare):
        sides = [_word(side) for side in (node.left, *node.comparators)]
        signs = [_SIGNS[type(sign)] for sign in node.ops]
        steps = [_comparison(sides[i], *signs[i], sides[i + 1], cases) for i in range(len(signs))]
        return lambda values: all(step(values) for step in steps)
    if isinstance(node, ast.Constant):
        raise UsageError(f"{node.value!r} is compared with nothing.", _SYNTAX)
    raise UsageError("a query holds comparisons, and, or, not and parentheses.", _SYNTAX)


def _word(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    raise UsageError("a comparison has a field on one side and a field or value on the other.", _SYNTAX)


def _comparison(left: str, sign: str, compare: Callable[[Any, Any], Any], right: str, cases: frozenset[str]) -> Test:
    if left not in FIELDS and right in FIELDS:
        return _comparison(right, _MIRROR[sign], _by_sign(_MIRROR[sign]), left, cases)
    if left not in FIELDS:
        raise UnknownNameError("field", left, FIELDS)
    if right == "none":
        if sign not in ("==", "!="):
            raise UsageError(f"{left}{sign}none has no order.", f"Write {left}==none or {left}!=none.")
        return lambda values: compare(values.get(left) is None, True)
    if right in FIELDS:
        if (left in NUMBER) != (right in NUMBER):
            raise UsageError(f"{left} and {right} cannot be compared: one is a number.", _SYNTAX)
        return _known(left, lambda values: values.get(right) is not None and bool(compare(values[left], values[right])))
    if left == "torch":
        return _known(left, _version(sign, right))
    if left in NUMBER:
        return _known(left, _number(left, compare, right))
    return _known(left, _text(left, sign, compare, right, cases))


def _by_sign(sign: str) -> Callable[[Any, Any], Any]:
    return next(compare for text, compare in _SIGNS.values() if text == sign)


def _known(field: str, test: Test) -> Test:
    return lambda values: values.get(field) is not None and test(values)


def _version(sign: str, text: str) -> Test:
    try:
        wanted = SpecifierSet(sign + text, prereleases=True)
    except InvalidSpecifier:
        raise UsageError(f"{text!r} is no PyTorch version.", "Write torch>=2.5, torch==1.8.0 or torch==2.5.*") from None

    def test(values: Row) -> bool:
        try:
            return Version(values["torch"]) in wanted
        except InvalidVersion:
            return False

    return test


def _number(field: str, compare: Callable[[Any, Any], Any], text: str) -> Test:
    try:
        wanted = float(text)
    except ValueError:
        raise UsageError(
            f"{text!r} is neither a number nor a field.", f"{field} is a number. Fields: {', '.join(FIELDS)}."
        ) from None
    return lambda values: bool(compare(values[field], wanted))


def _text(field: str, sign: str, compare: Callable[[Any, Any], Any], text: str, cases: frozenset[str]) -> Test:
    known: dict[str, Collection[str]] = {"route": ROUTES, "verdict": VERDICTS, "stage": STAGES, "case": cases}
    names = sorted(known.get(field, ()))
    if sign not in ("==", "!="):
        return lambda values: bool(compare(values[field], text))
    if names and not any(fnmatchcase(name, text) for name in names):
        raise UnknownNameError(field, text, names)
    return lambda values: fnmatchcase(values[field], text) == (sign == "==")
