"""The folder that a report is written to: only what changed is written, what is no longer part of it goes."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = "files.json"


class Folder:
    """Collects files and writes them when closed.

    A file is replaced whole (written beside, then renamed), so a page that is open in a browser may be reloaded at
    any moment. Files of an earlier rendering that are not written again are removed; nothing else in the folder is
    touched.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._written: list[str] = []

    def write(self, name: str, text: str) -> None:
        """Write one file, ``name`` relative to the folder."""
        data = text.encode()
        target = self._path / name
        self._written.append(name)
        try:
            if target.read_bytes() == data:
                return
        except OSError:
            target.parent.mkdir(parents=True, exist_ok=True)
        beside = target.with_name(f".{target.name}.{os.getpid()}")
        beside.write_bytes(data)
        beside.replace(target)

    def finish(self) -> None:
        """Remove what an earlier rendering left and remember what this one wrote."""
        for name in self._earlier() - {*self._written, MANIFEST}:
            (self._path / name).unlink(missing_ok=True)
        self.write(MANIFEST, json.dumps(sorted({*self._written, MANIFEST}), indent=0) + "\n")

    def _earlier(self) -> set[str]:
        try:
            names = json.loads((self._path / MANIFEST).read_bytes())
        except (OSError, ValueError):
            return set()
        root = self._path.resolve()
        return {name for name in names if isinstance(name, str) and (root / name).resolve().is_relative_to(root)}
