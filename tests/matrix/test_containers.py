"""The Docker backend against an engine that is not there: what is asked of it, and what is said when it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import docker
import pytest

from matrix import backends
from matrix import catalog as catalogs
from matrix.containers import Engine, Image, Settings, _lines
from matrix.environment import Source
from matrix.errors import ContainerError, MissingDependencyError, ProbeError, UsageError
from matrix.options import parse

CATALOG = catalogs.load()
OLD, NEW = CATALOG.release("1.8.0"), CATALOG.release("2.15.0")
IMAGE = Image("torch-onnx-matrix:torch-1.8.0-0", "sha256:1", "sha256:0", 0.0)


class Images:
    """An engine's images; ``built`` keeps what a build was given."""

    def __init__(self, *names: str) -> None:
        self.names = {name: SimpleNamespace(id=f"sha256:{name}") for name in names}
        self.built: list[dict[str, Any]] = []
        self.refusal: Exception | None = None

    def get(self, name: str) -> Any:
        if name not in self.names:
            raise docker.errors.ImageNotFound("no such image")
        return self.names[name]

    def pull(self, name: str) -> Any:
        raise docker.errors.NotFound(f"pull access denied for {name}")

    def build(self, **arguments: Any) -> tuple[Any, Any]:
        if self.refusal:
            raise self.refusal
        folder = Path(arguments["path"])
        files = {path.name: path.read_bytes()[:20_000] for path in folder.iterdir()}
        self.built.append(arguments | {"files": files})
        self.names[arguments["tag"]] = SimpleNamespace(id="sha256:built")
        return self.names[arguments["tag"]], iter(())


class Api:
    """An engine's containers: each says the given chunks and ends with the given status."""

    def __init__(self, chunks: list[tuple[bytes | None, bytes | None]], status: int = 0) -> None:
        self.chunks, self.status = chunks, status
        self.asked: dict[str, Any] = {}
        self.removed: list[str] = []
        self.refusal: Exception | None = None

    def create_host_config(self, **arguments: Any) -> dict[str, Any]:
        return arguments

    def create_container(self, image: str, command: list[str], **arguments: Any) -> dict[str, str]:
        self.asked = arguments | {"image": image, "command": command}
        return {"Id": "c1"}

    def wait(self, *_: Any) -> dict[str, int]:
        return {"StatusCode": self.status}

    def attach_socket(self, *_: Any, **__: Any) -> Any:
        return SimpleNamespace(close=lambda: None)

    def attach(self, *_: Any, **__: Any) -> Any:
        return iter(self.chunks)

    def start(self, _: str) -> None:
        if self.refusal:
            raise self.refusal

    def remove_container(self, name: str, **_: Any) -> None:
        self.removed.append(name)


def engine(images: Images | None = None, api: Api | None = None, **settings: Any) -> Engine:
    return Engine(SimpleNamespace(images=images or Images(), api=api or Api([])), Settings(**settings))


def test_the_image_is_the_lock_on_the_catalog_s_base_and_is_built_once() -> None:
    images = Images(OLD.image)
    first = engine(images).image(CATALOG, OLD, Source())
    assert engine(images).image(CATALOG, OLD, Source()).tag == first.tag
    (built,) = images.built
    files = built["files"]
    lines = files["Dockerfile"].decode().splitlines()
    assert lines[0] == f"FROM sha256:{OLD.image}"
    assert [line.split()[0] for line in lines] == [
        "FROM",
        "COPY",
        "ENV",
        "RUN",
        "COPY",
        "RUN",
        "ENV",
        "WORKDIR",
        "USER",
    ]
    assert "--no-deps --require-hashes" in files["Dockerfile"].decode()
    assert b"torch==1.8.0" in files["requirements.txt"]
    assert b"--hash=sha256:" in files["requirements.txt"]
    assert first.facts == {"container": {"image": "sha256:built", "base": f"sha256:{OLD.image}"}}


def test_another_base_or_another_index_is_another_image() -> None:
    images = Images(OLD.image, "mine:1")
    tags = {
        engine(images).image(CATALOG, OLD, Source()).tag,
        engine(images, base_image="mine:1").image(CATALOG, OLD, Source()).tag,
        engine(images).image(CATALOG, OLD, Source(torch_backend="cpu")).tag,
    }
    assert len(tags) == 3
    assert "--require-hashes" not in images.built[-1]["files"]["Dockerfile"].decode()


def test_old_releases_start_from_the_toolkit_that_no_package_has() -> None:
    assert "cuda:10.2" in OLD.image
    assert NEW.image == f"python:{NEW.python}-slim"


