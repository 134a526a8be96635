"""plan, dashboard, catalog, lock."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from matrix import catalog as catalogs
from matrix import runtimes
from matrix.options import REFERENCE, add_folder, add_selection, add_shard, selection_of
from matrix.plan import make_plan
from matrix.shards import select

if TYPE_CHECKING:
    import argparse

    from matrix.cli.common import Commands


def add(commands: Commands) -> None:
    plan = commands.add_parser("plan", help="print the cells that a selection names, without running them")
    add_selection(plan)
    add_shard(plan)
    plan.set_defaults(run=_plan)

    dashboard = commands.add_parser("dashboard", help="render the dashboard again")
    add_folder(dashboard)
    dashboard.add_argument("--reference", action="store_true", help="of the reference run alone")
    dashboard.add_argument("--before", type=Path, metavar="FOLDER", help="an earlier run, for the page of changes")
    dashboard.set_defaults(run=_dashboard)

    catalog = commands.add_parser("catalog", help="list the releases; --update adds those that the index has beyond")
    catalog.add_argument("--update", action="store_true", help="ask the index, add entries, lock them")
    catalog.add_argument("--index", default="", metavar="URL", help="another index than uv's default")
    catalog.set_defaults(run=_catalog)

    lock = commands.add_parser("lock", help="resolve and pin environments (needs the network)")
    lock.add_argument("releases", nargs="*", metavar="NAME", help="1.8.0, ort-1.16.3, runtimes; default: all")
    lock.set_defaults(run=_lock)


def _plan(values: argparse.Namespace) -> int:
    tasks = select(make_plan(catalogs.load(), selection_of(values)), values.shard)
    for task in tasks:
        for cell in task.cells:
            print(cell.id)
    print(f"{sum(len(task.cells) for task in tasks)} cells in {len(tasks)} environments", file=sys.stderr)
    return 0


def _dashboard(values: argparse.Namespace) -> int:
    from matrix.publish import dashboard

    folder = REFERENCE if values.reference else values.results
    print(dashboard(folder, before=values.before))
    return 0


def _catalog(values: argparse.Namespace) -> int:
    from matrix import updates

    if values.update:
        for line in updates.update(values.index):
            print(line)
        return 0
    for release in catalogs.load().releases:
        print(f"{release.version:<8} Python {release.python:<5} CUDA {release.cuda:<5} {' '.join(release.exporters)}")
    return 0


def _lock(values: argparse.Namespace) -> int:
    from matrix import locks

    catalog, engines = catalogs.load(), runtimes.load()
    named = [name for name in values.releases if name != "runtimes"]
    everything = not values.releases
    for name in named or ([release.version for release in catalog.releases] if everything else []):
        if name[0].isdigit() or name == "newest":
            _say(locks.make(catalog, catalog.release(name)))
        else:
            _say(locks.make(engines, engines.runtime(name)))
    for runtime in engines.runtimes if everything or "runtimes" in values.releases else ():
        _say(locks.make(engines, runtime))
    return 0


def _say(lock: Path) -> None:
    from matrix import locks

    print(f"{lock.name}: {locks.size_of(lock) / 1e9:.2f} GB to download", flush=True)
