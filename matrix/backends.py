"""Where environments live: beside the checkout, made by uv, or in containers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from matrix import builds, environment, own, probe_process
from matrix.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matrix.catalog import Catalog, Release
    from matrix.containers import Engine, Settings
    from matrix.environment import Source

LOCAL, DOCKER = "local", "docker"
NAMES = (LOCAL, DOCKER)


class Made(Protocol):
    """A complete environment; ``facts`` are for its line in the results."""

    @property
    def seconds(self) -> float: ...
    @property
    def facts(self) -> dict[str, Any]: ...


class Backend(Protocol):
    """What ``measure`` asks of the place where environments live."""

    def ensure(self, catalog: Catalog, release: Release, source: Source) -> Any:
        """Make the environment, or take the one that is there."""

    def extended(self, catalog: Catalog, release: Release, source: Source, needs: tuple[str, ...]) -> Any:
        """One of its own for cases that need further packages."""

    def messages(self, made: Any, config: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Run a probe in it and yield what it says."""

    def build(
        self, made: Any, catalog: Catalog, release: Release, halves: Sequence[str], strategy: str
    ) -> Iterator[dict[str, Any]]:
        """Build the halves of the extension in it."""


class Local:
    """Environments of uv below ``.nox``."""

    def ensure(self, catalog: Catalog, release: Release, source: Source) -> environment.Environment:
        made = environment.ensure(catalog, release, source)
        environment.touch(release)
        return made

    def extended(
        self, catalog: Catalog, release: Release, source: Source, needs: tuple[str, ...]
    ) -> environment.Environment:
        return environment.ensure(own.ExtendedCatalog(catalog), own.Extended(release, needs), source)

    def messages(self, made: environment.Environment, config: dict[str, Any]) -> Iterator[dict[str, Any]]:
        return probe_process.messages(made.python, config)

    def build(
        self,
        made: environment.Environment,
        catalog: Catalog,
        release: Release,
        halves: Sequence[str],
        strategy: str,
    ) -> Iterator[dict[str, Any]]:
        return builds.build(made.python, catalog, release, halves, strategy)


@dataclass(frozen=True)
class Docker:
    """Images and containers of a Docker engine; the engine is asked for when it is first needed."""

    settings: Settings

    @cached_property
    def _engine(self) -> Engine:
        from matrix.containers import Engine

        return Engine.connect(self.settings)

    def ensure(self, catalog: Catalog, release: Release, source: Source) -> Any:
        return self._engine.image(catalog, release, source)

    def extended(self, catalog: Catalog, release: Release, source: Source, needs: tuple[str, ...]) -> Any:  # noqa: ARG002
        raise UsageError(
            f"a container has no place for {', '.join(needs)}.", "Put them into an image and name it by --base-image."
        )

    def messages(self, made: Any, config: dict[str, Any]) -> Iterator[dict[str, Any]]:
        return self._engine.messages(made, config)

    def build(
        self, made: Any, catalog: Catalog, release: Release, halves: Sequence[str], strategy: str
    ) -> Iterator[dict[str, Any]]:
        said = self._engine.front_end(made, strategy)
        return builds.lines(said, catalog, release, halves, strategy)


def chosen(name: str, settings: Settings) -> Backend:
    return Docker(settings) if name == DOCKER else Local()
