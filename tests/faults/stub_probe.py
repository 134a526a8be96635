"""A probe whose cells do by their case's name what they are called; everything around them is the real one."""

from __future__ import annotations

import ctypes
import locale
import os
import shutil
import sys
import time
import types
from pathlib import Path
from typing import Any, NoReturn

from matrix.probe import host


class OddError(Exception):
    def __str__(self) -> NoReturn:
        raise RuntimeError("no words")


def behave(case: str) -> None:
    if case == "segfault":
        ctypes.string_at(0)
    elif case == "abort":
        os.abort()
    elif case == "exit":
        os._exit(3)
    elif case == "loop":
        ctypes.CDLL(None).pause()
    elif case == "sleep":
        time.sleep(3600)
    elif case == "memory":
        held = []
        while True:
            held.append(bytearray(1 << 24))
    elif case == "orphans":
        for escapes in (False, True):
            if os.fork() == 0:
                if escapes:
                    os.setsid()
                time.sleep(3600)
    elif case == "returning":
        os.fork()
    elif case == "descriptors":
        os.closerange(0, 21)
    elif case == "garbage":
        for fd in (1, 2):
            os.write(fd, os.urandom(1 << 20))
    elif case == "folder":
        shutil.rmtree(Path.cwd())
    elif case == "locale":
        locale.setlocale(locale.LC_ALL, "C.UTF-8")
    elif case == "stdout":
        sys.stdout = None  # type: ignore[assignment]
    elif case == "odd":
        raise OddError


def measure(_route: str, case: str, _opset: int, observer: Any) -> dict[str, Any]:
    """``fine`` fails where the process is not as it was before the first cell."""
    from matrix.probe.failures import describe

    observer.enter("run")
    try:
        if case == "fine":
            print("fine")
            Path("file").write_text("1", encoding="ascii")
            for fd in range(3):
                os.fstat(fd)
            assert locale.setlocale(locale.LC_ALL) == "C"
        else:
            behave(case)
    except Exception as error:  # noqa: BLE001 - as matrix.probe.cell does
        return {"verdict": "error", "stage": "run", "error": describe(error)}
    return {"verdict": "pass", "stage": "compare"}


def main() -> None:
    config = host.connect()
    locale.setlocale(locale.LC_ALL, "C")
    cell: Any = types.ModuleType("matrix.probe.cell")
    cell.measure, cell.Prepared = measure, object
    cell.Observer = type("Observer", (), {})
    sys.modules["matrix.probe.cell"] = cell
    from matrix.probe import child
    from matrix.probe.settings import Settings
    from matrix.probe.zygote import Zygote

    host.say({"event": "ready", "python": "3", "cuda": None, "exporters": [], "packages": {}})
    cells, settings = config["cells"], Settings(config)
    host.run(Zygote(cells, settings, host.say_cell, lambda i, pipe: child.run(cells, i, pipe, settings)), {})


if __name__ == "__main__":
    main()
