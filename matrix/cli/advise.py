"""advise: which route for this PyTorch, opset, runtime and operator."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from matrix import catalog as catalogs
from matrix import runtimes
from matrix.advise import Question, advise
from matrix.advise.question import MODES, OPERATORS, PADDINGS, case_of
from matrix.advise.text import as_text
from matrix.cli.common import add_source, known_results
from matrix.errors import NoAdviceError, UnknownNameError, UsageError
from matrix.probe.routes import ROUTES
from matrix.report.axes import known_from

if TYPE_CHECKING:
    import argparse

    from matrix.catalog import Catalog, Release
    from matrix.cli.common import Commands
    from matrix.report.known import Known
    from matrix.results import Results


def add(commands: Commands) -> None:
    parser = commands.add_parser(
        "advise", help="which route to take, from what was measured", epilog="See docs/advise.md for an example."
    )
    parser.add_argument("subject", metavar="OPERATOR", help=f"{', '.join(OPERATORS)}, or a case: rotate-free")
    parser.add_argument("--torch", required=True, metavar="RELEASE", help="1.8.0, 2.4.1, newest")
    parser.add_argument("--opset", required=True, type=int, metavar="N")
    parser.add_argument("--runtime", default="", metavar="NAME", help="ort-1.10; default: the environment's own")
    parser.add_argument("--mode", default="bilinear", metavar="NAME", help=", ".join(MODES))
    parser.add_argument("--padding", default="zeros", metavar="NAME", help=", ".join(PADDINGS))
    parser.add_argument("--rank", type=int, default=4, metavar="N", help="4 for images, 5 for volumes")
    parser.add_argument("--align-corners", action="store_true")
    add_source(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="the same as one JSON object")
    form.add_argument("--script", action="store_true", help="the script alone, to be written to a file")
    parser.set_defaults(run=_advise)


def _advise(values: argparse.Namespace) -> int:
    catalog = catalogs.load()
    release = catalog.release(values.torch)
    if values.opset not in catalog.opsets:
        raise UsageError(
            f"opset {values.opset} is not asked for.", f"The matrix asks for {catalog.opsets[0]}-{catalog.opsets[-1]}."
        )
    for kind, name, known_names in (("mode", values.mode, MODES), ("padding", values.padding, PADDINGS)):
        if name not in known_names:
            raise UnknownNameError(kind, name, known_names)
    results = known_results(values)
    case = case_of(
        values.subject,
        mode=values.mode,
        padding=values.padding,
        rank=values.rank,
        aligned=values.align_corners,
        known={record["case"] for record in results.cells.values()},
    )
    question = Question(torch=release.version, opset=values.opset, case=case, runtime=values.runtime)
    advice = advise(question, results, lists(catalog, results, release), runtimes=runtimes.load().by_name)
    if values.json:
        print(json.dumps(advice.as_json(), ensure_ascii=False))
    elif not values.script:
        print(as_text(advice), end="")
    elif advice.snippet is None:
        raise NoAdviceError(advice.why, advice.measure and f"Measure: {advice.measure}")
    else:
        print(advice.snippet, end="")
    return 0


def lists(catalog: Catalog, results: Results, release: Release) -> Known:
    """The report's lists, with the release in them even when the catalog derives it (1.8.1)."""
    known = known_from(catalog, results)
    routes = frozenset(
        name for name in known.routes if name not in ROUTES or ROUTES[name].exporter in release.exporters
    )
    return replace(known, routes_of_release={**known.routes_of_release, release.version: routes})
