"""Fast tests cannot start a process or open a connection: both raise. Slower kinds are marked and live apart."""

import socket
import subprocess
from pathlib import Path
from typing import Any, NoReturn

import pytest

TESTS = Path(__file__).parent
FAST = (TESTS / "matrix", TESTS / "report")


@pytest.fixture(autouse=True)
def _no_process_no_network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.path.parent not in FAST:
        return

    def forbidden(*_: Any, **__: Any) -> NoReturn:
        pytest.fail("a fast test tried to start a process or to open a connection")

    monkeypatch.setattr(subprocess.Popen, "__init__", forbidden)
    monkeypatch.setattr(socket.socket, "connect", forbidden)
