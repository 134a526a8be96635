"""Several folders of results into one: the newest measurement of each subject and fingerprint.

Merging is a maximum per key over a total order, so it is associative, commutative and idempotent, and the same set of
measurements gives the same bytes however it was split: shards, machines, repeated merges.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from typing import TYPE_CHECKING, Any

from matrix.errors import MixedSchemaError, UsageError, writing
from matrix.results import files, read_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

Line = dict[str, Any]
_Key = tuple[str, ...]

#: Kinds in the order in which they stand in a file; a reader wants the environment first.
_ORDER = ("environment", "runtime", "build", "file", "cell", "run")

#: Files that a run keeps below ``models``.
_MODEL = re.compile(r"[0-9a-f]+(-[0-9a-f]+)?\.(onnx|npz)")

_HEADS = ("environment", "runtime")


def merge(folders: Sequence[Path], into: Path) -> dict[str, int]:
    """Write the union of the folders, and of what ``into`` holds already, to ``into``; lines written by file name.

    Exported files below ``models`` come along. Raises UsageError for a folder without results and MixedSchemaError
    when lines follow different schemas; nothing is written then.
    """
    for folder in folders:
        if not files(folder):
            raise UsageError(
                f"{folder} holds no results.", "A folder of results holds files such as torch-1.8.0.jsonl."
            )
    sources = list(dict.fromkeys([*folders, *([into] if into.is_dir() else [])]))
    names = sorted({path.name for folder in sources for path in files(folder)})
    by_name: dict[str, list[Line]] = {}
    schemas: dict[int, str] = {}
    for name in names:
        lines = [
            line
            for folder in sources
            if (folder / name).exists()
            for line in read_lines(folder / name, check=folder != into)
        ]
        for line in lines:
            if line["kind"] in _HEADS:
                schemas.setdefault(line.get("schema", 0), name)
        by_name[name] = merged(lines)
    if len(schemas) > 1:
        listed = ", ".join(f"{schema} ({name})" for schema, name in sorted(schemas.items()))
        raise MixedSchemaError(
            f"the results follow different schemas: {listed}.",
            "Measure the older ones again with this version (nox -s matrix -- --again), or merge each schema apart.",
        )
    with writing(into):
        into.mkdir(parents=True, exist_ok=True)
        for name, lines in by_name.items():
            _replace(into / name, "".join(_text(line) + "\n" for line in lines))
        for folder in sources:
            _bring_models(folder / "models", into / "models")
    return {name: len(lines) for name, lines in by_name.items()}


def merged(lines: Iterable[Line]) -> list[Line]:
    """The newest line per key, in a canonical order in which a reader's last line about a subject is the newest.

    A measurement goes before an ``unavailable`` of any age: what could not be measured says nothing about what was.
    """
    newest: dict[_Key, Line] = {}
    known: dict[_Key, set[str]] = {}
    for line in (single for compact in lines for single in _singles(compact)):
        key = _key(line)
        if line["kind"] == "file":  # every shard knows only its own files of a model
            known.setdefault(key, set()).update(line["files"])
        if key not in newest or _rank(newest[key]) < _rank(line):
            newest[key] = line
    for key, names in known.items():
        newest[key] = newest[key] | {"files": sorted(names)}
    return sorted(newest.values(), key=lambda line: (_ORDER.index(line["kind"]), _subject(line), _rank(line)))


def _singles(line: Line) -> list[Line]:
    """A line about several models as one line for each."""
    if "digests" not in line:
        return [line]
    rest = {name: value for name, value in line.items() if name != "digests"}
    return [{**rest, "digest": digest} for digest in line["digests"]]


def _subject(line: Line) -> _Key:
    """What a reader takes the last line of; opsets in the order of numbers."""
    if line["kind"] == "cell":
        return "torch-" + line["torch"], line["case"], line["route"], f"{line['opset']:04d}"
    if line["kind"] == "build":
        return line["torch"], line["half"]
    if line["kind"] == "run":
        return line["runtime"], line["digest"]
    return (line["digest"] if line["kind"] == "file" else line[line["kind"]],)


def _key(line: Line) -> _Key:
    distinct = line["machine"]["id"] if line["kind"] in _HEADS else line.get("fingerprint", "")
    return line["kind"], *_subject(line), distinct


def _rank(line: Line) -> tuple[bool, str, str, str]:
    """Orders lines of one key or subject; total but for identical lines (``files`` are united, not ranked)."""
    rest = {name: value for name, value in line.items() if name != "files"}
    measured = line.get("verdict") != "unavailable"
    return measured, line.get("measured_at", ""), json.dumps(rest, sort_keys=True), _text(rest)


def _text(line: Line) -> str:
    """As results are written."""
    return json.dumps(line, separators=(",", ":"), ensure_ascii=False)


def _replace(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _bring_models(source: Path, target: Path) -> None:
    """Hard links where possible: the names are digests of the content.

    A link, or a file of another name, is none of ours and stays where it is.
    """
    if not source.is_dir() or source == target:
        return
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.iterdir()):
        goal = target / path.name
        if _MODEL.fullmatch(path.name) and path.is_file() and not path.is_symlink() and not goal.exists():
            try:
                os.link(path, goal)
            except OSError:  # another file system
                shutil.copyfile(path, goal)
