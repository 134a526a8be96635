"""Builds the native libraries once (cached by compiler, flags and sources) and hands them to the tests."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

ROOT = Path(__file__).resolve().parents[2]
for folder in ("kernels", "kernels/build_tools"):
    if str(ROOT / folder) not in sys.path:
        sys.path.insert(0, str(ROOT / folder))

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .core_library import Core


@pytest.fixture(scope="session")
def cache():
    from onnxgrid_build.cache import Cache

    return Cache()


@pytest.fixture(scope="session")
def core_path(cache) -> Path:
    from onnxgrid_build import core
    from onnxgrid_build.errors import ToolchainMissingError
    from onnxgrid_build.process import Spent

    try:
        return core.build_core_library(cache, Spent())
    except ToolchainMissingError as error:
        pytest.skip(f"{error}; {error.hint}")


@pytest.fixture
def core(core_path) -> Iterator[Core]:
    pytest.importorskip("torch")
    from .core_library import Core

    library = Core(str(core_path))
    yield library
    library.select(None)


@pytest.fixture(scope="session")
def ort_library(cache) -> Path:
    from onnxgrid_build import core
    from onnxgrid_build.errors import ToolchainMissingError
    from onnxgrid_build.process import Spent

    try:
        return core.build_ort_library(cache, Spent())
    except ToolchainMissingError as error:
        pytest.skip(f"{error}; {error.hint}")
