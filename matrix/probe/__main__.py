"""``python -m matrix.probe FD`` inside an environment: measure the cells that standard input names.

Standard input holds one JSON object: ``cells`` (a list of {route, case, opset}) and the settings of
``matrix.probe.settings.Settings``. On descriptor FD the probe writes JSON lines: first ``{"event": "ready", …}`` with
what the environment holds, then ``{"event": "cell", "index": …, "record": {…}}`` for each cell as soon as it is known,
last ``{"event": "done", …}``.
"""

from __future__ import annotations

import platform
import time
from typing import Any, Dict

from matrix.probe import host


def main() -> None:
    config = host.connect()
    seconds: Dict[str, float] = {}

    start = time.perf_counter()
    from matrix.probe import warm
    from matrix.probe.installed import packages

    seconds["import"] = host.since(start)
    start = time.perf_counter()
    warm.up(config["cells"], share=not config["isolate"])
    seconds["warm"] = host.since(start)
    host.say({"event": "ready", "python": platform.python_version(), "packages": packages(), **warm.facts()})

    from matrix.probe import child
    from matrix.probe.settings import Settings
    from matrix.probe.zygote import Zygote

    settings = Settings(config)
    broken = _own_cases(config)
    left = [index for index in range(len(config["cells"])) if index not in broken]
    cells = [config["cells"][index] for index in left]
    for index, record in broken.items():
        host.say_cell(index, record)

    def emit(index: int, record: Dict[str, Any]) -> None:
        host.say_cell(left[index], record)

    host.run(Zygote(cells, settings, emit, lambda indices, pipe: child.run(cells, indices, pipe, settings)), seconds)


def _own_cases(config: Dict[str, Any]) -> Dict[int, Dict[str, Any]]:
    """Make the user's own cases known; the records of those that cannot be."""
    if not config.get("own"):
        return {}
    from matrix.probe import own

    failure = own.install(config["own"])
    if failure is None:
        return {}
    return own.broken(config["cells"], failure)


if __name__ == "__main__":
    main()
