"""Catalog and selection -> the cells to measure, by environment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from matrix.cells import Cell
from matrix.errors import UnknownNameError, UsageError
from matrix.probe.cases import CASES
from matrix.probe.routes import DYNAMO, ROUTES

if TYPE_CHECKING:
    from matrix.catalog import Catalog, Release
    from matrix.probe.cases import Case
    from matrix.probe.routes import Route
    from matrix.selection import Selection


@dataclass(frozen=True, slots=True)
class Task:
    """One environment with its cells, in the order in which they are measured."""

    release: Release
    cells: tuple[Cell, ...]


def make_plan(catalog: Catalog, selection: Selection) -> list[Task]:
    """Environments in order of interest, each with its cells; those without a cell are left out.

    Raises UnknownNameError for a name that matches nothing and UsageError when the names exclude each other.
    """
    opsets = selection.chosen_opsets(catalog)
    routes = selection.chosen_routes()
    cases = selection.chosen_cases()
    releases = selection.chosen_releases(catalog)
    tasks = []
    for release in releases:
        cells = tuple(
            cell
            for route in routes
            if ROUTES[route].exporter in release.exporters
            for case in cases
            if _serves(ROUTES[route], CASES[case])
            for opset in opsets
            if selection.accepts((cell := Cell(torch=release.version, opset=opset, route=route, case=case)).id)
        )
        if cells:
            tasks.append(Task(release, cells))
    if not tasks:
        raise _nothing(catalog, selection, routes)
    return tasks


def _serves(route: Route, case: Case) -> bool:
    """A model of the user's own that calls none of the operators has nothing that a helper could replace."""
    return route.serves(case) and (route.helper is None or bool(case.operators))


def _nothing(catalog: Catalog, selection: Selection, routes: list[str]) -> UsageError:
    if selection.cells:
        examples = [f"{release.name}/opset-11/native/{case}" for release in catalog.releases for case in CASES]
        return UnknownNameError("cell", " ".join(selection.cells), examples)
    if all(ROUTES[route].exporter == DYNAMO for route in routes):
        first = next(release for release in catalog.releases if DYNAMO in release.exporters)
        return UsageError(
            "no cell is left: none of the chosen releases has the dynamo exporter.",
            f"It exists from PyTorch {first.version} on.",
        )
    return UsageError(
        "no cell is left: the chosen routes serve none of the chosen cases.", "See `python -m matrix plan`."
    )
