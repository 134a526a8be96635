"""What could be measured, as plain data, so that a square nobody measured shows as ``not-run`` instead of missing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

#: Routes that are PyTorch's own exporters; every other one is a substitute that the user has to install.
OWN_ROUTES = frozenset({"native", "dynamo"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The axes of the table, each in the order in which it is shown.

    ``routes`` is also the order of preference among equal verdicts. ``cases`` maps a case to its group.
    ``routes_of_release`` and ``routes_of_case`` name the routes that exist there (all, where a key is absent); the
    other combinations are ``not-applicable``. ``stale`` holds ids of cells whose inputs have changed since they were
    measured.
    """

    releases: tuple[str, ...]
    opsets: tuple[int, ...]
    routes: tuple[str, ...]
    cases: Mapping[str, str]
    routes_of_release: Mapping[str, Collection[str]] = field(default_factory=dict)
    routes_of_case: Mapping[str, Collection[str]] = field(default_factory=dict)
    stale: Collection[str] = frozenset()

    def applicable(self, torch: str, route: str, case: str) -> bool:
        """Whether the combination exists at all."""
        of_release = self.routes_of_release.get(torch)
        of_case = self.routes_of_case.get(case)
        return (of_release is None or route in of_release) and (of_case is None or route in of_case)
