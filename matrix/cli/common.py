"""What several subcommands share: which results they read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from matrix import results as stored
from matrix.options import REFERENCE, add_folder

if TYPE_CHECKING:
    import argparse

    from matrix.results import Results

#: argparse has no public name for what ``add_subparsers`` gives.
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001


def add_source(parser: argparse.ArgumentParser) -> None:
    """--results and --from."""
    add_folder(parser)
    parser.add_argument("--from", dest="only", type=Path, metavar="FOLDER", help="read this folder alone")


def known_results(values: argparse.Namespace) -> Results:
    """What ``add_source`` names: one folder alone, or this machine's results over the reference run's."""
    return stored.load(values.only, check=True) if values.only else stored.load(REFERENCE, values.results)
