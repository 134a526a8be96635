"""What is installed in this environment."""

from __future__ import annotations

from importlib import metadata
from typing import Dict


def packages() -> Dict[str, str]:
    """Installed version by distribution."""
    found = {str(item.metadata["Name"]).lower().replace("_", "-"): item.version for item in metadata.distributions()}
    return dict(sorted(found.items()))
