"""A result is stale when something that may change it has changed, and only then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matrix import catalog as catalogs
from matrix.cells import Cell
from matrix.environment import Source
from matrix.fingerprint import Fingerprints, stale
from matrix.results import Results

if TYPE_CHECKING:
    import pytest

CATALOG = catalogs.load()
NATIVE = Cell(torch="1.8.0", opset=11, route="native", case="affine_grid-2d")
SHIM = Cell(torch="1.8.0", opset=11, route="shim", case="affine_grid-2d")


def results(source: Source) -> Results:
    found = Results()
    for cell in (NATIVE, SHIM):
        fingerprint = Fingerprints(CATALOG, CATALOG.release("1.8.0"), source).of(cell)
        line = {"kind": "cell", "cell": cell.id, "torch": cell.torch, "route": cell.route, "verdict": "pass"}
        found.add({**line, "fingerprint": fingerprint}, origin="local")
    return found


def test_an_unchanged_result_is_not_stale() -> None:
    assert stale(CATALOG, results(Source()), {}) == set()


def test_another_onnxgrid_concerns_only_the_routes_that_use_it(monkeypatch: pytest.MonkeyPatch) -> None:
    known = results(Source())
    monkeypatch.setattr("matrix.fingerprint.kernels_digest", lambda: "another")
    assert stale(CATALOG, known, {}) == {SHIM.id}


def test_another_probe_concerns_every_route(monkeypatch: pytest.MonkeyPatch) -> None:
    known = results(Source())
    monkeypatch.setattr("matrix.fingerprint.probe_digest", lambda: "another")
    assert stale(CATALOG, known, {}) == {NATIVE.id, SHIM.id}


def test_packages_from_elsewhere_are_compared_with_packages_from_there() -> None:
    cpu = Source(torch_backend="cpu")
    assert stale(CATALOG, results(cpu), {"local": cpu}) == set()
    assert stale(CATALOG, results(cpu), {}) == {NATIVE.id, SHIM.id}
