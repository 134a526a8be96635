"""report: the results in the forms that CI systems show."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from matrix import catalog as catalogs
from matrix import results as stored
from matrix.cli.common import add_source, known_results

if TYPE_CHECKING:
    import argparse

    from matrix.cli.common import Commands


def add(commands: Commands) -> None:
    report = commands.add_parser("report", help="a Markdown summary, JUnit XML, or an SVG badge")
    add_source(report)
    report.add_argument("--format", choices=("markdown", "junit", "badge"), default="markdown")
    report.add_argument("--before", type=Path, metavar="FOLDER", help="an earlier run: say what changed (Markdown)")
    report.add_argument("--output", type=Path, metavar="FILE", help="default: standard output")
    report.set_defaults(run=_report)


def _report(values: argparse.Namespace) -> int:
    text = _rendered(values)
    if values.output:
        values.output.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 0


def _rendered(values: argparse.Namespace) -> str:
    from matrix.report import badge, junit, markdown
    from matrix.report.axes import known_from

    results = known_results(values)
    if values.format == "junit":
        return junit.render(results)
    known = known_from(catalogs.load(), results)
    if values.format == "badge":
        return badge.render(results, known=known)
    return markdown.render(results, known=known, before=stored.load(values.before) if values.before else None)
