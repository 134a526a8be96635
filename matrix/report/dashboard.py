"""The dashboard: static pages that open from the file system, rendered from results alone.

A pure function: the same results and lists give the same bytes. Pages have stable names and squares stable anchors
(``case/grid_sample-bilinear-zeros-4d.html#torch-1.8.0/opset-11/shim``), because people send such links.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, Template
from markupsafe import escape

from matrix.advise.question import runtime_key
from matrix.report import advising, findings, table
from matrix.report.charts import charts
from matrix.report.claims import claims, introduction
from matrix.report.cube import cube
from matrix.report.details import encode, script
from matrix.report.diff import KINDS, compare
from matrix.report.failures import failures
from matrix.report.naming import letters, slug
from matrix.report.output import Folder
from matrix.report.overview import coverage
from matrix.report.runtimes import runtimes
from matrix.report.squares import Squares, filled
from matrix.report.strings import Strings
from matrix.report.summary import by_release, summary
from matrix.verdicts import VERDICTS

if TYPE_CHECKING:
    from markupsafe import Markup

    from matrix.report.known import Known
    from matrix.report.table import Table
    from matrix.results import Results

TEMPLATES = Path(__file__).resolve().parents[2] / "templates" / "dashboard"

#: The questions of the decision flow with what stands for their values before anything is asked, and their answers.
FLOW = (
    ("onnx", ("N",), ("yes", "no")),
    ("exporter", ("torchscript / dynamo", "X", "native / dynamo"), ("yes", "no")),
    ("route", (), ("native", "other", "none")),
    ("load", ("ONNX Runtime",), ("yes", "no")),
    ("verify", (), ("yes", "no")),
)

#: Pages of the navigation in their order.
NAVIGATION = (
    ("overview", "index.html"),
    ("advise", "advise.html"),
    ("findings", "findings.html"),
    ("claims", "claims.html"),
    ("changes", "changes.html"),
    ("environments", "environments.html"),
    ("runtimes", "runtimes.html"),
    ("builds", "builds.html"),
    ("charts", "charts.html"),
    ("legend", "legend.html"),
)


def render(
    results: Results, folder: Path, *, known: Known, before: Results | None = None, models: Path | None = None
) -> Path:
    """Write the dashboard into the folder and return the path of its first page.

    ``before`` is an earlier run: with it there is a page that shows what changed since. ``models`` is a folder with
    exported files named by their digest, to which the details link.
    """
    site = _Site(table.build(results, known), Folder(folder), before)
    site.link_models(models, folder)
    site.assets()
    site.overview()
    site.advise()
    site.cases()
    site.environments()
    site.runtimes()
    site.page("builds", "builds.html")
    site.page("findings", "findings.html", **_findings(site.table))
    site.page("claims", "claims.html", claims=claims(), introduction=introduction())
    site.page("charts", "charts.html", charts=charts(site.table))
    if before is not None:
        site.changes(before)
    site.page("legend", "legend.html")
    site.out.finish()
    return folder / "index.html"


class _Site:
    """One rendering: the table, the words, and the folder that the files go to."""

    def __init__(self, contents: Table, out: Folder, before: Results | None) -> None:
        self.table = contents
        self.out = out
        self.models = ""
        self.kept: frozenset[str] = frozenset()
        self.strings = Strings.load(TEMPLATES / "strings.toml")
        self.squares = Squares(contents.routes, self.strings.place("short"))
        self.found_runtimes = runtimes(contents)
        shown = {"runtimes": bool(self.found_runtimes), "changes": before is not None}
        self.anchors = [
            [escape(f"torch-{release}/opset-{opset}") for opset in contents.opsets] for release in contents.releases
        ]
        self.shared: dict[str, Any] = {
            "t": self.strings.element,
            "plain": self.strings.plain,
            "table": contents,
            "results": contents.results,
            "letters": letters(contents.routes),
            "nav": [(name, file) for name, file in NAVIGATION if shown.get(name, True)],
            "has_runtimes": bool(self.found_runtimes),
        }

    def page(self, kind: str, name: str, root: str = "", **values: Any) -> None:
        """Render one page of a kind; ``root`` leads from it to the folder of the first page."""
        html = template(f"{kind}.html.j2").render(self.shared, root=root, here=kind, **values)
        self.out.write(name, html)

    def assets(self) -> None:
        """Styles, scripts, words, the verdicts that filters work on, and the details by case."""
        for kind in ("css", "js"):
            parts = sorted((TEMPLATES / kind).glob(f"*.{kind}"))
            self.out.write(f"assets/dashboard.{kind}", "\n".join(part.read_text(encoding="utf-8") for part in parts))
        self.out.write("assets/strings.js", script(self.strings.by_language(), "matrixStrings"))
        self.out.write("data/verdicts.js", script(self._cube(), "matrixVerdicts"))
        for case in self.table.cases:
            self.out.write(f"data/{slug(case)}.js", script(encode(self.table, case, self.kept), "matrixDetails"))

    def _cube(self) -> dict[str, Any]:
        return cube(self.table, [runtime.name for runtime in self.found_runtimes], self.models)

    def link_models(self, models: Path | None, folder: Path) -> None:
        """Remember which exported files can be linked to, and by which way from the first page."""
        if models is not None and models.is_dir():
            self.kept = frozenset(path.stem for path in models.glob("*.onnx"))
            way = os.path.relpath(models.resolve(), folder.resolve())
            self.models = quote(Path(way).as_posix()) if self.kept else ""

    def overview(self) -> None:
        rows = range(len(self.table.releases))
        groups = [
            (group, [(case, [coverage(self.table, case, row) for row in rows]) for case in cases])
            for group, cases in self.table.groups()
        ]
        self.page("overview", "index.html", groups=groups, summary=summary(self.table))

    def advise(self) -> None:
        lists = advising.lists(self.table)
        self.out.write("data/advice.js", script(lists, "matrixAdvice"))
        names = sorted(lists["runtimes"], key=runtime_key, reverse=True)
        self.page("advise", "advise.html", operators=advising.operators(self.table), runtimes=names, flow=FLOW)

    def cases(self) -> None:
        for case in self.table.cases:
            rows = [(release, self._row(case, row)) for row, release in enumerate(self.table.releases)]
            kinds = failures(self.table, case)
            self.page("case", f"case/{slug(case)}.html", "../", case=case, rows=rows, failures=kinds)

    def _row(self, case: str, row: int) -> list[tuple[Markup, Markup, Markup]]:
        """The squares of one case and release: anchor, class names, content."""
        square = self.squares.render
        squares, marks = self.table.squares[case][row], self.table.marks[case][row]
        both = zip(squares, marks, strict=True)
        return [(anchor, *square(*one)) for anchor, one in zip(self.anchors[row], both, strict=True)]

    def runtimes(self) -> None:
        if self.found_runtimes:
            self.page("runtimes", "runtimes.html", runtimes=self.found_runtimes)
        for runtime in self.found_runtimes:
            rows = [
                (case, [(route, runtime.where(self.table, case, route)) for route in self.table.routes])
                for case in self.table.cases
            ]
            self.page("runtime", f"runtime/{slug(runtime.name)}.html", "../", runtime=runtime, rows=rows)

    def changes(self, before: Results) -> None:
        anchors = {str(anchor) for row in self.anchors for anchor in row}
        self.page("changes", "changes.html", changes=compare(before, self.table), kinds=KINDS, anchors=anchors)

    def environments(self) -> None:
        self.page("environments", "environments.html", rows=by_release(self.table))
        for row, release in enumerate(self.table.releases):
            name = f"torch-{release}"
            self.page(
                "environment",
                f"torch/{slug(release)}.html",
                "../",
                release=release,
                rows=[(case, self._row(case, row)) for case in self.table.cases],
                environment=self.table.results.environments.get(name),
                origin=self.table.results.origin.get(name, "reference"),
            )


def _findings(contents: Table) -> dict[str, Any]:
    return {
        "thresholds": findings.thresholds(contents),
        "silent": findings.silent(contents),
        "violent": findings.violent(contents),
    }


def template(name: str) -> Template:
    """A template by its file name."""
    return _jinja().get_template(name)


@cache
def _jinja() -> Environment:
    """The templates, compiled once however often is rendered."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True, auto_reload=False
    )
    environment.filters["filled"] = filled
    environment.globals.update(slug=slug, VERDICTS=VERDICTS)
    return environment
