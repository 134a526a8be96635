"""Results -> dashboard, with a lock so that two environments that end together do not write it at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from filelock import FileLock

from matrix import catalog as catalogs
from matrix import results as stored
from matrix.environment import Source
from matrix.errors import MissingDependencyError, writing
from matrix.fingerprint import stale
from matrix.options import REFERENCE

if TYPE_CHECKING:
    from pathlib import Path


def dashboard(folder: Path, *, source: Source | None = None, before: Path | None = None) -> Path:
    """Render ``folder/dashboard`` from the run in ``folder`` laid over the reference run; returns its first page.

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
    catalog = catalogs.load()
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with writing(folder), FileLock(folder / ".dashboard.lock"):
        results = stored.load(*folders)
        old = stale(catalog, results, {folder.name: source or Source()})
        known = known_from(catalog, results, stale=old)
        earlier = stored.load(before) if before is not None else None
        return render(results, folder / "dashboard", known=known, before=earlier, models=folder / "models")
