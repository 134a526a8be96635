"""A Docker engine of the tests' own, and a base image of what this machine has: no registry of images is asked."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import docker
import pytest

from matrix import catalog, interpreters

if TYPE_CHECKING:
    from collections.abc import Iterator

RELEASE = "1.8.0"
BASE = "matrix-tests-base:latest"
_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
#: What an interpreter that was compiled on this machine may be linked to.
_LIBRARIES = "ca-certificates,libssl3,libffi8,libsqlite3-0,libbz2-1.0,liblzma5,libreadline8,libexpat1,zlib1g,libgomp1"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.container)


def _absent(reason: str) -> None:
    if os.environ.get("MATRIX_REQUIRE_CONTAINERS"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    """A client of the engine that answers here, or of one that is started for the tests."""
    with suppress(docker.errors.DockerException):
        found = docker.from_env(timeout=600)
        found.ping()
        yield found
        return
    if os.geteuid() != 0 or shutil.which("dockerd") is None:
        _absent("no Docker engine answers, and none can be started here: that takes root and dockerd")
    folder = Path(tempfile.mkdtemp(prefix="engine-"))
    address = f"unix://{folder}/socket"
    places = ["--data-root", folder / "data", "--exec-root", folder / "exec", "--pidfile", folder / "pid"]
    with (folder / "log").open("wb") as log:
        engine = subprocess.Popen(["dockerd", *map(str, places), "--host", address], stdout=log, stderr=log)
    patch = pytest.MonkeyPatch()
    try:
        patch.setenv("DOCKER_HOST", address)
        yield _answering(folder / "log")
    finally:
        patch.undo()
        engine.terminate()
        engine.wait(30)
        subprocess.run(["umount", str(folder / "exec" / "netns" / "default")], check=False, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


def _answering(log: Path) -> Any:
    for _ in range(60):
        with suppress(docker.errors.DockerException):
            found = docker.from_env(timeout=600)
            found.ping()
            return found
        time.sleep(0.5)
    _absent("dockerd does not come up here: " + log.read_text(errors="replace")[-300:])
    return None


@pytest.fixture(scope="session")
def base_image(client: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A small Debian with the interpreter that the release needs, copied from this machine."""
    with suppress(docker.errors.ImageNotFound):
        client.images.get(BASE)
        return BASE
    if shutil.which("debootstrap") is None:
        _absent("a base image is made by debootstrap, which is not installed")
    root = tmp_path_factory.mktemp("image") / "root"
    subprocess.run(
        ["debootstrap", "--variant=minbase", f"--include={_LIBRARIES}", _codename(), str(root), _mirror()],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    python = interpreters.find(catalog.load().release(RELEASE).python)
    prefix = Path(_output(python, "import sys; print(sys.base_prefix)"))
    target = root / prefix.relative_to("/")
    if not (target / "bin" / python.name).exists():
        ignored = shutil.ignore_patterns("test", "tests", "__pycache__", "site-packages", "*.a", "idlelib")
        shutil.copytree(prefix, target, symlinks=True, ignore=ignored, dirs_exist_ok=True)
    for folder in [target, *target.parents]:
        if folder.is_relative_to(root):
            folder.chmod(0o755)
    shutil.copy2(_CERTIFICATES, root / _CERTIFICATES.relative_to("/"))
    changes = [f"ENV SSL_CERT_FILE={_CERTIFICATES}", f"ENV PATH={prefix}/bin:/usr/bin:/bin:/usr/sbin:/sbin"]
    with subprocess.Popen(["tar", "-C", str(root), "-c", "."], stdout=subprocess.PIPE) as tar:
        assert tar.stdout is not None
        repository, tag = BASE.split(":")
        client.api.import_image_from_stream(tar.stdout, repository=repository, tag=tag, changes=changes)
    shutil.rmtree(root, ignore_errors=True)
    return BASE


def _output(python: Path, code: str) -> str:
    return subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def _codename() -> str:
    found = re.search(r"VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text(encoding="utf-8"))
    return found[1] if found else "stable"


def _mirror() -> str:
    """Where this machine gets its own packages from."""
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI)|$(CODENAME)"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for repository, codename in (line.split("|") for line in said.splitlines()):
        if codename == _codename():
            return repository
    _absent("apt knows no mirror of this release")
    return ""
