"""Runtimes' results small enough to be kept for good: one line for all models with the same outcome.

What is lost: seconds, output, and the differences of those that pass beyond the largest. Lines of the kinds ``runtime``
and ``file`` stay, the latter only for files that a kept cell has.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from matrix import results as stored
from matrix.errors import UsageError
from matrix.questions import FILES
from matrix.results import Writer, read_lines

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Line = dict[str, Any]
_KEPT = ("kind", "runtime", "verdict", "stage", "refusal", "placement", "error")


def compact(source: Path, target: Path) -> dict[str, int]:
    """Write the runs of ``source`` about the cells in ``target`` there, compactly; lines by file.

    Raises UsageError when ``target`` has no cells.
    """
    known = stored.load(target)
    files = {cell["digest"] for cell in known.cells.values() if "digest" in cell}
    if not files:
        raise UsageError(f"{target} holds no cells.", "Copy or merge the environments' results there first.")
    models = {model: sorted(names & files) for model, names in _models(source).items() if names & files}
    written = {FILES: [{"kind": "file", "digest": model, "files": names} for model, names in sorted(models.items())]}
    for path in stored.files(source):
        lines = list(read_lines(path))
        if any(line["kind"] == "runtime" for line in lines):
            written[path.name] = [*_heads(lines), *together(lines, set(models))]
    for name, lines in written.items():
        (target / name).unlink(missing_ok=True)
        with Writer(target / name) as writer:
            writer.append(lines)
    return {name: len(lines) for name, lines in written.items()}


def keep_cells(source: Path, target: Path) -> dict[str, int]:
    """Copy the environments' latest lines to ``target``; lines by file.

    What is lost: what the exporters printed; the error itself stays.
    """
    written = {}
    for path in stored.files(source):
        latest: dict[str, Line] = {}
        for line in read_lines(path):
            if line["kind"] in ("environment", "cell", "build"):
                latest[line.get("cell") or f"{line['kind']} {line.get('half', '')}"] = _without_chatter(line)
        if latest:
            (target / path.name).unlink(missing_ok=True)
            with Writer(target / path.name) as writer:
                writer.append(latest.values())
            written[path.name] = len(latest)
    return written


def _without_chatter(line: Line) -> Line:
    return {name: value for name, value in line.items() if name != "output"}


def together(lines: Iterable[Line], models: set[str]) -> list[Line]:
    """The latest runs about the models, those with the same outcome in one line.

    Outcomes are the same when verdict, stage, refusal and error are, and for wrong numbers also the largest
    difference, to one digit.
    """
    latest = {
        (line["runtime"], digest): line for line in lines if line["kind"] == "run" for digest in stored.digests_of(line)
    }
    groups: defaultdict[str, list[tuple[str, Line]]] = defaultdict(list)
    for (_, digest), line in latest.items():
        if digest in models:
            groups[json.dumps([line.get(name) for name in _KEPT] + [_size(line)])].append((digest, line))
    found = []
    for members in groups.values():
        first = members[0][1]
        largest = max((line["max_abs_error"] for _, line in members if "max_abs_error" in line), default=None)
        found.append(
            {name: first[name] for name in _KEPT if name in first}
            | {"digests": sorted(digest for digest, _ in members)}
            | ({} if largest is None else {"max_abs_error": largest})
            | {"fingerprint": "", "measured_at": max(line["measured_at"] for _, line in members)}
            | {"machine": first["machine"]}
        )
    return sorted(found, key=lambda line: (line["runtime"], line["verdict"], line["digests"]))


def _size(line: Line) -> str:
    if line["verdict"] in ("pass", "pass-fallback") or "max_abs_error" not in line:
        return ""
    return f"{line['max_abs_error']:.0e}"


def _models(source: Path) -> dict[str, set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    path = source / FILES
    for line in read_lines(path) if path.exists() else ():
        found[line["digest"]] |= set(line["files"])
    return found


def _heads(lines: Iterable[Line]) -> list[Line]:
    """The last line about the runtime itself."""
    return [line for line in lines if line["kind"] == "runtime"][-1:]
