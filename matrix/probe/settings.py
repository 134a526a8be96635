"""What the host asks of a probe."""

from __future__ import annotations

from typing import Any, Dict


class Settings:
    """Limits and manners.

    ``timeout`` seconds and ``memory_mb`` megabytes per cell, the latter beyond what the process has mapped when it is
    forked; ``workers`` children at once; ``group`` cells per child; ``isolate``: one cell per child and nothing
    shared; ``models``: folder for exported files and the data of
    their cases, or empty.
    """

    def __init__(self, config: Dict[str, Any]) -> None:
        self.timeout: float = config["timeout"]
        self.memory_mb: int = config["memory_mb"]
        self.workers: int = config["workers"]
        self.group: int = config["group"]
        self.isolate: bool = config["isolate"]
        self.models: str = config["models"]
