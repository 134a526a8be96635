"""Fast tests cannot start a process or open a connection: both raise. Slower kinds are marked and live apart."""

import importlib.util
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

TESTS = Path(__file__).parent
FAST = (TESTS / "matrix", TESTS / "report")


#: What needs torch runs inside the environments (real/test_inside.py), where torch is.
collect_ignore = [] if importlib.util.find_spec("torch") else ["onnxgrid", "kernels"]

#: Cheap kinds first, so that a mistake shows early.
ORDER = ("matrix", "report", "kernels", "onnxgrid", "real", "browser")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    rank = {name: position for position, name in enumerate(ORDER)}
    items.sort(key=lambda item: rank.get(item.path.relative_to(TESTS).parts[0], len(ORDER)))


@pytest.fixture(autouse=True)
def _no_process_no_network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.path.parent not in FAST:
        return

    def forbidden(*_: Any, **__: Any) -> NoReturn:
        pytest.fail("a fast test tried to start a process or to open a connection")

    monkeypatch.setattr(subprocess.Popen, "__init__", forbidden)
    monkeypatch.setattr(socket.socket, "connect", forbidden)


@pytest.fixture
def only_built_in_cases() -> Iterator[None]:
    """Cases that a test declares are forgotten afterwards."""
    from matrix.probe.cases import CASES

    before = dict(CASES)
    yield
    CASES.clear()
    CASES.update(before)
