"""The record of one build, printed as one line of JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Dict, List, Optional

from .errors import BuildError
from .process import Spent

STAGES = ("compiled", "linked", "imported", "ran")


@dataclass
class Verdict:
    """How far a build got, by which strategy, with what.

    ``reached`` is the last of ``STAGES`` that succeeded; ``seconds`` and ``cpu_seconds`` are what the build cost
    when it was made, ``cached`` tells that it was made earlier.
    """

    torch: str
    half: str  # "cpp" or "cuda"
    strategy: str
    reached: Optional[str] = None
    verdict: str = "error"  # pass, unavailable, error
    compiler: Optional[str] = None
    compiler_version: Optional[str] = None
    cuda_version: Optional[str] = None
    flags: List[str] = field(default_factory=list)
    architectures: List[str] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    cached: bool = False
    warning: Optional[str] = None
    error: Optional[Dict[str, str]] = None
    library: Optional[str] = None
    kind: str = "build"

    def spent(self, spent: Spent) -> None:
        self.seconds, self.cpu_seconds = round(spent.seconds, 2), round(spent.cpu_seconds, 2)

    def fail(self, error: BuildError) -> None:
        self.verdict = "unavailable" if error.unavailable else "error"
        self.error = {"type": type(error).__name__, "message": str(error), "hint": error.hint}

    def line(self) -> str:
        record = asdict(self)
        return json.dumps({"kind": record.pop("kind"), **record}, ensure_ascii=False)
