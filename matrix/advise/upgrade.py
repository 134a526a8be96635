"""The smallest step (PyTorch, opset, runtime) at which the native route was measured to be right."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from matrix.advise.question import Question, runtime_key
from matrix.advise.standing import Standing, runtimes_known, standing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matrix.report.known import Known
    from matrix.results import Results

#: From the smallest trouble to the greatest: a number in a call, a package at the place of use, all of PyTorch.
AXES = ("opset", "runtime", "torch")
ROUTE = "native"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgrade:
    """``changes`` names the axes that move. ``unmeasured`` counts nearer places that nobody measured."""

    torch: str
    opset: int
    runtime: str
    changes: tuple[str, ...]
    cell: str
    verdict: str
    unmeasured: int


def upgrades(results: Results, question: Question, known: Known, runtimes: Sequence[str]) -> list[Upgrade]:
    """One per set of axes, smallest first; a set is left out when a part of it is enough."""
    nearest: dict[tuple[str, ...], tuple[Question, Standing]] = {}
    for place, names in _places(results, question, runtimes):
        found = standing(results, place, ROUTE, names)
        changes = _changes(question, place)
        if found.usable and changes:
            best = nearest.get(changes)
            if best is None or _distance(question, place) < _distance(question, best[0]):
                nearest[changes] = place, found
    enough = [
        (changes, *nearest[changes]) for changes in nearest if not any(set(part) < set(changes) for part in nearest)
    ]
    enough.sort(key=lambda one: (len(one[0]), [AXES.index(axis) for axis in one[0]]))
    return [
        Upgrade(
            torch=place.torch,
            opset=place.opset,
            runtime=found.runtime,
            changes=changes,
            cell=found.cell,
            verdict=found.verdict,
            unmeasured=_unmeasured(results, question, place, known),
        )
        for changes, place, found in enough
    ]


def _places(results: Results, question: Question, runtimes: Sequence[str]) -> Iterator[tuple[Question, Sequence[str]]]:
    """Measured native cells of the case at this PyTorch or later, in this runtime and in later ones of its family."""
    later: list[str] = []
    if question.runtime:
        family, version, _ = runtime_key(runtimes[0] if runtimes else question.runtime)
        later = [name for name in runtimes_known(results) if runtime_key(name)[0] == family]
        later = sorted((name for name in later if runtime_key(name)[1] > version), key=runtime_key)
    for record in results.cells.values():
        if record["case"] != question.case or record["route"] != ROUTE:
            continue
        if version_of(record["torch"]) < version_of(question.torch):
            continue
        place = replace(question, torch=record["torch"], opset=record["opset"])
        yield place, runtimes
        for name in later:
            yield replace(place, runtime=name), [name]


def version_of(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:
        return Version("0")


def _changes(question: Question, place: Question) -> tuple[str, ...]:
    return tuple(axis for axis in AXES if getattr(question, axis) != getattr(place, axis))


def _distance(question: Question, place: Question) -> tuple[Version, int, bool, tuple[str, tuple[int, ...], str]]:
    """PyTorch weighs most; of opsets the nearest, upwards rather than downwards."""
    step = place.opset - question.opset
    return version_of(place.torch), abs(step), step < 0, runtime_key(place.runtime)


def _unmeasured(results: Results, question: Question, place: Question, known: Known) -> int:
    """Native cells between here and there that have no result."""
    low, high = sorted((question.opset, place.opset))
    releases = [
        name for name in known.releases if version_of(question.torch) <= version_of(name) <= version_of(place.torch)
    ]
    opsets = [opset for opset in known.opsets if low <= opset <= high]
    return sum(
        f"torch-{torch}/opset-{opset}/{ROUTE}/{question.case}" not in results.cells
        for torch in releases
        for opset in opsets
    )
