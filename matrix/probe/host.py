"""A probe's line to the host: one JSON object on standard input, JSON lines on a descriptor of its own.

Nothing that exporters, runtimes or cases print can reach that descriptor.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import time
import warnings
from typing import TYPE_CHECKING, Any, Dict

from matrix.probe.lifetime import adopt_orphans, die_with_parent

if TYPE_CHECKING:
    from matrix.probe.zygote import Zygote

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


def connect() -> Dict[str, Any]:
    """What the host asks for; descriptor ``argv[1]`` becomes the line to it."""
    host = int(sys.argv[1])
    config: Dict[str, Any] = json.load(sys.stdin)
    os.dup2(host, HOST_FD, inheritable=False)
    os.close(host)
    os.environ.update(ENVIRONMENT)
    die_with_parent()
    adopt_orphans()
    warnings.simplefilter("ignore")
    return config


def say(message: Dict[str, Any]) -> None:
    data = json.dumps(message, separators=(",", ":")).encode() + b"\n"
    while data:
        data = data[os.write(HOST_FD, data) :]


def say_cell(index: int, record: Dict[str, Any]) -> None:
    say({"event": "cell", "index": index, "record": record})


def run(zygote: "Zygote", seconds: Dict[str, float]) -> None:
    """Let the zygote do its work, then say ``done`` with seconds and memory."""
    gc.collect()
    gc.freeze()
    gc.disable()  # children are short-lived; a collection would copy every page that they share with the zygote
    start = time.perf_counter()
    zygote.run()
    seconds["cells"] = since(start)
    usage = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    say({"event": "done", "seconds": seconds, "forks": zygote.forks, "peak_rss_mb": max(usage) // 1024})


def since(start: float) -> float:
    return round(time.perf_counter() - start, 2)
