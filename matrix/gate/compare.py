"""What changed between a baseline and a run, grouped by cause."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, cast

from matrix.gate.speed import slower
from matrix.verdicts import USABLE, VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from matrix.gate.known import KnownFailure
    from matrix.results import Results

Kind = Literal["regression", "unmeasured", "known", "new pass"]

#: Says nothing about PyTorch or the routes.
_BLANK = frozenset({"unavailable", "not-run", "not-applicable"})


@dataclass(frozen=True, slots=True)
class Change:
    """One subject that changed.

    ``subject`` is a cell's id, ``CELL @ RUNTIME``, ``build/torch-1.8.0/cpp``, ``speed/shim/export`` or an
    environment's name. ``cause`` is the message with numbers and quoted names left out, so that equal causes are equal.
    """

    kind: Kind
    subject: str
    before: str
    after: str
    cause: str
    message: str


@dataclass(frozen=True, slots=True)
class Group:
    """Changes of one kind with one cause; ``reason`` is that of the known failure, for kind ``known``."""

    kind: Kind
    before: str
    after: str
    cause: str
    changes: tuple[Change, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """``compared`` counts cells measured in both; ``passed`` those of them that passed (before, now), by environment.

    ``missing`` counts cells of the baseline that the run does not have, ``added`` the opposite. ``unjudged`` are speeds
    without enough measurements; ``expired`` and ``unneeded`` are known failures that should be removed.
    """

    groups: tuple[Group, ...]
    compared: int
    passed: Mapping[str, tuple[int, int, int]]
    missing: int
    added: int
    unjudged: tuple[str, ...] = ()
    expired: tuple[KnownFailure, ...] = ()
    unneeded: tuple[KnownFailure, ...] = field(default=())

    def of(self, kind: Kind) -> list[Group]:
        return [group for group in self.groups if group.kind == kind]


def compare(
    baseline: Results, now: Results, *, factor: float, known: Sequence[KnownFailure] = (), today: date
) -> Comparison:
    """All that the gate looks at. ``factor`` is the slow-down that is still allowed; ``today`` decides expiry."""
    slow, unjudged = slower(baseline, now, factor)
    changes = [*_environments(baseline, now), *_cells(baseline, now), *_builds(baseline, now)]
    changes += [Change("regression", subject, "", "slower", text, text) for subject, text in slow]
    valid = [one for one in known if one.expires >= today]
    groups: dict[tuple[str, ...], list[Change]] = {}
    used: set[KnownFailure] = set()
    for change in changes:
        excuse = next((one for one in valid if one.covers(change.subject, change.after)), None)
        kind, reason = change.kind, ""
        if excuse is not None and kind in ("regression", "unmeasured"):
            used.add(excuse)
            kind, reason = "known", excuse.reason
        groups.setdefault((kind, change.before, change.after, change.cause, reason), []).append(change)
    both = [name for name in baseline.cells if name in now.cells and now.cells[name]["verdict"] not in _BLANK]
    return Comparison(
        groups=tuple(_ordered(groups)),
        compared=len(both),
        passed=_passed(baseline, now, both),
        missing=sum(name not in now.cells for name in baseline.cells),
        added=sum(name not in baseline.cells for name in now.cells),
        unjudged=tuple(unjudged),
        expired=tuple(one for one in known if one.expires < today),
        unneeded=tuple(one for one in valid if one not in used and _passes_now(one, now)),
    )


def _ordered(groups: Mapping[tuple[str, ...], list[Change]]) -> Iterator[Group]:
    """Regressions first, the most frequent cause first."""
    kinds: tuple[Kind, ...] = ("regression", "unmeasured", "known", "new pass")
    for key in sorted(groups, key=lambda key: (kinds.index(cast("Kind", key[0])), -len(groups[key]), key)):
        kind, before, after, cause, reason = key
        changes = tuple(sorted(groups[key], key=lambda change: change.subject))
        yield Group(cast("Kind", kind), before, after, cause, changes, reason)


def _environments(baseline: Results, now: Results) -> Iterator[Change]:
    """An environment that could not be set up is one unmeasured subject, whatever number of cells it has."""
    for name, record in now.environments.items():
        before = baseline.environments.get(name)
        if record["verdict"] in _BLANK and (before is None or before["verdict"] not in _BLANK):
            message = record["error"]["message"] if "error" in record else "no reason was recorded"
            yield Change(
                "unmeasured", name, before["verdict"] if before else "", record["verdict"], cause_of(message), message
            )


def _cells(baseline: Results, now: Results) -> Iterator[Change]:
    for name, before in baseline.cells.items():
        after = now.cells.get(name)
        if after is None:
            continue
        own = _change(name, before["verdict"], after["verdict"], dict(after))
        if own is not None:
            environment = now.environments.get(f"torch-{after['torch']}")
            if own.kind == "unmeasured" and environment is not None and environment["verdict"] in _BLANK:
                continue  # said once, of the environment
            yield own
            continue
        runs, judged = now.runs.get(after.get("digest", ""), {}), now.runtimes_of(after)
        for runtime, verdict in baseline.runtimes_of(before).items():
            if runtime in runs:
                change = _change(f"{name} @ {runtime}", verdict, judged[runtime], dict(runs[runtime]))
                if change is not None:
                    yield change


def _builds(baseline: Results, now: Results) -> Iterator[Change]:
    for (torch, half), before in baseline.builds.items():
        after = now.builds.get((torch, half))
        if after is not None:
            change = _change(f"build/torch-{torch}/{half}", before["verdict"], after["verdict"], dict(after))
            if change is not None:
                yield change


def _change(subject: str, before: str, after: str, record: dict[str, Any]) -> Change | None:
    """None where nothing changed that the gate is about."""
    if (before in USABLE) == (after in USABLE) or (before not in USABLE and before in _BLANK):
        return None
    kind: Kind = "new pass" if after in USABLE else "unmeasured" if after in _BLANK else "regression"
    error = record.get("error")
    message = f"{error['type']}: {error['message']}" if error else VERDICTS[after].meaning
    cause = "" if kind == "new pass" else f"{record.get('stage') or record.get('reached') or ''}: {cause_of(message)}"
    return Change(kind, subject, before, after, cause, message)


def cause_of(message: str) -> str:
    """The message with what differs from cell to cell replaced by #: numbers, addresses, paths."""
    text = re.sub(r"(/[\w.+-]+){2,}", "#", message)
    return re.sub(r"0x[0-9a-f]+|\d+(\.\d+)*(e-?\d+)?", "#", text)[:200]


def _passed(baseline: Results, now: Results, both: Sequence[str]) -> dict[str, tuple[int, int, int]]:
    """By environment: passing before, passing now, measured in both. Only what was measured in both is counted."""
    counts: dict[str, tuple[int, int, int]] = {}
    for name in both:
        environment = f"torch-{now.cells[name]['torch']}"
        was, now_, total = counts.get(environment, (0, 0, 0))
        before, after = baseline.cells[name]["verdict"] in USABLE, now.cells[name]["verdict"] in USABLE
        counts[environment] = was + before, now_ + after, total + 1
    return counts


def _passes_now(one: KnownFailure, now: Results) -> bool:
    """Whether the run holds cells that the known failure speaks of, and all of them pass."""
    verdicts = [record["verdict"] for name, record in now.cells.items() if one.names(name)]
    return bool(verdicts) and all(verdict in USABLE for verdict in verdicts)
