"""The programs that the host side calls."""

from __future__ import annotations

import functools
import shutil

from matrix.errors import MissingDependencyError


@functools.cache
def uv() -> str:
    """Path of uv: the one beside this Python, or the one on PATH."""
    try:
        from uv import find_uv_bin
    except ImportError:
        found = shutil.which("uv")
    else:
        found = find_uv_bin()
    if found is None:
        raise MissingDependencyError("uv is not installed.", "pip install uv")
    return found
