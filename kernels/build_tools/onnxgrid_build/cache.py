"""Build results by the digest of everything they depend on, published whole or not at all."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Callable, Iterable, Optional

# Beside this package where it is installed, below kernels/ in the source tree.
_INSTALLED = Path(__file__).resolve().parent / "csrc"
CSRC = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).resolve().parents[2] / "csrc"


def default_root() -> Path:
    """Where builds are kept: ``ONNXGRID_BUILD_CACHE``, else the user's cache folder."""
    named = os.environ.get("ONNXGRID_BUILD_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "onnxgrid-build"


def digest(parts: Iterable[str], sources: Iterable[Path] = ()) -> str:
    """A short name for compiler, flags and versions (``parts``) together with the contents of ``sources``."""
    total = hashlib.sha256()
    for part in parts:
        total.update(part.encode() + b"\0")
    for source in sorted(sources):
        total.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return total.hexdigest()[:20]


def sources(*folders: str) -> list[Path]:
    """All C++ and CUDA files of the named folders below ``csrc``."""
    return [path for folder in folders for path in sorted((CSRC / folder).iterdir()) if path.is_file()]


class Cache:
    """Folders ``root/kind-key``; one exists only if its build succeeded."""

    def __init__(self, root: Optional[Path] = None) -> None:
        self.root = root or default_root()

    def get(self, kind: str, key: str, build: Callable[[Path], None]) -> tuple[Path, bool]:
        """The folder of a build and whether it was there already; ``build`` fills a new one."""
        final = self.root / f"{kind}-{key}"
        if final.is_dir():
            return final, True
        self.root.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{kind}-", dir=str(self.root)))
        try:
            build(scratch)
            try:
                os.replace(str(scratch), str(final))
            except OSError:  # another process was faster
                if not final.is_dir():
                    raise
        finally:
            shutil.rmtree(str(scratch), ignore_errors=True)
        return final, False
