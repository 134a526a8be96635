"""The table at the end of a run: one line per environment, passes by route."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from matrix.probe.routes import ROUTES
from matrix.verdicts import USABLE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matrix.plan import Task
    from matrix.results import Results


def table(tasks: Iterable[Task], results: Results) -> str:
    """Rows: environments of the tasks. Columns: routes, as ``passing/measured`` cells of the tasks."""
    rows: list[tuple[str, Counter[str], Counter[str], str]] = []
    for task in tasks:
        total: Counter[str] = Counter()
        passed: Counter[str] = Counter()
        other: defaultdict[str, int] = defaultdict(int)
        for cell in task.cells:
            record = results.cells.get(cell.id)
            if record is None or record["verdict"] in ("unavailable", "not-run"):
                other["unavailable" if record else "not run"] += 1
                continue
            total[cell.route] += 1
            passed[cell.route] += record["verdict"] in USABLE
        rows.append((task.release.name, total, passed, ", ".join(f"{n} {word}" for word, n in other.items())))
    routes = [route for route in ROUTES if any(total[route] for _, total, _, _ in rows)]
    header = f"{'passing/measured':<17}" + "".join(f"{route:>15}" for route in routes)
    lines = [header]
    for name, total, passed, note in rows:
        cells = "".join(f"{f'{passed[route]}/{total[route]}' if total[route] else '–':>15}" for route in routes)
        lines.append(f"{name:<17}{cells}  {note}".rstrip())
    return "\n".join(lines)


def failures(tasks: Iterable[Task], results: Results) -> list[str]:
    """Environments of the tasks that could not be made, each with its reason."""
    found = []
    for task in tasks:
        record = results.environments.get(task.release.name)
        if record is not None and record["verdict"] == "unavailable":
            error = record.get("error", {"type": "", "message": "no reason was recorded"})
            hint = error.get("hint", "")
            found.append(f"{task.release.name}: {error['message']}" + (f"\n    {hint}" if hint else ""))
    return found
