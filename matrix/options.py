"""What may stand after ``--``: one parser for `nox -s matrix`, its sessions and `python -m matrix`."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from matrix import backends, builds, own
from matrix.catalog import ROOT
from matrix.containers import Settings as Containers
from matrix.environment import Source
from matrix.errors import UnknownNameError, UsageError
from matrix.selection import Selection
from matrix.shards import Shard

if TYPE_CHECKING:
    from collections.abc import Sequence

REFERENCE = ROOT / "results" / "reference"
LOCAL = ROOT / "results" / "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Everything that a run can be told. Seconds, megabytes and gigabytes (10^9 bytes) as named."""

    selection: Selection = field(default_factory=Selection)
    source: Source = field(default_factory=Source)
    results: Path = LOCAL
    again: bool = False
    keep_envs: bool = False
    disk_budget_gb: float = 15.0
    timeout_s: float = 120.0
    memory_mb: int = 6000
    workers: int = 0
    group: int = 60
    isolate: bool = False
    build: str = "none"
    runtimes: tuple[str, ...] = ()
    all_runtimes: bool = False
    shard: Shard | None = None
    own: tuple[Path, ...] = ()
    backend: str = backends.LOCAL
    containers: Containers = field(default_factory=Containers)


class SuggestingParser(argparse.ArgumentParser):
    """argparse that raises our errors, with suggestions for a mistyped option."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, f"See `{self.prog} --help`.")

    def options(self) -> list[str]:
        return [name for action in self._actions for name in action.option_strings]


def add_selection(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what to measure (lists are separated by commas)")
    group.add_argument("patterns", nargs="*", metavar="CELL", help="cell ids with wildcards: 'torch-1.8.0/opset-11/*'")
    group.add_argument("--cell", action="append", default=[], metavar="CELL", help="the same, by name")
    group.add_argument("--torch", default="", metavar="LIST", help="releases: 1.8.0,2.0.1,newest or '2.*'")
    group.add_argument("--opset", default="", metavar="LIST", help="opsets: 11-16,20")
    group.add_argument("--cases", action="append", type=Path, default=[], metavar="FILE", help="cases of your own")
    group.add_argument("--case", default="", metavar="LIST", help="cases: 'grid_sample-*'")
    group.add_argument("--route", default="", metavar="LIST", help="routes: native,shim")
    group.add_argument("--all-cases", action="store_true", help="every case instead of the core ones")
    group.add_argument("--quick", action="store_true", help="four releases instead of all")


def add_shard(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--shard", type=Shard.parse, metavar="I/N", help="the I-th of N equal parts of the plan")


def add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--results", type=Path, default=LOCAL, metavar="FOLDER", help="where results land")


def run_parser() -> argparse.ArgumentParser:
    parser = SuggestingParser(prog="nox -s matrix --", add_help=False)
    add_selection(parser)
    add_shard(parser)
    add_folder(parser)
    run = parser.add_argument_group("how to measure")
    run.add_argument("--again", action="store_true", help="measure cells anew that have an unchanged result")
    run.add_argument("--timeout", type=float, default=120.0, metavar="SECONDS", help="limit per cell")
    run.add_argument("--memory", type=int, default=6000, metavar="MB", help="limit per cell beyond what torch maps")
    run.add_argument("--workers", type=int, default=0, metavar="N", help="cells measured at once per environment")
    run.add_argument("--group", type=int, default=60, metavar="N", help="cells that share a fork")
    run.add_argument("--isolate", action="store_true", help="one fork per cell, nothing shared between cells")
    run.add_argument("--runtime", default="", metavar="LIST", help="further runtimes: ort-1.16.3,'openvino-*', or none")
    run.add_argument("--all-runtimes", action="store_true", help="every runtime of envs/runtimes.toml, instead of six")
    run.add_argument(
        "--build",
        choices=builds.STRATEGIES,
        default="",
        help="build onnxgrid's extension by this strategy (default: auto in whole runs, none in narrowed ones)",
    )
    source = parser.add_argument_group("where packages come from (passed on to uv)")
    source.add_argument("--find-links", action="append", default=_environment_links(), metavar="FOLDER")
    source.add_argument("--index", default="", metavar="URL")
    source.add_argument("--torch-backend", default="", metavar="NAME", help="cpu, cu118, …: see uv")
    source.add_argument("--offline", action="store_true", help="use only what is cached")
    containers = parser.add_argument_group("containers (see docs/containers.md)")
    containers.add_argument("--backend", choices=backends.NAMES, default=backends.LOCAL)
    containers.add_argument("--base-image", default="", metavar="NAME", help="instead of the catalog's")
    containers.add_argument("--build-network", default="default", metavar="NAME", help="for building images: host, …")
    containers.add_argument("--gpus", action="store_true", help="give the containers the machine's GPUs")
    disk = parser.add_argument_group("disk")
    disk.add_argument("--disk-budget", type=float, default=15.0, metavar="GB", help="for environments and their cache")
    disk.add_argument("--keep-envs", action="store_true", help="keep every environment, whatever it takes")
    return parser


def _environment_links() -> list[str]:
    return [link for link in os.environ.get("MATRIX_FIND_LINKS", "").split(os.pathsep) if link]


def parse(arguments: Sequence[str]) -> Options:
    """Options of a run; raises UsageError for anything that the parser does not know."""
    parser = run_parser()
    values, unknown = parser.parse_known_args(list(arguments))
    if unknown:
        raise unknown_option(parser, unknown[0])
    if values.timeout <= 0 or values.disk_budget <= 0 or values.workers < 0 or values.group < 1:
        raise UsageError("--timeout, --disk-budget and --group must be positive.", f"See `{parser.prog} --help`.")
    selection = selection_of(values)
    return Options(
        selection=selection,
        source=Source(
            find_links=tuple(values.find_links),
            index=values.index,
            torch_backend=values.torch_backend,
            offline=values.offline,
        ),
        results=values.results.resolve(),
        again=values.again,
        keep_envs=values.keep_envs,
        disk_budget_gb=values.disk_budget,
        timeout_s=values.timeout,
        memory_mb=values.memory,
        workers=values.workers,
        group=values.group,
        isolate=values.isolate,
        build=values.build or ("none" if selection.is_narrow else "auto"),
        runtimes=_list(values.runtime),
        all_runtimes=values.all_runtimes,
        shard=values.shard,
        own=tuple(path.resolve() for path in values.cases),
        backend=values.backend,
        containers=Containers(base_image=values.base_image, network=values.build_network, gpus=values.gpus),
    )


def unknown_option(parser: argparse.ArgumentParser, text: str) -> UsageError:
    known = parser.options() if isinstance(parser, SuggestingParser) else []
    return UnknownNameError("option", text.split("=", 1)[0], known)


def selection_of(values: argparse.Namespace) -> Selection:
    """What is selected; files of the user's own cases become known, and stand for the core cases."""
    declared = tuple(case.id for case in own.declare(values.cases))
    named = values.case or values.all_cases or values.patterns or values.cell
    return Selection(
        torch=_list(values.torch),
        opsets=_list(values.opset),
        cases=_list(values.case) if named else declared,
        routes=_list(values.route),
        cells=tuple(values.patterns + values.cell),
        all_cases=values.all_cases,
        quick=values.quick,
    )


def _list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
