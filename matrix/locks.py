"""Exact pins per environment: made by uv from the catalog, kept in envs/locks/, never with an index address.

A lock is a plain requirements file with hashes, for CPython on Linux x86_64. Its head names the requirements it was
made from and the bytes to download, so that a run can say beforehand what it will cost.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from packaging import tags
from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from matrix.catalog import ENVS
from matrix.errors import InstallError, NetworkError
from matrix.tools import uv

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matrix.catalog import Requirements, S, Subject

FOLDER = ENVS / "locks"
PLATFORM = "x86_64-manylinux_2_28"
_DOWNLOAD = re.compile(r"^# download: (\d+)$", re.MULTILINE)


def path_of(release: Subject) -> Path:
    return FOLDER / f"{release.name}.txt"


def read(release: Subject) -> str | None:
    """The lock's text, or None for a release that has none (a derived one)."""
    path = path_of(release)
    return path.read_text(encoding="utf-8") if path.exists() else None


def digest(catalog: Requirements[S], release: S) -> str:
    """Identifies what an environment is made from: its lock, or its requirements when there is no lock."""
    text = read(release) or "\n".join(catalog.requirements_of(release))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def download_bytes(release: Subject) -> int | None:
    """Bytes that an empty cache has to download, as measured when the lock was made."""
    match = _DOWNLOAD.search(read(release) or "")
    return int(match[1]) if match else None


def size_of(lock: Path) -> int:
    """The same for the file of a lock, 0 when it does not say."""
    match = _DOWNLOAD.search(lock.read_text(encoding="utf-8"))
    return int(match[1]) if match else 0


def pins(lock: str) -> Iterator[str]:
    """``name==version`` lines of a lock, without hashes; torch's own companions are left to the other source."""
    for line in lock.splitlines():
        if line[:1].isalnum():
            yield line.removesuffix("\\").strip()


def make(catalog: Requirements[S], release: S) -> Path:
    """Resolve the release's requirements and write its lock.

    Raises NetworkError when the index does not answer and InstallError when there is no resolution.
    """
    requirements = catalog.requirements_of(release)
    with TemporaryDirectory() as folder:
        source = Path(folder, "requirements.in")
        source.write_text("\n".join(requirements), encoding="utf-8")
        pins = _compile(source, release, "--generate-hashes")
        standard = tomllib.loads(_compile(source, release, "--format", "pylock.toml"))
    size = sum(_wheel_size(package, release.python) for package in standard["packages"])
    head = [
        f"# Made by `nox -s lock` from {catalog.origin}; do not edit.",
        f"# python: {release.python}  platform: {PLATFORM}",
        *(f"# requires: {requirement}" for requirement in requirements),
        f"# download: {size}",
    ]
    path = path_of(release)
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(head) + "\n" + pins, encoding="utf-8")
    return path


def _compile(source: Path, release: Subject, *options: str) -> str:
    command = [uv(), "pip", "compile", str(source), "--python-version", release.python, "--python-platform", PLATFORM]
    command += ["--no-header", "--no-annotate", "--quiet", "--no-python-downloads", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise classify(done.stderr, f"cannot lock {release.name}")
    return done.stdout


def classify(stderr: str, what: str) -> InstallError:
    """uv's complaint as one of our errors."""
    lines = [line.strip(" ×╰─▶├│") for line in stderr.splitlines() if line.strip()]
    said = " ".join(lines)[:600] or "uv gave no reason"
    if re.search(
        r"error sending request|dns error|[Cc]onnection refused|timed out|HTTP status|Failed to fetch", stderr
    ):
        return NetworkError(
            f"{what}: the package index did not answer ({said}).",
            "Check the connection; behind a mirror, pass --index URL or --find-links FOLDER.",
        )
    return InstallError(f"{what}: {said}", "See `uv pip compile` for the resolution, or choose another release.")


def _wheel_size(package: dict[str, Any], python: str) -> int:
    """Bytes of the wheel that pip would choose for CPython ``python`` on Linux x86_64."""
    version = tuple(map(int, python.split(".")))
    platforms = [tag for minor in range(39, 4, -1) for tag in _platforms(minor)] + ["linux_x86_64"]
    supported = {
        tag: rank
        for rank, tag in enumerate(
            [*tags.cpython_tags(version, platforms=platforms), *tags.compatible_tags(version, platforms=platforms)]
        )
    }
    best: tuple[int, int] | None = None
    for wheel in package.get("wheels", ()):
        try:
            _, _, _, offered = parse_wheel_filename(
                wheel.get("name") or wheel["url"].rsplit("/", 1)[1].replace("%2B", "+")
            )
        except InvalidWheelFilename:
            continue
        ranks = [supported[tag] for tag in offered if tag in supported]
        if ranks and (best is None or min(ranks) < best[0]):
            best = (min(ranks), wheel.get("size", 0))
    if best is not None:
        return best[1]
    size: int = package.get("sdist", {}).get("size", 0)
    return size


def _platforms(minor: int) -> list[str]:
    legacy = {17: "manylinux2014_x86_64", 12: "manylinux2010_x86_64", 5: "manylinux1_x86_64"}
    return [f"manylinux_2_{minor}_x86_64", *([legacy[minor]] if minor in legacy else [])]
