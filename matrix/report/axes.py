"""The catalog's lists as ``Known``: the only place where reports meet the catalog, the routes and the cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matrix.probe.cases import CASES
from matrix.probe.routes import ROUTES
from matrix.report.known import Known

if TYPE_CHECKING:
    from collections.abc import Collection

    from matrix.catalog import Catalog
    from matrix.results import Results


def known_from(catalog: Catalog, results: Results, *, stale: Collection[str] = frozenset()) -> Known:
    """Every release and opset of the catalog, core cases and default routes, and whatever else the results hold."""
    measured_cases = {record["case"] for record in results.cells.values()}
    measured_routes = {record["route"] for record in results.cells.values()}
    cases = {name: case for name, case in CASES.items() if case.core or name in measured_cases}
    routes = {name: route for name, route in ROUTES.items() if route.default or name in measured_routes}
    return Known(
        releases=tuple(release.version for release in catalog.releases),
        opsets=tuple(catalog.opsets),
        routes=tuple(routes),
        cases={name: case.group for name, case in cases.items()},
        routes_of_release={
            release.version: frozenset(name for name, route in routes.items() if route.exporter in release.exporters)
            for release in catalog.releases
        },
        routes_of_case={
            name: frozenset(route.name for route in routes.values() if route.serves(case))
            for name, case in cases.items()
        },
        stale=stale,
    )
