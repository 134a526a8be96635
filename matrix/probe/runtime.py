"""``python -m matrix.probe.runtime FD`` inside a runtime's environment: judge the files that standard input names.

Standard input holds one JSON object: ``engine`` (a module of matrix.probe.engines), ``cells`` (questions as
``judge.judge`` takes them) and the settings of ``settings.Settings``. What it says is what matrix.probe says. The same
zygote: a file that crashes the runtime costs that file.
"""

from __future__ import annotations

import os
import platform
import time
from typing import Any, Dict, List

from matrix.probe import host


def main() -> None:
    config = host.connect()
    seconds: Dict[str, float] = {}
    start = time.perf_counter()
    from matrix.probe.engines import engine_of
    from matrix.probe.installed import packages

    engine = engine_of(config["engine"])
    seconds["import"] = host.since(start)
    start = time.perf_counter()
    engine.warm()
    seconds["warm"] = host.since(start)
    threads = len(os.listdir("/proc/self/task"))
    host.say(
        {
            "event": "ready",
            "python": platform.python_version(),
            "packages": packages(),
            "version": engine.version(),
            "threads": threads,
        }
    )

    from matrix.probe import forked
    from matrix.probe.judge import arrays_of, judge
    from matrix.probe.settings import Settings
    from matrix.probe.zygote import Zygote

    questions: List[Dict[str, Any]] = config["cells"]
    settings = Settings(config)
    for path in sorted({path for question in questions for path in question["data"]}):
        arrays_of(path)

    def judge_all(indices: List[int]) -> None:
        for index in indices:
            forked.start(index)
            forked.report(judge(engine, questions[index], forked.stage))

    def work(indices: List[int], pipe: int) -> None:
        forked.run(pipe, settings.memory_mb, lambda: judge_all(indices))

    host.run(Zygote(questions, settings, host.say_cell, work), seconds)


if __name__ == "__main__":
    main()
