"""Jobs for the engines that people have, rendered from one plan: no scheduler of our own.

A shard is the unit: ``nox -s matrix -- --shard 3/8`` finds its part by itself, so all that an engine must know is how
many there are.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from matrix import catalog as catalogs
from matrix.catalog import ROOT
from matrix.errors import MissingDependencyError, UsageError
from matrix.plan import make_plan
from matrix.selection import Selection
from matrix.shards import jobs_of

if TYPE_CHECKING:
    from pathlib import Path

_TEMPLATES = ROOT / "templates" / "ci"


@dataclass(frozen=True, slots=True)
class Provider:
    """An engine: its template, where its file lies (None: wherever the user wants), and the most jobs that it takes."""

    name: str
    template: str
    path: str | None
    most_jobs: int
    arguments_at_run_time: bool = False


PROVIDERS = {
    provider.name: provider
    for provider in (
        Provider("github", "github.yml.j2", ".github/workflows/matrix.yml", 256, arguments_at_run_time=True),
        Provider("gitlab", "gitlab.yml.j2", ".gitlab-ci.yml", 200, arguments_at_run_time=True),
        Provider("kubernetes", "kubernetes.yaml.j2", None, 10_000),
        Provider("slurm", "slurm.sh.j2", None, 1_000),
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a site decides."""

    jobs: int = 24
    parallel: int = 8
    runners: tuple[str, ...] = ("self-hosted", "gpu")
    schedule: str = "17 2 * * *"
    image: str = "python:3.12"
    repository: str = "https://example.org/torch-onnx-matrix.git"
    gpus: int = 1
    selection: Selection = field(default_factory=Selection)
    flags: tuple[str, ...] = ()


def render(provider: Provider, settings: Settings) -> str:
    """The document. Raises UsageError for more jobs than the engine takes, or a selection that it is given later."""
    if not 1 <= settings.jobs <= provider.most_jobs:
        raise UsageError(
            f"{provider.name} takes 1 to {provider.most_jobs} jobs, not {settings.jobs}.",
            f"Write --jobs {min(max(settings.jobs, 1), provider.most_jobs)}.",
        )
    if provider.arguments_at_run_time and settings.flags:
        raise UsageError(
            f"{provider.name}'s jobs take their selection when they are started.",
            "Leave it out here, and set ARGUMENTS there.",
        )
    try:
        import jinja2
    except ImportError as error:
        raise MissingDependencyError("rendering needs jinja2.", "pip install jinja2") from error
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - YAML and shell; values are quoted below
    )
    return environment.get_template(provider.template).render(
        jobs=_worth_having(provider, settings),
        parallel=settings.parallel,
        runners=settings.runners,
        schedule=settings.schedule,
        image=settings.image,
        repository=settings.repository,
        gpus=settings.gpus,
        flags=[shlex.quote(flag) for flag in settings.flags],
    )


def _worth_having(provider: Provider, settings: Settings) -> int:
    """GitHub asks for the plan when it runs; the others need the number now: no more jobs than are worth having."""
    if provider.name == "github":
        return settings.jobs
    return len(jobs_of(make_plan(catalogs.load(), settings.selection), settings.jobs))


def write(provider: Provider, text: str, root: Path = ROOT) -> Path:
    """To the place where the engine looks for it."""
    if provider.path is None:
        raise UsageError(f"{provider.name} has no fixed place for its file.", "Leave out --write and redirect.")
    target = root / provider.path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    return target
