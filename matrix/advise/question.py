"""What is asked: the words of the command line -> one case at one PyTorch, opset and, if named, runtime."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matrix.errors import UnknownNameError, UsageError
from matrix.probe.cases import CASES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

#: Operators that may be named instead of a case.
OPERATORS = ("grid_sample", "affine_grid", "rotate", "spatial_transformer")
MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")

_RUNTIME = re.compile(r"(?P<family>[a-z][a-z0-9_]*(?:-[a-z][a-z0-9_]*)*)(?:-(?P<version>[0-9][^\s/]*))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """``runtime`` is empty for the environment's own, else a name or the beginning of one, ``ort-1.10``."""

    torch: str
    opset: int
    case: str
    runtime: str = ""


def case_of(
    subject: str,
    *,
    mode: str = "bilinear",
    padding: str = "zeros",
    rank: int = 4,
    aligned: bool = False,
    known: Collection[str] = (),
) -> str:
    """The case's id for an operator with its arguments, or for an id itself (also one of ``known``, from results).

    Raises UnknownNameError for a name that is neither, UsageError for arguments that no case has.
    """
    name = subject.rsplit(".", 1)[-1]  # F.grid_sample, torch.nn.functional.grid_sample
    if subject in CASES or subject in known:
        return subject
    if name not in OPERATORS:
        raise UnknownNameError("operator or case", subject, [*OPERATORS, *CASES, *known])
    if rank not in (4, 5):
        raise UsageError(f"no case samples an input of rank {rank}.", "--rank is 4 (images) or 5 (volumes).")
    suffix = "-aligned" if aligned else ""
    case = {
        "grid_sample": f"grid_sample-{mode}-{padding}-{rank}d{suffix}",
        "affine_grid": f"affine_grid-{rank - 2}d{suffix}",
        "rotate": "rotate-90",
        "spatial_transformer": f"spatial_transformer-{rank - 2}d",
    }[name]
    if case not in CASES:
        raise UsageError(f"no case is {case!r}.", "PyTorch samples volumes (--rank 5) bilinear or nearest only.")
    return case


def runtimes_named(text: str, measured: Iterable[str], others: Iterable[str] = ()) -> list[str]:
    """The measured runtimes that the name means, newest first: ``ort-1.10`` means ort-1.10.0 and ort-1.10.1.

    Empty when that version was not measured. Raises UnknownNameError for a family of neither measured nor other ones.
    """
    known = sorted(set(measured), key=runtime_key, reverse=True)
    every = sorted({*known, *others}, key=runtime_key, reverse=True)
    match = _RUNTIME.fullmatch(text)
    if match is None or match["family"] not in {runtime_key(name)[0] for name in every}:
        raise UnknownNameError("runtime", text, every)
    same = [name for name in known if runtime_key(name)[0] == match["family"]]
    return [name for name in same if name == text or name.startswith((f"{text}.", f"{text}-"))]


def runtime_key(name: str) -> tuple[str, tuple[int, ...], str]:
    """Orders runtimes by family, then by version."""
    match = _RUNTIME.fullmatch(name)
    family, version = (match["family"], match["version"] or "") if match else (name, "")
    return family, tuple(int(number) for number in re.findall(r"\d+", version)), name
