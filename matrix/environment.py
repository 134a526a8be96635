"""Making one isolated environment, keeping it, and throwing it away when the disk budget asks for it.

nox schedules, uv installs. The folder is made here and not by nox, because what goes wrong while it is made must become
a result, and because an environment is worth keeping only when it is complete: a sentinel is written last.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matrix import interpreters, locks
from matrix.catalog import ROOT
from matrix.errors import DiskFullError, InstallError
from matrix.tools import uv

if TYPE_CHECKING:
    from matrix.catalog import Requirements, S, Subject

FOLDER = ROOT / ".nox" / "torch"
OWN_CACHE = ROOT / ".nox" / "uv-cache"
_SENTINEL = "complete.json"
_LOCKED_PLATFORM = ("linux", "x86_64")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where packages come from; the default is what uv is configured for, in the end the public index.

    With any of these set the lock serves as constraints instead of exact, hash-checked pins, since other sources hold
    other builds (a CPU wheel needs no CUDA packages).
    """

    find_links: tuple[str, ...] = ()
    index: str = ""
    torch_backend: str = ""
    offline: bool = False

    @property
    def is_default(self) -> bool:
        return not (self.find_links or self.index or self.torch_backend)

    def arguments(self) -> list[str]:
        options = [argument for folder in self.find_links for argument in ("--find-links", folder)]
        if self.index:
            options += ["--default-index", self.index]
        if self.torch_backend:
            options += ["--torch-backend", self.torch_backend]
        if self.offline:
            options += ["--offline"]
        return options


@dataclass(frozen=True, slots=True)
class Environment:
    """A complete environment: its interpreter, and the seconds it took to make (0 when it was there)."""

    python: Path
    seconds: float

    @property
    def facts(self) -> dict[str, Any]:
        """For the environment's line in the results: nothing that the lock does not say."""
        return {}


def ensure(catalog: Requirements[S], release: S, source: Source) -> Environment:
    """Make the release's environment, or take the complete one that is there.

    Raises InterpreterNotFoundError, NetworkError, InstallError or DiskFullError; nothing half-made is left behind.
    """
    folder = FOLDER / release.name
    python = folder / "bin" / "python"
    identity = _identity(catalog, release, source)
    if _is_complete(folder, identity):
        return Environment(python, 0.0)
    start = time.monotonic()
    shutil.rmtree(folder, ignore_errors=True)
    try:
        _uv(
            ["venv", "--quiet", "--no-project", "--python", str(interpreters.find(release.python)), str(folder)],
            release,
        )
        with _requirements(catalog, release, source) as arguments:
            _uv(["pip", "install", "--quiet", "--python", str(python), *arguments, *source.arguments()], release)
        _write_sentinel(folder, identity)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Environment(python, round(time.monotonic() - start, 1))


def complete_environments() -> list[Path]:
    """Folders of the environments that are complete, least recently used first."""
    found = [path.parent for path in FOLDER.glob(f"*/{_SENTINEL}")]
    return sorted(found, key=lambda folder: (folder / _SENTINEL).stat().st_mtime)


def touch(release: Subject) -> None:
    """Note that the environment was used just now."""
    sentinel = FOLDER / release.name / _SENTINEL
    if sentinel.exists():
        os.utime(sentinel)


def cache_variables() -> dict[str, str]:
    """uv's cache: the user's own when one was chosen by UV_CACHE_DIR, else one below .nox that eviction may clear."""
    return {} if os.environ.get("UV_CACHE_DIR") else {"UV_CACHE_DIR": str(OWN_CACHE)}


def _identity(catalog: Requirements[S], release: S, source: Source) -> str:
    parts = [release.python, locks.digest(catalog, release), *source.arguments()]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _is_complete(folder: Path, identity: str) -> bool:
    try:
        found = json.loads((folder / _SENTINEL).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(found.get("identity") == identity) and (folder / "bin" / "python").exists()


def _write_sentinel(folder: Path, identity: str) -> None:
    temporary = folder / f"{_SENTINEL}.new"
    temporary.write_text(json.dumps({"identity": identity}) + "\n", encoding="utf-8")
    temporary.replace(folder / _SENTINEL)


class _requirements:  # noqa: N801 - used as a context manager only
    """uv's arguments that say what to install, with the files that they name."""

    def __init__(self, catalog: Requirements[S], release: S, source: Source) -> None:
        self._lock = locks.read(release)
        self._path = locks.path_of(release)
        self._requirements = catalog.requirements_of(release)
        self._exact = self._lock is not None and source.is_default and _locked_platform()
        self._folder = tempfile.TemporaryDirectory()

    def __enter__(self) -> list[str]:
        if self._exact:
            return ["--no-deps", "--require-hashes", "-r", str(self._path)]
        arguments = list(self._requirements)
        if self._lock is not None:
            constraints = Path(self._folder.name, "constraints.txt")
            constraints.write_text("\n".join(locks.pins(self._lock)), encoding="utf-8")
            arguments += ["--constraint", str(constraints)]
        return arguments

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()


def _locked_platform() -> bool:
    return (os.uname().sysname.lower(), os.uname().machine) == _LOCKED_PLATFORM


def _uv(arguments: list[str], release: Subject) -> None:
    environment = os.environ | cache_variables() | {"UV_NO_PROGRESS": "1"}
    done = subprocess.run([uv(), *arguments], capture_output=True, text=True, check=False, env=environment)
    if done.returncode == 0:
        return
    if "No space left on device" in done.stderr:
        raise DiskFullError(
            f"no space left while {release.name} was being installed.",
            "Free some space, or lower --disk-budget; results so far are safe, and the same command goes on from here.",
        )
    error = locks.classify(done.stderr, f"cannot install {release.name}")
    if "no version of torch" in done.stderr or "not found in the package registry" in done.stderr:
        raise InstallError(
            error.message, f"Does PyTorch {release.version} exist for Python {release.python} on this index?"
        )
    raise error
