"""What a run is going to do, said before it does it: releases, bytes to download, minutes, disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matrix import environment, locks
from matrix import results as stored
from matrix.cost import BYTES_PER_SECOND, SECONDS_PER_ENVIRONMENT, cell_seconds
from matrix.options import REFERENCE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matrix.options import Options
    from matrix.plan import Task


def announcement(tasks: Sequence[Task], total: int, options: Options) -> str:
    """``tasks`` hold only what is still to be measured; ``total`` is the number of cells selected."""
    cells = sum(len(task.cells) for task in tasks)
    if not tasks:
        return f"All {total} selected cells are known; nothing to measure. --again measures them anew."
    there = {folder.name for folder in environment.complete_environments()}
    missing = [task.release for task in tasks if task.release.name not in there]
    sizes = [locks.download_bytes(release) for release in missing]
    gigabytes = sum(size or 0 for size in sizes) / 1e9
    minutes = max(1, round(_seconds(tasks, len(missing), gigabytes) / 60))
    names = ", ".join(task.release.version for task in tasks)
    lines = [
        f"{len(tasks)} PyTorch releases, {cells} cells to measure ({total - cells} known already)",
        f"in this order: {names}",
        f"to download: at most {gigabytes:.1f} GB for {len(missing)} environments (less what uv has cached)",
        f"about {minutes} minutes on one core; nox -j N measures N environments at once",
        "disk: every environment is kept (--keep-envs)"
        if options.keep_envs
        else f"disk: at most {options.disk_budget_gb:g} GB; finished environments go first (--keep-envs)",
        f"results: {options.results}; stop at any moment, the same command goes on from there",
    ]
    return "\n".join(lines)


def _seconds(tasks: Sequence[Task], missing: int, gigabytes: float) -> float:
    known = stored.load(REFERENCE)
    seconds = missing * SECONDS_PER_ENVIRONMENT + gigabytes * 1e9 / BYTES_PER_SECOND
    return seconds + sum(cell_seconds(cell, known) for task in tasks for cell in task.cells)
