"""Disk budget: what environments and their cached wheels take together, and which of them go first.

uv's cache shares its files with the environments by hard link, so deleting one of the two frees nothing: an evicted
environment's packages leave the cache too, unless another environment still uses them. A cache that the user chose by
UV_CACHE_DIR is not ours: it is neither counted nor cleared.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from matrix import environment
from matrix.tools import uv

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

GIGABYTE = 1_000_000_000


def used_bytes(folders: Iterable[Path]) -> int:
    """Bytes on disk below the folders, files shared by hard link counted once."""
    seen: set[int] = set()
    total = 0
    for folder in folders:
        for directory, _, names in os.walk(folder):
            for name in names:
                try:
                    status = os.lstat(os.path.join(directory, name))  # noqa: PTH118 - a million files
                except FileNotFoundError:
                    continue
                if status.st_ino not in seen:
                    seen.add(status.st_ino)
                    total += status.st_blocks * 512
    return total


def enforce(budget_bytes: int, *, keep: frozenset[str]) -> list[str]:
    """Evict least recently used environments until the budget holds; those named in ``keep`` stay.

    Returns the names of the evicted ones.
    """
    owned = [environment.FOLDER]
    if environment.cache_variables():
        owned.append(environment.OWN_CACHE)
    evicted: list[str] = []
    for folder in environment.complete_environments():
        if used_bytes(owned) <= budget_bytes:
            break
        if folder.name in keep:
            continue
        packages = _packages(folder)
        shutil.rmtree(folder, ignore_errors=True)
        evicted.append(folder.name)
        _clear_cache(packages)
    return evicted


def _packages(folder: Path) -> list[str]:
    """Distributions of an environment that are worth clearing: torch and what it brings."""
    names = {path.name.split("-")[0].replace("_", "-") for path in folder.glob("lib/python*/site-packages/*.dist-info")}
    return sorted(name for name in names if name.startswith(("torch", "nvidia", "triton", "cuda")))


def _clear_cache(packages: list[str]) -> None:
    """Live environments keep their hard links; a package that is needed again is downloaded again."""
    variables = environment.cache_variables()
    if variables and packages:
        subprocess.run(
            [uv(), "cache", "clean", "--quiet", *packages], env=os.environ | variables, check=False, capture_output=True
        )
