"""What every forked child does, whatever it measures: talk to the zygote, keep what is printed, stay within limits.

On the pipe to the zygote a child writes ``S <index>`` when it starts a cell, ``T <stage>`` at each stage and
``R <json>`` when it has finished it, one line each; ``F`` when the rest of its group is to go on in a fresh child.
Everything that native code or the case prints goes to a file of the child's own, of which the last part is kept with
a failure.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
from typing import Any, Callable, Dict

from matrix.probe.lifetime import die_with_parent

OUTPUT_LIMIT = 1500
#: High enough that a case which closes descriptors 0 - 20, or opens a few files, does not touch it.
PIPE_FD = 201
CAPTURE_FD = 202

#: The child itself; a process that a case forked, and that came back out of the case, is not the cell.
_child = 0


def run(pipe: int, memory_mb: int, work: Callable[[], None]) -> None:
    """Do the work as a child of the zygote, then leave without running anybody's exit handlers."""
    global _child  # noqa: PLW0603 - a property of the process
    status = 1
    try:
        _child = os.getpid()
        os.setpgid(0, 0)
        die_with_parent()
        _own_folder()
        os.dup2(pipe, PIPE_FD, inheritable=False)
        os.close(pipe)
        _capture()
        _limit_memory(memory_mb)
        work()
        status = 0
    finally:
        os._exit(status)


def start(index: int) -> None:
    """A cell begins; what was printed before is forgotten."""
    _only_the_child()
    os.ftruncate(CAPTURE_FD, 0)
    os.lseek(CAPTURE_FD, 0, os.SEEK_SET)
    os.write(PIPE_FD, b"S %d\n" % index)


def stage(name: str) -> None:
    """A stage begins, so that a crash can be laid at the right door."""
    _only_the_child()
    os.write(PIPE_FD, b"T " + name.encode() + b"\n")


def report(record: Dict[str, Any]) -> None:
    """The cell is finished; a failure takes along what was printed."""
    _only_the_child()
    if "error" in record:
        output = captured()
        if output:
            record["output"] = output
    data = b"R " + json.dumps(record, separators=(",", ":")).encode() + b"\n"
    while data:
        data = data[os.write(PIPE_FD, data) :]


def leave() -> None:
    """The cells that are left are to be measured in a fresh child."""
    os.write(PIPE_FD, b"F\n")


def _only_the_child() -> None:
    if _child not in (0, os.getpid()):
        os._exit(0)


def _own_folder() -> None:
    """A working folder that a case may fill or delete; the zygote removes it."""
    name = str(os.getpid())
    try:
        os.makedirs(name, exist_ok=True)  # noqa: PTH103
        os.chdir(name)
    except OSError:  # a full or read-only disk: the cell may still be measured
        return


def without_paths(text: str) -> str:
    """The text without where this environment and this checkout lie: results are read on other machines."""
    checkout = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120
    for folder, name in ((sys.prefix, "<environment>"), (checkout, "<matrix>")):
        text = text.replace(folder, name)
    return text


def captured(fd: int = CAPTURE_FD) -> str:
    """The last part of what was printed since the cell began, without the exporter's terminal colours."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # noqa: BLE001, S112 - the case may have replaced or closed it
            continue
    size = os.fstat(fd).st_size
    data = os.pread(fd, OUTPUT_LIMIT, max(0, size - OUTPUT_LIMIT))
    return without_paths(data.decode("utf-8", "replace").strip())


def _capture() -> None:
    with tempfile.TemporaryFile() as stream:
        os.dup2(stream.fileno(), CAPTURE_FD, inheritable=False)
    for fd in (1, 2):
        os.dup2(CAPTURE_FD, fd)


def _limit_memory(megabytes: int) -> None:
    if megabytes <= 0:
        return
    with open("/proc/self/statm", encoding="ascii") as stream:  # noqa: PTH123
        mapped = int(stream.read().split()[0]) * resource.getpagesize()
    limit = mapped + megabytes * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
