"""The gate: two runs in, what broke out.

A cell that passed and no longer does, a build that built and no longer does, a route that became slower against the
same run's own measure. What could not be measured is a kind of its own: it neither breaks nor proves anything.
"""

from matrix.gate.compare import Change, Comparison, Group, compare
from matrix.gate.known import KnownFailure, load_known
from matrix.gate.report import as_json, as_text

__all__ = ["Change", "Comparison", "Group", "KnownFailure", "as_json", "as_text", "compare", "load_known"]
