"""``python -m matrix.probe FD`` inside an environment: measure the cells that standard input names.

Standard input holds one JSON object: ``cells`` (a list of {route, case, opset}) and the settings of
``matrix.probe.child.Settings``. On descriptor FD the probe writes JSON lines: first ``{"event": "ready", …}`` with
what the environment holds, then ``{"event": "cell", "index": …, "record": {…}}`` for each cell as soon as it is known,
last ``{"event": "done", …}``. Nothing that exporters print can reach that descriptor.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import resource
import sys
import time
import warnings
from typing import Any, Dict

from matrix.probe.lifetime import die_with_parent

HOST_FD = 200

#: Set before anything heavy is imported. One thread everywhere: forking is then safe, and seconds can be compared.
#: onnxruntime 1.29 and later start a telemetry thread on import and would send what they are used for.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "ORT_DISABLE_TELEMETRY": "1",
    "ORT_TELEMETRY_DISABLED": "1",
}


def main() -> None:
    host = int(sys.argv[1])
    config: Dict[str, Any] = json.load(sys.stdin)
    os.dup2(host, HOST_FD, inheritable=False)
    os.close(host)
    os.environ.update(ENVIRONMENT)
    die_with_parent()
    warnings.simplefilter("ignore")
    seconds: Dict[str, float] = {}

    start = time.perf_counter()
    from matrix.probe import warm

    seconds["import"] = _since(start)
    start = time.perf_counter()
    warm.up(config["cells"], share=not config["isolate"])
    seconds["warm"] = _since(start)
    _say({"event": "ready", "python": platform.python_version(), "packages": warm.packages(), **warm.facts()})

    from matrix.probe import child
    from matrix.probe.settings import Settings
    from matrix.probe.zygote import Zygote

    gc.collect()
    gc.freeze()
    gc.disable()  # children are short-lived; a collection would copy every page that they share with the zygote
    start = time.perf_counter()
    cells, settings = config["cells"], Settings(config)
    zygote = Zygote(cells, settings, _emit, lambda indices, pipe: child.run(cells, indices, pipe, settings))
    zygote.run()
    seconds["cells"] = _since(start)
    usage = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    _say({"event": "done", "seconds": seconds, "forks": zygote.forks, "peak_rss_mb": max(usage) // 1024})


def _emit(index: int, record: Dict[str, Any]) -> None:
    _say({"event": "cell", "index": index, "record": record})


def _say(message: Dict[str, Any]) -> None:
    data = json.dumps(message, separators=(",", ":")).encode() + b"\n"
    while data:
        data = data[os.write(HOST_FD, data) :]


def _since(start: float) -> float:
    return round(time.perf_counter() - start, 2)


if __name__ == "__main__":
    main()
