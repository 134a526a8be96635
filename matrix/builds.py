"""The compiled half of onnxgrid in an environment: built by its own front-end, recorded as ``build`` lines."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

from matrix import locks, machine
from matrix.catalog import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from matrix.catalog import Catalog, Release

KERNELS = ROOT / "kernels"
CACHE = ROOT / ".nox" / "builds"
HALVES = ("cpp", "cuda")
NONE = "none"
STRATEGIES = ("auto", "toolkit", "wheels", "split", "nvrtc", "textbook", NONE)
_TIMEOUT_S = 900
_SOURCES = ("*.h", "*.cpp", "*.cu", "*.cuh", "*.py")
#: Fields that the front-end says and a ``build`` line keeps.
_KEPT = (
    "half", "verdict", "strategy", "reached", "compiler", "compiler_version", "cuda_version", "flags", "architectures",
    "seconds", "cpu_seconds", "warning", "error",
)  # fmt: skip


def fingerprint(catalog: Catalog, release: Release, half: str, strategy: str) -> str:
    """Of all that may change a build's outcome on this machine."""
    parts = [locks.digest(catalog, release), half, strategy, _sources_digest()]
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:12]


@functools.cache
def _sources_digest() -> str:
    total = hashlib.sha256()
    for folder in ("csrc", "build_tools"):
        for pattern in _SOURCES:
            for path in sorted((KERNELS / folder).rglob(pattern)):
                total.update(path.name.encode() + path.read_bytes())
    return total.hexdigest()


def pending_halves(
    known: Sequence[dict[str, Any]], catalog: Catalog, release: Release, strategy: str, *, again: bool
) -> list[str]:
    """Halves without a build of an unchanged fingerprint among the ``known`` build lines."""
    if strategy == NONE:
        return []
    done = {} if again else {line["half"]: line["fingerprint"] for line in known if line["verdict"] != "unavailable"}
    return [half for half in HALVES if done.get(half) != fingerprint(catalog, release, half, strategy)]


def build(
    python: Path, catalog: Catalog, release: Release, halves: Sequence[str], strategy: str
) -> Iterator[dict[str, Any]]:
    """A ``build`` line per half, as soon as it is built.

    A front-end that dies or does not end becomes a line too: verdict ``error``, with what it said last.
    """
    return lines(lambda half: front_end(python, half, strategy), catalog, release, halves, strategy)


def lines(
    said_of: Callable[[str], dict[str, Any]], catalog: Catalog, release: Release, halves: Sequence[str], strategy: str
) -> Iterator[dict[str, Any]]:
    """The ``build`` lines, from what the front-end says of each half."""
    for half in halves:
        said = said_of(half)
        kept = {name: said[name] for name in _KEPT if said.get(name) is not None}
        yield {
            "kind": "build",
            "torch": release.version,
            "strategy": strategy,
            "reached": "",
            **kept,
            "half": half,
            "fingerprint": fingerprint(catalog, release, half, strategy),
            "measured_at": machine.now(),
            "machine": machine.describe()["id"],
        }


def front_end(python: Path, half: str, strategy: str) -> dict[str, Any]:
    """What onnxgrid's own front-end says of one half, all of it; ``library`` names the file where there is one."""
    paths = os.pathsep.join([str(KERNELS), str(KERNELS / "build_tools")])
    try:
        done = subprocess.run(
            [str(python), *arguments(half, strategy)],
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIMEOUT_S,
            env=os.environ | {"PYTHONPATH": paths, "ONNXGRID_BUILD_CACHE": str(CACHE), "PYTHONNOUSERSITE": "1"},
        )
    except subprocess.TimeoutExpired:
        return _failure("Timeout", f"the build did not end within {_TIMEOUT_S} s")
    return outcome(done.stdout, done.stderr, done.returncode)


def arguments(half: str, strategy: str) -> list[str]:
    """Of the interpreter, to run the front-end."""
    return ["-m", "onnxgrid_build", "--json", "--half", half, "--strategy", strategy]


def outcome(stdout: str, stderr: str, code: int) -> dict[str, Any]:
    """What the front-end said last, or that it said nothing."""
    for line in reversed(stdout.splitlines()):
        if line.startswith("{"):
            said: dict[str, Any] = json.loads(line)
            return said
    last = (stderr.strip().splitlines() or ["it said nothing"])[-1]
    return _failure("BuildFailed", f"the build front-end ended with exit code {code}: {last[:300]}")


def _failure(kind: str, message: str) -> dict[str, Any]:
    return {"verdict": "error", "error": {"type": kind, "message": message}}
