"""One small rendering that many tests read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from matrix.report import dashboard
from tests.report import synthetic

if TYPE_CHECKING:
    from pathlib import Path

    from matrix.results import Results

RELEASES = ("1.8.0", "1.12.1", "2.0.1", "2.9.1")
CASES = ("grid_sample-bilinear-zeros-4d", "grid_sample-bilinear-zeros-5d", "spatial_transformer-2d")


@pytest.fixture(scope="session")
def results() -> Results:
    return synthetic.results(RELEASES, CASES)


@pytest.fixture(scope="session")
def site(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    dashboard.render(results, folder, known=synthetic.known(RELEASES, CASES))
    return folder
