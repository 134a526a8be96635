"""``python -m matrix catalog --update``: releases that the index has and the catalog does not know.

The index is asked through uv's resolver, so that mirrors, credentials and local indexes work as they do for
installing. Only what is newer than everything in the catalog is added: older patch releases are left out on purpose
(they can be measured with ``--torch`` at any time).
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

from packaging.version import Version

from matrix import catalog as catalogs
from matrix import locks
from matrix.catalog import ENVS
from matrix.errors import InstallError, NetworkError
from matrix.tools import uv

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matrix.catalog import Catalog, Release

    #: Answers a requirement and a Python version with the newest release that satisfies both, or None.
    Ask = Callable[[str, str], Version | None]

_CUDA = re.compile(r"^(?:cuda-toolkit|nvidia-cuda-runtime(?:-cu\d+)?)==(\d+\.\d+)", re.MULTILINE)


def update(index: str = "", *, path: Path = ENVS / "torch.toml", ask: Ask | None = None) -> list[str]:
    """Add and lock what is new; returns what was done and what to look at, a line each.

    Raises NetworkError when the index does not answer; the catalog is then unchanged.
    """
    ask = ask or (lambda requirement, python: newest(requirement, python, index))
    catalog = catalogs.load(path)
    said = _add_releases(catalog, path, ask)
    said += _newer_companions(catalog, ask)
    return said or ["nothing new: the catalog knows the newest PyTorch, onnx and onnxruntime"]


def newest(requirement: str, python: str, index: str = "") -> Version | None:
    """The newest version that satisfies the requirement for that Python, as uv resolves it."""
    command = [uv(), "pip", "compile", "-", "--python-version", python, "--python-platform", locks.PLATFORM]
    command += ["--no-deps", "--no-header", "--no-annotate", "--quiet", "--no-python-downloads", "--refresh"]
    if index:
        command += ["--default-index", index]
    done = subprocess.run(command, input=requirement, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return Version(done.stdout.strip().split("==")[1].split()[0])
    error: InstallError = locks.classify(done.stderr, f"cannot ask the index for {requirement}")
    if isinstance(error, NetworkError):
        raise error
    return None


def _add_releases(catalog: Catalog, path: Path, ask: Ask) -> list[str]:
    known = catalog.newest
    found: list[Release] = []
    below = ""
    while (version := ask(f"torch>{known.version}{below}", known.python)) is not None:
        found.append(replace(known, version=version.base_version, derived_from=known.version))
        below = f",<{version.major}.{version.minor}"
    said = []
    for release in sorted(found, key=lambda release: release.key):
        lock = locks.make(catalog, release).read_text(encoding="utf-8")
        cuda = _CUDA.search(lock)
        entry = replace(release, cuda=cuda[1] if cuda else release.cuda)
        with path.open("a", encoding="utf-8") as stream:
            stream.write(_table(entry))
        said.append(
            f"added PyTorch {entry.version}, derived from {known.version}: look at its Python ({entry.python}), "
            f"CUDA ({entry.cuda}) and exporters, then measure it: nox -s matrix -- --torch {entry.version}"
        )
    return said


def _table(release: Release) -> str:
    exporters = ", ".join(f'"{name}"' for name in release.exporters)
    return (
        f'\n[[release]]\nversion = "{release.version}"\npython = "{release.python}"\ncuda = "{release.cuda}"\n'
        f"exporters = [{exporters}]\n"
    )


def _newer_companions(catalog: Catalog, ask: Ask) -> list[str]:
    """Newer onnx and onnxruntime than the newest environment's lock holds."""
    lock = locks.read(catalog.newest) or ""
    said = []
    for package in ("onnx", "onnxruntime"):
        pinned = re.search(rf"^{package}==(\S+)", lock, re.MULTILINE)
        version = ask(package, catalog.newest.python)
        if pinned and version is not None and version > Version(pinned[1]):
            said.append(f"{package} {version} is newer than the {pinned[1]} in the locks: pin it with nox -s lock")
    return said
