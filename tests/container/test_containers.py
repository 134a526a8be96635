"""A real environment in a real container."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from matrix import catalog as catalogs
from matrix.catalog import ROOT
from matrix.containers import Engine, Image, Settings
from matrix.environment import Source
from tests.container.conftest import RELEASE
from tests.real.conftest import nox, rows

if TYPE_CHECKING:
    from pathlib import Path

CASES = "grid_sample-bilinear-zeros-4d,affine_grid-2d"


def settings(base: str) -> Settings:
    return Settings(base_image=base, network="host", memory_mb=4000)


@pytest.fixture(scope="module")
def image(client: Any, base_image: str) -> Image:
    catalog = catalogs.load()
    return Engine(client, settings(base_image)).image(catalog, catalog.release(RELEASE), Source())


def test_the_table_is_measured_in_a_container(client: Any, image: Image, base_image: str, tmp_path: Path) -> None:
    done = nox(
        "-s", "matrix", "--", "--backend", "docker", "--base-image", base_image, "--build-network", "host",
        "--torch", RELEASE, "--opset", "11", "--case", CASES, "--route", "native,shim,custom",
        "--runtime", "none", "--results", str(tmp_path),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    verdicts = {(route, case): row["verdict"] for (_, _, route, case), row in rows(tmp_path).items()}
    assert {verdict for (route, _), verdict in verdicts.items() if route != "native"} == {"pass"}
    assert {verdict for (route, _), verdict in verdicts.items() if route == "native"} == {"unsupported-op"}
    lines = [json.loads(line) for line in (tmp_path / f"torch-{RELEASE}.jsonl").read_text().splitlines()]
    (container,) = {json.dumps(line["container"]) for line in lines if line["kind"] == "environment"}
    assert json.loads(container) == {"image": image.digest, "base": image.base}
    assert list((tmp_path / "models").glob("*.onnx"))
    assert client.containers.list(all=True) == []


def test_an_unchanged_image_is_not_built_again(client: Any, image: Image, base_image: str) -> None:
    catalog = catalogs.load()
    again = Engine(client, settings(base_image)).image(catalog, catalog.release(RELEASE), Source())
    assert (again.tag, again.digest) == (image.tag, image.digest)
    assert again.seconds < 2


INSIDE = """
import json, os, socket
def attempt(call):
    try:
        call()
    except OSError as error:
        return type(error).__name__
    return "allowed"
said = {
    "user": os.getuid(),
    "system": attempt(lambda: open("/etc/written", "w")),
    "environment": attempt(lambda: open("/opt/environment/written", "w")),
    "checkout": attempt(lambda: open("/opt/matrix/matrix/written", "w")),
    "scratch": attempt(lambda: open("/scratch/written", "w")),
    "network": sorted(name for _, name in socket.if_nameindex()),
}
os.write(3, json.dumps(said).encode() + b"\\n")
""".replace("\\\\", "\\")


def test_a_container_may_write_to_its_scratch_folder_and_nowhere_else(
    client: Any, image: Image, base_image: str, tmp_path: Path
) -> None:
    tmp_path.chmod(0o777)
    (tmp_path / "stdin").touch()
    with Engine(client, settings(base_image)).running(image, ["python", "-c", INSIDE], tmp_path) as (lines, outcome):
        (said,) = map(json.loads, lines)
        assert outcome()[0] == 0
    assert said.pop("user") != 0
    assert said == {
        "system": "OSError", "environment": "OSError", "checkout": "OSError", "scratch": "allowed", "network": ["lo"],
    }  # fmt: skip


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_container_ends_with_the_process_that_started_it(
    client: Any, image: Image, base_image: str, tmp_path: Path, number: signal.Signals
) -> None:
    tmp_path.chmod(0o777)
    (tmp_path / "stdin").touch()
    code = f"""
import docker
from pathlib import Path
from matrix.containers import Engine, Image, Settings
engine = Engine.connect(Settings(base_image={base_image!r}))
image = Image({image.tag!r}, {image.digest!r}, "", 0.0)
with engine.running(image, ["sleep", "600"], Path({str(tmp_path)!r})) as (lines, outcome):
    print("started", flush=True)
    list(lines)
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(ROOT)}
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"started\n"
        assert len(client.containers.list()) == 1
        process.send_signal(number)
        process.wait(30)
    for _ in range(40):
        if not client.containers.list(all=True):
            return
        time.sleep(0.25)
    pytest.fail("the container is still there")
