"""check: the gate between a run and its baseline."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from matrix import gate
from matrix import results as stored
from matrix.errors import NotMeasuredError, RegressionError, UsageError
from matrix.gate.known import PATH
from matrix.options import REFERENCE, add_folder

if TYPE_CHECKING:
    import argparse

    from matrix.cli.common import Commands


def add(commands: Commands) -> None:
    parser = commands.add_parser("check", help="fail when something passed, built or was quick and no longer is")
    add_folder(parser)
    parser.add_argument("--baseline", type=Path, default=REFERENCE, metavar="FOLDER", help="default: the reference run")
    parser.add_argument("--factor", type=float, default=1.5, metavar="F", help="how much slower a route may become")
    parser.add_argument("--known", type=Path, default=PATH, metavar="FILE", help="known failures")
    parser.add_argument("--allow-unmeasured", action="store_true", help="do not fail for what could not be measured")
    parser.add_argument("--json", action="store_true")
    parser.set_defaults(run=_check)


def _check(values: argparse.Namespace) -> int:
    if values.factor < 1:
        raise UsageError(f"--factor {values.factor:g} would forbid equal speed.", "Give a factor of 1 or more.")
    for folder in (values.baseline, values.results):
        if not stored.files(folder):
            raise NotMeasuredError(f"{folder} holds no results.", "Measure first: nox -s matrix.")
    found = gate.compare(
        stored.load(values.baseline),
        stored.load(values.results),
        factor=values.factor,
        known=gate.load_known(values.known),
        today=datetime.now(UTC).date(),
    )
    print(json.dumps(gate.as_json(found), ensure_ascii=False) if values.json else gate.as_text(found).rstrip())
    broken = sum(len(group.changes) for group in found.of("regression"))
    if broken:
        raise RegressionError(
            f"{broken} regressions with {len(found.of('regression'))} causes.",
            f"Mend them, or excuse them for a while, with a reason, in {PATH.relative_to(PATH.parent.parent)}.",
        )
    unmeasured = found.of("unmeasured")
    if not values.allow_unmeasured and (unmeasured or not found.compared):
        count = sum(len(group.changes) for group in unmeasured)
        message = f"{count} subjects could not be measured" if count else "the runs have no measured cell in common"
        raise NotMeasuredError(f"{message}, so nothing is proved.", "Mend the set-up, or pass --allow-unmeasured.")
    return 0
