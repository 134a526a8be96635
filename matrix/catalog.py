"""The catalog: which environments exist, read from envs/torch.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TypeVar

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from matrix.errors import CatalogError, UnknownNameError

ROOT = Path(__file__).resolve().parent.parent
ENVS = ROOT / "envs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One PyTorch release and what its environment needs.

    ``image`` is the public image that a container of it starts from. ``derived_from`` names the catalog's release whose
    values it takes when it has no table of its own.
    """

    version: str
    python: str
    cuda: str
    exporters: tuple[str, ...]
    image: str = ""
    derived_from: str = ""

    @property
    def name(self) -> str:
        """The environment's name, ``torch-1.8.0``."""
        return f"torch-{self.version}"

    @property
    def key(self) -> Version:
        return Version(self.version)


class Subject(Protocol):
    """What an environment is made for: a PyTorch release, or a runtime."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def python(self) -> str: ...


S = TypeVar("S", bound=Subject)
S_contra = TypeVar("S_contra", bound=Subject, contravariant=True)


class Requirements(Protocol[S_contra]):
    """Who knows what the environment of a subject needs; ``origin`` is the file that it knows it from."""

    @property
    def origin(self) -> str: ...
    def requirements_of(self, release: S_contra, /) -> list[str]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A requirement that holds for a range of releases, with what breaks without it."""

    releases: SpecifierSet
    requirement: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Catalog:
    """All releases, from old to new, and the rules by which others are derived."""

    releases: tuple[Release, ...]
    pins: tuple[Pin, ...]
    requirements: dict[str, tuple[str, ...]]
    opsets: range
    oldest: str
    first: tuple[str, ...]
    quick: tuple[str, ...]
    origin: str = "envs/torch.toml"

    @cached_property
    def by_version(self) -> dict[str, Release]:
        return {release.version: release for release in self.releases}

    @property
    def newest(self) -> Release:
        return self.releases[-1]

    def release(self, text: str) -> Release:
        """The release of that version, derived by the rule if it has no table; ``newest`` names the last one.

        Raises UnknownNameError for what is no version, or is older than the oldest that the rule allows.
        """
        if text == "newest":
            return self.newest
        if text in self.by_version:
            return self.by_version[text]
        try:
            version = Version(text)
        except InvalidVersion:
            raise UnknownNameError("PyTorch release", text, self.by_version) from None
        base = [release for release in self.releases if _minor(release.key) == _minor(version)]
        if version > self.newest.key:
            base = [self.newest]
        if version < Version(self.oldest) or not base or len(version.release) != 3 or version.local:
            raise UnknownNameError("PyTorch release", text, self.by_version)
        if str(version) in self.by_version:  # another spelling, such as 1.8.00
            return self.by_version[str(version)]
        return replace(base[-1], version=str(version), derived_from=base[-1].version)

    def in_order_of_interest(self, releases: list[Release]) -> list[Release]:
        """Those that most people ask about first, then from old to new."""
        first = [self.release(text) for text in self.first]
        return sorted(releases, key=lambda r: (first.index(r) if r in first else len(first), r.key))

    def requirements_of(self, release: Release) -> list[str]:
        """Requirements of an environment, unlocked: the release itself exactly, everything else as the pins say."""
        names = [*self.requirements["all"]]
        if "dynamo" in release.exporters:
            names += self.requirements["dynamo"]
        pinned = [pin.requirement for pin in self.pins if release.key in pin.releases]
        torch = f"torch=={release.version}"
        return [torch if name == "torch" else name for name in names] + pinned


def _minor(version: Version) -> tuple[int, int]:
    return version.major, version.minor


def load(path: Path = ENVS / "torch.toml") -> Catalog:
    """Read the catalog; raises CatalogError with the place for anything that is not as it should be."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise CatalogError(f"{path}: {error}") from error
    try:
        return _from_data(data)
    except (KeyError, TypeError, ValueError) as error:
        raise CatalogError(
            f"{path}: {type(error).__name__}: {error}", "See the head of that file for the format."
        ) from error


def _from_data(data: dict[str, Any]) -> Catalog:
    releases = [
        Release(
            version=entry["version"],
            python=entry["python"],
            cuda=entry["cuda"],
            exporters=tuple(entry["exporters"]),
            image=entry.get("image", f"python:{entry['python']}-slim"),
        )
        for entry in data["release"]
    ]
    pins = [
        Pin(releases=SpecifierSet(pin["releases"]), requirement=pin["requirement"], reason=pin["reason"])
        for pin in data["pin"]
    ]
    rule = data["rule"]
    return Catalog(
        releases=tuple(sorted(releases, key=lambda release: release.key)),
        pins=tuple(pins),
        requirements={name: tuple(values) for name, values in data["requirements"].items()},
        opsets=range(data["opsets"]["first"], data["opsets"]["last"] + 1),
        oldest=rule["oldest"],
        first=tuple(rule["first"]),
        quick=tuple(rule["quick"]),
    )
