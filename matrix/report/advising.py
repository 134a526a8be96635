"""What the advise page needs beside the records: who exists where, what ONNX has, and the scripts to print.

The page answers in the browser, from the file of the case that is asked about; `tests/browser/test_advise.py` holds it
to the answers of ``matrix.advise``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matrix.advise import standard
from matrix.advise.question import MODES, OPERATORS, PADDINGS, case_of
from matrix.advise.snippet import snippet
from matrix.advise.standing import runtimes_known
from matrix.advise.text import INSTALL
from matrix.errors import UsageError
from matrix.probe.cases import CASES
from matrix.probe.routes import DYNAMO, ROUTES
from matrix.remedy import ORDER

if TYPE_CHECKING:
    from matrix.report.table import Table


def lists(table: Table) -> dict[str, Any]:
    """Small lists for all questions: what exists (``Known``), since when ONNX has it, which runtimes judged."""
    known = table.known
    return {
        "releases": known.releases,
        "opsets": known.opsets,
        "routes": {name: _route(name) for name in known.routes},
        "routesOfRelease": {name: _in_order(table, routes) for name, routes in known.routes_of_release.items()},
        "routesOfCase": {name: _in_order(table, routes) for name, routes in known.routes_of_case.items()},
        "onnx": {case: _onnx(case) for case in table.cases},
        "runtimes": sorted(runtimes_known(table.results)),
        "origins": sorted({*table.results.origin.values()}),
        "remedies": ORDER,
        "install": INSTALL,
    }


def _in_order(table: Table, routes: Any) -> list[str]:
    return [route for route in table.routes if route in routes]


def _route(name: str) -> dict[str, str]:
    route = ROUTES.get(name)
    if route is None:
        return {"exporter": name, "helper": "", "summary": ""}
    return {"exporter": route.exporter, "helper": route.helper or "", "summary": route.summary}


def _onnx(case_id: str) -> list[list[Any]] | None:
    """Operators with the opset that brought them; empty when others do the work, None for a case of somebody's own."""
    case = CASES.get(case_id)
    return None if case is None else [list(one) for one in standard.needed(case)]


def operators(table: Table) -> list[tuple[str, list[tuple[str, str]]]]:
    """The measured cases by the operator that they are about: pairs of case and the arguments that make it."""
    named = _arguments()
    groups: dict[str, list[tuple[str, str]]] = {operator: [] for operator in OPERATORS}
    for case in table.cases:
        operator, arguments = named.get(case, (table.group(case) or case, case))
        groups.setdefault(operator, []).append((case, arguments))
    return [(name, cases) for name, cases in groups.items() if cases]


def _arguments() -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for operator in OPERATORS:
        for rank in (4, 5):
            for mode in MODES if operator == "grid_sample" else MODES[:1]:
                for padding in PADDINGS if operator == "grid_sample" else PADDINGS[:1]:
                    for aligned in (False, True):
                        try:
                            case = case_of(operator, mode=mode, padding=padding, rank=rank, aligned=aligned)
                        except UsageError:
                            continue
                        words = [mode, padding] if operator == "grid_sample" else []
                        words += [f"{rank}-D", *(["align_corners"] if aligned else [])]
                        found.setdefault(case, (operator, ", ".join(words)))
    return found


def scripts(table: Table, case: str) -> dict[str, Any]:
    """Snippets of one case by route, for releases with one and with two exporters; lines that repeat are stored once.

    The opset stands as 0 in them.
    """
    lines: dict[str, int] = {}
    found: dict[str, list[list[int]]] = {}
    for route in table.routes:
        texts = [snippet(route, case, 0, two_exporters=two) for two in (False, True)]
        if route in ROUTES and ROUTES[route].exporter == DYNAMO:
            texts = texts[:1]  # it names itself, whatever the release has
        if all(texts):
            found[route] = [[lines.setdefault(line, len(lines)) for line in str(text).split("\n")] for text in texts]
    return {"lines": list(lines), "of": found}
