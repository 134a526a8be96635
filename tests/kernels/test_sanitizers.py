"""The core under AddressSanitizer and UndefinedBehaviorSanitizer: random problems, exact buffers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-g1", "-O1", "-fno-omit-frame-pointer"]


@pytest.mark.slow
def test_no_access_outside_of_the_buffers(cache, core_path):
    """`core_path` only makes sure that there is a compiler."""
    from onnxgrid_build import cache as store
    from onnxgrid_build import core, toolchain
    from onnxgrid_build.process import Spent, run

    source = Path(__file__).with_name("sanitize_core.cpp")
    objects = core.compile_core(cache, Spent(), SANITIZE)

    def build(folder: Path) -> None:
        command = [toolchain.cxx().path, "-std=c++14", *SANITIZE, str(source), *map(str, objects)]
        run([*command, "-o", str(folder / "sanitize_core")], Spent())

    key = store.digest(SANITIZE, [source, *store.sources("core")])
    folder, _ = cache.get("sanitized", key, build)
    done = subprocess.run([str(folder / "sanitize_core"), "150"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:3000]
    assert int(done.stdout) >= 2 * 150 * 3
