"""The comparison as text (Markdown that may be pasted into an issue) and as plain data."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from matrix.cells import Cell
from matrix.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from matrix.gate.compare import Comparison, Group

_TITLES = {
    "regression": "Regressions",
    "unmeasured": "Could not be measured (says nothing about PyTorch, and proves nothing)",
    "known": "Known failures",
    "new pass": "New passes",
}
_SHOWN = 5


def as_text(found: Comparison) -> str:
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Comparison) -> Iterator[str]:
    yield (
        f"{found.compared} cells measured in both runs"
        + (f"; {found.missing} of the baseline are not in this run" if found.missing else "")
        + (f"; {found.added} are new" if found.added else "")
    )
    for kind, title in _TITLES.items():
        groups = [group for group in found.groups if group.kind == kind]
        if groups:
            yield ""
            yield f"## {title}: {sum(len(group.changes) for group in groups)}"
            for group in groups:
                yield ""
                yield from _group(group)
    changed = {name: counts for name, counts in found.passed.items() if counts[0] != counts[1]}
    if changed:
        yield ""
        yield "## Passing, of what was measured in both"
        yield ""
        yield from (f"- {name}: {before} -> {now} of {total}" for name, (before, now, total) in sorted(changed.items()))
    for title, entries in (("Expired", found.expired), ("No longer needed", found.unneeded)):
        if entries:
            yield ""
            yield f"## {title} in the file of known failures"
            yield ""
            yield from (f"- `{one.subject}` (until {one.expires}): {one.reason}" for one in entries)
    if found.unjudged:
        yield ""
        yield f"Speed not judged for want of measurements: {len(found.unjudged)} routes ({found.unjudged[0]}, …)"


def _group(group: Group) -> Iterator[str]:
    step = f"{group.before or 'nothing'} -> {group.after}"
    yield f"### {len(group.changes)} x {step}" + (f": {group.cause}" if group.cause else "")
    yield ""
    if group.reason:
        yield f"- excused: {group.reason}"
    if group.kind != "new pass":
        yield f"- first message: {group.changes[0].message}"
    subjects = [change.subject for change in group.changes]
    where = places(subjects)
    if where:
        yield f"- where: {where}"
    yield from (f"- `{subject}`" for subject in subjects[:_SHOWN])
    if len(subjects) > _SHOWN:
        yield f"- and {len(subjects) - _SHOWN} more"
    cell = subjects[0].split(" @ ")[0]
    if group.kind == "regression" and "/opset-" in cell:
        yield f"- again: `nox -s matrix -- --again '{cell}'`"


def places(subjects: Iterable[str]) -> str:
    """The axes of the cells among the subjects: ``torch-1.8.0, torch-1.9.1; opset 9-13; shim; 3 cases``."""
    cells = []
    for subject in subjects:
        try:
            cells.append(Cell.parse(subject.split(" @ ")[0]))
        except UsageError:
            return ""
    releases = list(dict.fromkeys(f"torch-{cell.torch}" for cell in cells))
    routes, cases = sorted({cell.route for cell in cells}), sorted({cell.case for cell in cells})
    shown = cases[0] if len(cases) == 1 else f"{len(cases)} cases"
    listed = ", ".join(releases) if len(releases) <= _SHOWN else f"{len(releases)} releases"
    return f"{listed}; opset {ranges(cell.opset for cell in cells)}; {', '.join(routes)}; {shown}"


def ranges(numbers: Iterable[int]) -> str:
    """``7-9,11`` for 7, 8, 9, 11."""
    parts: list[list[int]] = []
    for number in sorted(set(numbers)):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in parts)


def as_json(found: Comparison) -> dict[str, Any]:
    """Plain data: what `python -m matrix check --json` prints."""
    known = [{**asdict(one), "expires": one.expires.isoformat()} for one in found.expired]
    unneeded = [{**asdict(one), "expires": one.expires.isoformat()} for one in found.unneeded]
    return {
        "compared": found.compared,
        "missing": found.missing,
        "added": found.added,
        "passed": {name: {"before": a, "now": b, "of": c} for name, (a, b, c) in sorted(found.passed.items())},
        "groups": [asdict(group) for group in found.groups],
        "unjudged": list(found.unjudged),
        "expired": known,
        "unneeded": unneeded,
    }
