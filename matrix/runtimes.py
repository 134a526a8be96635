"""Which runtimes exist, read from envs/runtimes.toml, and which of them a run was asked for."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, Any

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from matrix.catalog import ENVS
from matrix.errors import CatalogError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """One release of one engine, and what its environment needs; ``device`` is empty where any machine will do."""

    engine: str
    version: str
    python: str
    module: str
    requirements: tuple[str, ...]
    device: str = ""

    @property
    def name(self) -> str:
        """``ort-1.16.3``: the name of its environment, session and results file."""
        return f"{self.engine}-{self.version}"


@dataclass(frozen=True, kw_only=True)
class RuntimeCatalog:
    """All runtimes, in the order of the file."""

    runtimes: tuple[Runtime, ...]
    default: tuple[str, ...]
    origin: str = "envs/runtimes.toml"

    @cached_property
    def by_name(self) -> dict[str, Runtime]:
        return {runtime.name: runtime for runtime in self.runtimes}

    def requirements_of(self, runtime: Runtime) -> list[str]:
        """Requirements of its environment, unlocked."""
        return list(runtime.requirements)

    def runtime(self, text: str) -> Runtime:
        """The runtime of that name, derived from a release of the same engine if it has no line of its own.

        Raises UnknownNameError for an engine that does not exist or what is no version.
        """
        if text in self.by_name:
            return self.by_name[text]
        engine, _, number = text.rpartition("-")
        family = [runtime for runtime in self.runtimes if runtime.engine == engine]
        try:
            version = Version(number)
        except InvalidVersion:
            family = []
        if not family or len(version.release) < 3:
            raise UnknownNameError("runtime", text, self.by_name)
        same = [runtime for runtime in family if Version(runtime.version).release[:2] == version.release[:2]]
        base = (same or family)[-1]
        requirements = tuple(item.replace(f"=={base.version}", f"=={number}") for item in base.requirements)
        return replace(base, version=number, requirements=requirements)

    def chosen(self, names: Sequence[str], *, everything: bool = False) -> list[Runtime]:
        """Those that the names or patterns say, the default ones without a name, none for the name ``none``."""
        if everything:
            return list(self.runtimes)
        if list(names) == ["none"]:
            return []
        found: dict[str, Runtime] = {}
        for name in names or self.default:
            if any(character in name for character in "*?["):
                matching = [runtime for runtime in self.runtimes if fnmatchcase(runtime.name, name)]
                if not matching:
                    raise UnknownNameError("runtime", name, self.by_name)
            else:
                matching = [self.runtime(name)]
            found |= {runtime.name: runtime for runtime in matching}
        return list(found.values())


def load(path: Path = ENVS / "runtimes.toml") -> RuntimeCatalog:
    """Read the catalog; raises CatalogError with the place for anything that is not as it should be."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        return _from_data(data)
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise CatalogError(
            f"{path}: {type(error).__name__}: {error}", "See the head of that file for the format."
        ) from error


def _from_data(data: dict[str, Any]) -> RuntimeCatalog:
    runtimes = []
    for engine, entry in data["engine"].items():
        for version, python in entry["releases"].items():
            pins = [
                pin["requirement"]
                for pin in data["pin"]
                if pin["engine"] == engine and Version(version) in SpecifierSet(pin["releases"])
            ]
            runtimes.append(
                Runtime(
                    engine=engine,
                    version=version,
                    python=python,
                    module=entry["module"],
                    requirements=(*(item.format(version=version) for item in entry["requirements"]), *pins),
                    device=entry.get("device", ""),
                )
            )
    catalog = RuntimeCatalog(runtimes=tuple(runtimes), default=tuple(data["default"]))
    catalog.chosen(())  # the default names exist
    return catalog