def test_a_base_that_cannot_be_had_names_the_option() -> None:
    with pytest.raises(ContainerError, match="mine:2 cannot be had: pull access denied") as raised:
        engine(base_image="mine:2").image(CATALOG, OLD, Source())
    assert "--base-image" in raised.value.remedy


def test_a_build_that_fails_shows_its_last_line() -> None:
    images = Images(OLD.image)
    images.refusal = docker.errors.BuildError(
        "failed", iter([{"stream": "Step 1\n"}, {"error": "no route to host"}, {}])
    )
    with pytest.raises(ContainerError, match="no route to host") as raised:
        engine(images).image(CATALOG, OLD, Source())
    assert "--build-network host" in raised.value.remedy


def test_wheels_of_this_machine_cannot_be_had_in_a_container() -> None:
    with pytest.raises(UsageError, match="--find-links"):
        engine().image(CATALOG, OLD, Source(find_links=("wheels",)))


def config(folder: Path) -> dict[str, Any]:
    (folder / "models").mkdir()
    return {"cells": [], "models": str(folder / "models")}


def test_a_probe_s_lines_are_messages_however_they_are_cut(tmp_path: Path) -> None:
    api = Api([(b'{"event": "rea', b"noise\n"), (b'dy"}\n{"event": "do', None), (None, b"more"), (b'ne"}\n', None)])
    said = list(engine(api=api).messages(IMAGE, config(tmp_path)))
    assert said == [{"event": "ready"}, {"event": "done"}]
    assert api.removed == ["c1"]
    assert list(tmp_path.iterdir()) == [tmp_path / "models"]


def test_a_container_is_shut_in(tmp_path: Path) -> None:
    api = Api([(b'{"event": "done"}\n', None)])
    list(engine(api=api, gpus=True).messages(IMAGE, config(tmp_path)))
    host = api.asked["host_config"]
    assert host["network_mode"] == "none"
    assert host["read_only"] is True
    assert host["cap_drop"] == ["ALL"]
    assert host["pids_limit"] == 512
    assert host["mem_limit"] == "16000m"
    assert host["device_requests"][0]["Capabilities"] == [["gpu"]]
    modes = {bind["bind"]: bind["mode"] for bind in host["binds"].values()}
    assert modes == {"/opt/matrix/matrix": "ro", "/opt/matrix/kernels": "ro", "/scratch": "rw"}
    assert not api.asked["user"].startswith("0:")


def test_a_probe_that_dies_says_what_it_printed_last(tmp_path: Path) -> None:
    api = Api([(b'{"event": "ready"}\n', b"Killed\n")], status=137)
    with pytest.raises(ProbeError, match="exit code 137: Killed"):
        list(engine(api=api).messages(IMAGE, config(tmp_path)))


def test_an_engine_without_gpus_says_so(tmp_path: Path) -> None:
    api = Api([])
    api.refusal = docker.errors.APIError('could not select device driver "" with capabilities: [[gpu]]')
    with pytest.raises(ContainerError, match="no GPU to give") as raised:
        list(engine(api=api, gpus=True).messages(IMAGE, config(tmp_path)))
    assert "NVIDIA Container Toolkit" in raised.value.remedy
    assert api.removed == ["c1"]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("Permission denied", "you may not talk to the Docker engine"),
        ("Connection refused", "no Docker engine answers"),
    ],
)
def test_an_engine_that_does_not_answer(monkeypatch: pytest.MonkeyPatch, said: str, message: str) -> None:
    def refuse(**_: Any) -> Any:
        raise docker.errors.DockerException(f"Error while fetching server API version: {said}")

    monkeypatch.setattr(docker, "from_env", refuse)
    with pytest.raises(ContainerError, match=message):
        Engine.connect(Settings())


def test_without_the_package_the_remedy_is_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "docker", None)
    with pytest.raises(MissingDependencyError, match="package docker"):
        Engine.connect(Settings())


def test_the_front_end_s_line_is_found_among_what_it_prints() -> None:
    line = {"half": "cpp", "verdict": "pass", "reached": "ran"}
    api = Api([(None, b"compiling\n"), (None, json.dumps(line).encode() + b"\n")])
    assert engine(api=api).front_end(IMAGE, "auto")("cpp") == line


def test_only_whole_lines_are_lines() -> None:
    assert list(_lines(iter([(b"a\nb", None), (b"c\n", b"x")]), bytearray())) == [b"a", b"bc"]


def test_the_backend_is_chosen_by_the_options() -> None:
    said = parse(["--backend", "docker", "--base-image", "mine:1", "--gpus"])
    chosen = backends.chosen(said.backend, said.containers)
    assert isinstance(chosen, backends.Docker)
    assert chosen.settings == Settings(base_image="mine:1", gpus=True)
    assert isinstance(backends.chosen("local", Settings()), backends.Local)
