"""Results -> dashboard, with a lock so that two environments that end together do not write it at once."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from filelock import FileLock

from matrix import catalog as catalogs
from matrix import results as stored
from matrix.catalog import ROOT
from matrix.environment import Source
from matrix.errors import MissingDependencyError, writing
from matrix.fingerprint import stale
from matrix.options import REFERENCE

if TYPE_CHECKING:
    from pathlib import Path

#: Where the code and the data lie that turn results into pages, and that tell which results are stale.
_CODE = ("matrix", "templates", "envs", "kernels/onnxgrid")


def dashboard(folder: Path, *, source: Source | None = None, before: Path | None = None) -> Path:
    """Render ``folder/dashboard`` from the run in ``folder`` laid over the reference run; returns its first page.

    Nothing is done when nothing has changed since it was rendered last.

    ``source`` tells where the run's packages came from. ``before`` is the folder of an earlier run, for the page of
    changes.
    """
    try:
        from matrix.report.axes import known_from
        from matrix.report.dashboard import render
    except ImportError as error:
        raise MissingDependencyError(
            f"the dashboard needs {error.name}, which is not installed for this Python.",
            "pip install jinja2 pygal, or run it through nox: nox -s dashboard",
        ) from error
    folders = [folder] if folder == REFERENCE else [REFERENCE, folder]
    page, stamp = folder / "dashboard" / "index.html", folder / ".dashboard.stamp"
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with writing(folder), FileLock(folder / ".dashboard.lock"):
        made_from = _made_from(folders, source)
        if before is None and page.exists() and _text(stamp) == made_from:
            return page
        stamp.unlink(missing_ok=True)
        catalog = catalogs.load()
        results = stored.load(*folders)
        old = stale(catalog, results, {folder.name: source or Source()})
        known = known_from(catalog, results, stale=old)
        earlier = stored.load(before) if before is not None else None
        page = render(results, folder / "dashboard", known=known, before=earlier, models=folder / "models")
        if before is None:
            stamp.write_text(made_from, encoding="utf-8")
        return page


def _made_from(folders: list[Path], source: Source | None) -> str:
    """A digest of everything that the pages are a function of, by size and time of change: a glance, not a reading."""
    total = hashlib.sha256(repr(source).encode())
    looked_at: list[tuple[Path, tuple[str, ...]]] = [(folder, ("*.jsonl", "models/*")) for folder in folders]
    looked_at += [
        (ROOT / name, ("**/*.py", "**/*.j2", "**/*.toml", "**/*.js", "**/*.css", "**/*.txt")) for name in _CODE
    ]
    for folder, patterns in looked_at:
        for path in sorted(found for pattern in patterns for found in folder.glob(pattern)):
            status = path.stat()
            total.update(f"{path}|{status.st_size}|{status.st_mtime_ns}".encode())
    return total.hexdigest()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
