"""ci: the scheduled run as a document for GitHub, GitLab, Kubernetes or Slurm."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from matrix.ci import PROVIDERS, Settings, render, write
from matrix.cli.shards import selection_flags
from matrix.options import add_selection, selection_of

if TYPE_CHECKING:
    import argparse

    from matrix.cli.common import Commands


def add(commands: Commands) -> None:
    usual = Settings()
    parser = commands.add_parser("ci", help="a scheduled run for GitHub, GitLab, Kubernetes or Slurm")
    parser.add_argument("--provider", choices=list(PROVIDERS), required=True)
    parser.add_argument("--write", action="store_true", help="to the provider's own place instead of standard output")
    parser.add_argument("--jobs", type=int, default=usual.jobs, metavar="N", help="at most so many (GitHub takes 256)")
    parser.add_argument("--parallel", type=int, default=usual.parallel, metavar="N", help="at once (kubernetes, slurm)")
    parser.add_argument("--runners", default=",".join(usual.runners), metavar="LIST", help="labels of the GPU runners")
    parser.add_argument("--schedule", default=usual.schedule, metavar="CRON", help="when, in UTC (github)")
    parser.add_argument("--image", default=usual.image, metavar="NAME", help="with Python, git and bash (kubernetes)")
    parser.add_argument("--repository", default=usual.repository, metavar="URL", help="what to clone (kubernetes)")
    parser.add_argument("--gpus", type=int, default=usual.gpus, metavar="N", help="for each job (kubernetes, slurm)")
    add_selection(parser)
    parser.set_defaults(run=_ci)


def _ci(values: argparse.Namespace) -> int:
    provider = PROVIDERS[values.provider]
    settings = Settings(
        jobs=values.jobs,
        parallel=values.parallel,
        runners=tuple(label.strip() for label in values.runners.split(",") if label.strip()),
        schedule=values.schedule,
        image=values.image,
        repository=values.repository,
        gpus=values.gpus,
        selection=selection_of(values),
        flags=tuple(selection_flags(values)),
    )
    text = render(provider, settings)
    if values.write:
        print(write(provider, text))
    else:
        sys.stdout.write(text)
    return 0
