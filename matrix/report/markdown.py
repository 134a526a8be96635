"""A summary in Markdown, for the page of a CI run or a comment: what works, by release and case."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from matrix.report import table as tables
from matrix.report.diff import compare
from matrix.report.findings import silent, violent
from matrix.report.overview import coverage
from matrix.report.summary import UNMEASURED, summary
from matrix.verdicts import VERDICTS

if TYPE_CHECKING:
    from matrix.report.known import Known
    from matrix.report.places import Place
    from matrix.report.table import Table
    from matrix.results import Results


def render(results: Results, *, known: Known, before: Results | None = None) -> str:
    """Counts, what changed since ``before``, the overview (releases as rows), and silent trouble."""
    table = tables.build(results, known)
    parts = [_counts(table), _changes(table, before) if before is not None else "", _overview(table), _trouble(table)]
    return "\n".join(part for part in parts if part)


def escape(text: str) -> str:
    """The text on one line, without any effect in a Markdown table."""
    printable = "".join(character if character.isprintable() else " " for character in text)
    return re.sub(r"([\\`*_{}\[\]<>#|~!&])", r"\\\1", " ".join(printable.split()))


def _counts(table: Table) -> str:
    numbers = summary(table)
    counted = ", ".join(
        f"{VERDICTS[name].symbol} {numbers.verdicts[name]:,} {name}"
        for name in VERDICTS
        if numbers.verdicts.get(name) and name != "not-applicable"
    )
    failed = [
        f"- **{escape(name)}** could not be had: {escape(environment['error']['message'])}"
        for name, environment in sorted(table.results.environments.items())
        if environment["verdict"] in UNMEASURED and "error" in environment
    ]
    lines = [f"**{numbers.measured:,} of {numbers.cells:,} cells measured.** {counted}", *failed]
    return "\n".join(lines) + "\n"


def _overview(table: Table) -> str:
    """One row per release that has results; a square is the route that covers the most opsets, and which."""
    released = {record["torch"] for records in table.records.values() for record in records}
    if not released:
        return ""
    lines = [
        f"| PyTorch | {' | '.join(escape(case) for case in table.cases)} |",
        f"|---|{'---|' * len(table.cases)}",
    ]
    for row, release in enumerate(table.releases):
        if release in released:
            squares = [coverage(table, case, row) for case in table.cases]
            words = [
                f"{one.verdict.symbol} {escape(one.route or one.verdict.name)} {one.opsets}".rstrip() for one in squares
            ]
            lines.append(f"| {escape(release)} | {' | '.join(words)} |")
    return "\n".join(lines) + "\n"


def _changes(table: Table, before: Results) -> str:
    changes = compare(before, table)
    if not changes:
        return "Nothing changed since the earlier run.\n"
    lines = ["| change | route | before | after | cases | where |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {one.kind} | {escape(one.route)} | {one.before} | {one.after} | {_cases(one.cases)} | {_where(one.where)} |"
        for one in changes
    ]
    return "\n".join(lines) + "\n"


def _trouble(table: Table) -> str:
    found = [*violent(table), *silent(table)]
    if not found:
        return ""
    lines = [
        "<details><summary>Crashes and silent trouble</summary>\n",
        "| verdict | route | cases | where |",
        "|---|---|---|---|",
    ]
    for one in found:
        verdict = f"{VERDICTS[one.verdict].symbol} {one.verdict}"
        lines.append(f"| {verdict} | {escape(one.route)} | {_cases(one.cases)} | {_where(one.where)} |")
    return "\n".join([*lines, "\n</details>"]) + "\n"


def _cases(cases: tuple[str, ...]) -> str:
    return ", ".join(escape(case) for case in cases)


def _where(places: tuple[Place, ...]) -> str:
    return "; ".join(f"{escape(releases)}: {opsets}" for releases, opsets in places)
