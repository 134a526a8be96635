"""Starting a probe in its environment, and listening to it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from matrix.catalog import ROOT
from matrix.errors import ProbeError
from matrix.probe.lifetime import SESSION, processes
from matrix.probe.routes import DYNAMO, ROUTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from matrix.cells import Cell


def described(cells: Iterable[Cell]) -> list[dict[str, Any]]:
    """The cells as the probe takes them.

    TorchScript cells of one route may share a child, whatever their case; those of the dynamo exporter share what it
    captures, so a child of theirs holds one case.
    """
    return [
        {
            "route": cell.route,
            "case": cell.case,
            "opset": cell.opset,
            "group": f"{cell.route}/{cell.case}" if ROUTES[cell.route].exporter == DYNAMO else cell.route,
        }
        for cell in cells
    ]


def messages(python: Path, config: dict[str, Any], module: str = "matrix.probe") -> Iterator[dict[str, Any]]:
    """Run a probe and yield what it says, as it says it; see ``matrix.probe.__main__`` for the messages.

    Raises ProbeError when it dies before it has said ``done``. The probe and all its children end with the generator.
    """
    finished = False
    with tempfile.TemporaryFile() as output, _probe(python, module, config, output) as (process, lines):
        for line in lines:
            message = json.loads(line)
            finished = message["event"] == "done"
            yield message
        code = process.wait()
        if code != 0 or not finished:
            output.seek(0)
            raise _died(code, output.read()[-4000:].decode("utf-8", "replace"))


def _died(code: int, output: str) -> ProbeError:
    how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
    lines = [line for line in output.splitlines() if line.strip()]
    return ProbeError(
        f"the probe {how}: {lines[-1] if lines else 'it printed nothing'}",
        "Run the same command again: it goes on with the cells that have no result.",
    )


@contextmanager
def _probe(
    python: Path, module: str, config: dict[str, Any], output: Any
) -> Iterator[tuple[subprocess.Popen[bytes], Iterator[bytes]]]:
    """The running probe and the lines it says on its own descriptor; killed with all its children on the way out."""
    folder = tempfile.TemporaryDirectory(prefix="matrix-probe-", ignore_cleanup_errors=True)
    read, write = os.pipe()
    process = subprocess.Popen(
        [str(python), "-m", module, str(write)],
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=subprocess.STDOUT,
        pass_fds=(write,),
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "kernels")]), "PYTHONNOUSERSITE": "1"},
        cwd=folder.name,
        start_new_session=True,
    )
    os.close(write)
    try:
        with os.fdopen(read, "rb") as lines:
            if process.stdin is not None:
                with suppress(BrokenPipeError):  # it died at once; its exit code says more
                    process.stdin.write(json.dumps(config).encode())
                    process.stdin.close()
            yield process, lines
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        _end_session(process.pid)
        folder.cleanup()


def _end_session(session: int) -> None:
    """Kill what is left of a probe that died before it could clean up."""
    for pid in processes(SESSION, session):
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
