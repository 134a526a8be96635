"""Case files of the user's own, as the host sees them: read, never executed.

Names and requirements are taken from the file's text, since executing it takes the environment's PyTorch and packages;
see ``matrix.probe.own`` for what stands in such a file.
"""

from __future__ import annotations

import ast
import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packaging.requirements import InvalidRequirement, Requirement

from matrix import locks
from matrix.errors import CaseFileError
from matrix.probe.cases import CASES, Case

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from matrix.catalog import Catalog, Release
    from matrix.cells import Cell

PREFIX, GROUP = "own-", "own"
_NAME = re.compile(r"[a-z0-9_]+(?:-[a-z0-9_]+)*")


def declare(paths: Iterable[Path]) -> list[Case]:
    """Make the cases of the files known to this process, like the built-in ones.

    Raises CaseFileError with file and line for what cannot be read, or is no name or requirement.
    """
    found: dict[str, Case] = {}
    for path in paths:
        for case in _cases_in(path):
            if case.id in found:
                raise CaseFileError(f"{path}: the case {case.id} is declared twice.", "Give one of them another name.")
            found[case.id] = case
    CASES.update(found)
    return list(found.values())


def digest(case: Case) -> str:
    """Of the file that declares the case; empty for a built-in one."""
    return str(case.arguments.get("source", ""))


def by_requirements(cells: Sequence[Cell]) -> dict[tuple[str, ...], list[Cell]]:
    """The cells by what their cases need beside PyTorch: those that need nothing first."""
    groups: dict[tuple[str, ...], list[Cell]] = {(): []}
    for cell in cells:
        groups.setdefault(tuple(CASES[cell.case].arguments.get("requirements", ())), []).append(cell)
    return {needs: group for needs, group in groups.items() if group}


@dataclass(frozen=True, slots=True)
class Extended:
    """A release's environment with further packages: one of its own, so that the plain one stays as locked."""

    release: Release
    requirements: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.release.name}-with-{hashlib.sha256(repr(self.requirements).encode()).hexdigest()[:8]}"

    @property
    def version(self) -> str:
        return self.release.version

    @property
    def python(self) -> str:
        return self.release.python


@dataclass(frozen=True, slots=True)
class ExtendedCatalog:
    """Requirements of extended environments: the release's lock as pins, and what the case needs."""

    catalog: Catalog

    @property
    def origin(self) -> str:
        return self.catalog.origin

    def requirements_of(self, subject: Extended) -> list[str]:
        lock = locks.read(subject.release)
        base = list(locks.pins(lock)) if lock is not None else self.catalog.requirements_of(subject.release)
        return [*base, *subject.requirements]


def _cases_in(path: Path) -> list[Case]:
    try:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text, filename=str(path))
    except OSError as error:
        raise CaseFileError(f"{path}: {error.strerror}.", "Name a Python file that declares cases.") from error
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", 0)
        raise CaseFileError(f"{path}:{line}: {error.args[0]}.", "The file must be Python 3.8 or later.") from error
    source = hashlib.sha256(text.encode()).hexdigest()[:12]
    found = [
        _case(path, function, arguments, source)
        for function in tree.body
        if isinstance(function, ast.FunctionDef)
        for arguments in map(_arguments, function.decorator_list)
        if arguments is not None
    ]
    if not found:
        raise CaseFileError(
            f"{path} declares no case.", "Decorate a function with @case(…); see docs/your-own-model.md."
        )
    return found


def _arguments(decorator: ast.expr) -> dict[str, ast.expr] | None:
    """Keyword arguments of ``@case(…)`` or ``@own.case(…)``; None for another decorator."""
    if not isinstance(decorator, ast.Call):
        return None
    called = decorator.func
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    return {item.arg: item.value for item in decorator.keywords if item.arg} if name == "case" else None


def _case(path: Path, function: ast.FunctionDef, arguments: Mapping[str, ast.expr], source: str) -> Case:
    def literal(name: str, default: Any) -> Any:
        if name not in arguments:
            return default
        try:
            return ast.literal_eval(arguments[name])
        except ValueError:
            raise CaseFileError(
                f"{path}:{arguments[name].lineno}: {name} must stand there as it is.",
                "The file is read before it can be executed: write a literal, not an expression.",
            ) from None

    name = literal("name", function.name)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise CaseFileError(
            f"{path}:{function.lineno}: {name!r} is no name for a case.",
            "Use lower-case letters, digits, _ and -, such as my-roi_align.",
        )
    requirements = tuple(literal("requirements", ()))
    for requirement in requirements:
        try:
            Requirement(requirement)
        except (InvalidRequirement, TypeError) as error:
            raise CaseFileError(
                f"{path}:{function.lineno}: {requirement!r} is no requirement: {error}.", "Write torchvision>=0.9."
            ) from error
    outputs = tuple(literal("outputs", ("output",)))
    axes = literal("dynamic_axes", None)
    if not isinstance(axes, dict):
        raise CaseFileError(
            f"{path}:{function.lineno}: {name} does not name its inputs.", 'Write dynamic_axes={"x": {0: "n"}}.'
        )
    return Case(
        id=PREFIX + name,
        group=GROUP,
        operators=tuple(literal("operators", ())),
        rank=int(literal("rank", 4)),
        module=GROUP,
        arguments={"source": source, "requirements": requirements},
        inputs=GROUP,
        dynamic_axes={**axes, **{output: axes.get(output, {}) for output in outputs}},
        outputs=outputs,
        atol=float(literal("atol", 1e-5)),
        rtol=float(literal("rtol", 1e-5)),
    )
