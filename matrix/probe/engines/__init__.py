"""Engines: what runs an exported file, one module each, chosen by name.

An engine is a module with three functions (the protocol ``Engine``); what it loads is a ``Session``. To add one, write
the module, name it in ``envs/runtimes.toml`` and give ``matrix.probe.refusals`` the phrases in which it refuses.
"""

from __future__ import annotations

import importlib
from typing import Any, Dict, List, Mapping, Optional, Protocol, cast

Feeds = Mapping[str, Any]


class RefusedError(Exception):
    """Raised by a run of an engine that looks at a file only when it knows the shapes: the file is refused."""


class Session(Protocol):
    """One file, ready to run."""

    def run(self, feeds: Feeds) -> List[Any]:
        """The outputs as numpy arrays in the file's order; ``feeds`` are arrays by input name, of any size."""

    def placement(self) -> Optional[str]:
        """Where the operators ran, when that is not where they were asked to run; asked after a run."""

    def close(self) -> None:
        """Give back what the session holds."""


class Engine(Protocol):
    """A module of this folder."""

    def version(self) -> str:
        """The version that is really installed."""

    def warm(self) -> None:
        """Import everything lazy; called once before the process forks, so it must not leave a thread running."""

    def load(self, path: str, options: Dict[str, Any]) -> Session:
        """Open the file; raises whatever the runtime raises when it refuses it."""


def engine_of(name: str) -> Engine:
    """The engine's module; raises ImportError when the runtime is not installed."""
    return cast("Engine", importlib.import_module("matrix.probe.engines." + name))
