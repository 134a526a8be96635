"""Everything known about every cell, as one script file per case.

A page opened from the file system may load scripts but may not fetch JSON, and a file per cell would be tens of
thousands of files: so one file per case, loaded when the first of its details is asked for. It is stored by column,
and values that repeat (messages, operators, dates) are stored once.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from matrix.records import CELL_FIELDS
from matrix.report.advising import scripts
from matrix.verdicts import STAGES

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from matrix.records import CellRecord, RunRecord
    from matrix.report.table import Table

#: Not stored as a column: known from the place of the cell, or (seconds) stored as one column per stage.
_PLACE = frozenset({"kind", "cell", "torch", "opset", "route", "case", "seconds"})
#: Stored as they are: they hardly ever repeat, or are as short as a position.
_PLAIN = frozenset({"emitted_opset", "ir_version", "nodes", "bytes", "max_abs_error", "max_rel_error", "fingerprint"})
#: Fields that no cell lacks.
_ALWAYS = frozenset({"verdict", "stage", "fingerprint", "measured_at", "machine"})
#: What is told of a further runtime, after its name.
RUN_FIELDS = ("verdict", "stage", "max_abs_error", "placement", "error", "machine", "measured_at")


def script(value: Any, function: str) -> str:
    """A call of ``function`` with the value, safe in a script file and inside a script element."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True)
    text = text.replace("<", "\\u003c").replace(">", "\\u003e")
    return f"{function}({text});\n"


def encode(table: Table, case: str, kept: Collection[str] = frozenset()) -> dict[str, Any]:
    """All records of one case: ``columns`` by field, each with one entry per record.

    A field with a list in ``values`` holds positions in it, ``-1`` for absent. Columns without any entry are left
    out. ``kept`` holds the digests of exported files that are still there.
    """
    at = _Places(table)
    records = sorted(table.records[case], key=at.order)
    origin, stale = table.results.origin, table.known.stale
    columns: dict[str, list[Any]] = {
        "release": [at.release[record["torch"]] for record in records],
        "opset": [at.opset[record["opset"]] for record in records],
        "route": [at.route[record["route"]] for record in records],
    }
    values: dict[str, list[Any]] = {}
    _add_pooled(columns, values, "origin", [origin.get(record["cell"], "reference") for record in records])
    if stale:
        columns["stale"] = [int(record["cell"] in stale) for record in records]
    present = set().union(*records)
    untyped: list[Mapping[str, Any]] = [*records]
    column: list[Any]
    for name in CELL_FIELDS:
        if name in _PLACE or name not in present:
            continue
        column = [one[name] for one in untyped] if name in _ALWAYS else [one.get(name) for one in untyped]
        if name in _PLAIN:
            columns[name] = column
        else:
            _add_pooled(columns, values, name, column)
    seconds: list[Mapping[str, float]] = [record.get("seconds", {}) for record in records]
    taken = set().union(*seconds)
    columns |= {f"seconds.{stage}": [one.get(stage) for one in seconds] for stage in STAGES if stage in taken}
    if table.results.runs:
        _add_runs(values, table.results.runs)
    if kept:
        values["kept"] = [int(digest in kept) for digest in values.get("digest", ())]
    return {"case": case, "columns": columns, "values": values, "scripts": scripts(table, case)}


class _Places:
    """Positions on the axes."""

    def __init__(self, table: Table) -> None:
        self.release = {release: position for position, release in enumerate(table.releases)}
        self.opset = {opset: position for position, opset in enumerate(table.opsets)}
        self.route = {route: position for position, route in enumerate(table.routes)}

    def order(self, record: CellRecord) -> tuple[int, int, int]:
        return self.release[record["torch"]], record["opset"], self.route[record["route"]]


def _add_pooled(columns: dict[str, list[Any]], values: dict[str, list[Any]], name: str, column: Sequence[Any]) -> None:
    """Store the distinct values once, in the order of their first appearance, and the column as positions."""
    plain = {*map(type, column)} <= {str, type(None)}
    keys = column if plain else [value if isinstance(value, str) or value is None else repr(value) for value in column]
    distinct = dict(zip(reversed(keys), reversed(column), strict=True))
    first = [key for key in dict.fromkeys(keys) if key is not None]
    if first:
        at: dict[str | None, int] = {key: position for position, key in enumerate(first)} | {None: -1}
        columns[name] = [at[key] for key in keys]
        values[name] = [distinct[key] for key in first]


def _add_runs(values: dict[str, list[Any]], judged: Mapping[str, Mapping[str, RunRecord]]) -> None:
    """What further runtimes said: ``runs`` holds, per file, positions in ``told``, the distinct things that were said.

    A row of ``told`` is the runtime's name, RUN_FIELDS in their order, and the seconds of the run where they are known.
    """
    told: dict[str, int] = {}
    rows: list[list[Any]] = []
    at: dict[int, int] = {}  # one line of a compact file speaks of many files
    known: dict[int, list[int]] = {}  # files that are the same model share their runs
    for digest in values.get("digest", ()):
        runs = judged.get(digest)
        if runs is None or id(runs) in known:
            continue
        known[id(runs)] = positions = []
        for name in sorted(runs):
            run = runs[name]
            if id(run) not in at:
                row = _row(run)
                at[id(run)] = told.setdefault(repr(row), len(rows))
                if at[id(run)] == len(rows):
                    rows.append(row)
            positions.append(at[id(run)])
    values["told"] = rows
    values["runs"] = [known[id(judged[digest])] if digest in judged else [] for digest in values.get("digest", ())]


def _row(run: RunRecord) -> list[Any]:
    row = [run["runtime"], *(run.get(field) for field in RUN_FIELDS)]
    seconds = run.get("seconds", {})
    return [*row, seconds["run"]] if "run" in seconds else row
