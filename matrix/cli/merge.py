"""merge: several folders of results into one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from matrix.merge import merge

if TYPE_CHECKING:
    import argparse

    from matrix.cli.common import Commands


def add(commands: Commands) -> None:
    parser = commands.add_parser(
        "merge", help="several folders of results into one, newest measurement per fingerprint"
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument(
        "--into", type=Path, required=True, metavar="FOLDER", help="what it holds already is merged too"
    )
    parser.set_defaults(run=_merge)


def _merge(values: argparse.Namespace) -> int:
    written = merge(values.folders, values.into)
    print(f"{sum(written.values())} lines in {len(written)} files: {values.into}")
    return 0
