"""``python -m matrix.probe FD`` inside an environment: measure the cells that standard input names.

Standard input holds one JSON object: ``cells`` (a list of {route, case, opset}) and the settings of
``matrix.probe.settings.Settings``. On descriptor FD the probe writes JSON lines: first ``{"event": "ready", …}`` with
what the environment holds, then ``{"event": "cell", "index": …, "record": {…}}`` for each cell as soon as it is known,
last ``{"event": "done", …}``.
"""

from __future__ import annotations

import platform
import time
from typing import Dict

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

    cells, settings = config["cells"], Settings(config)
    zygote = Zygote(cells, settings, host.say_cell, lambda indices, pipe: child.run(cells, indices, pipe, settings))
    host.run(zygote, seconds)


if __name__ == "__main__":
    main()
