"""The Docker backend: an environment is an image, a probe is a container.

The probe inside is the checkout's own, mounted read-only, and speaks the same lines, over the container's standard
output. Containers have no network, a read-only file system with a scratch folder, an ordinary user, and limits; they
end with the process that started them, however that ends: each watches the stream that it is attached to.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import tempfile
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matrix import builds, locks
from matrix.catalog import ROOT
from matrix.errors import ContainerError, MissingDependencyError, ProbeError, UsageError
from matrix.tools import uv

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from matrix.catalog import Catalog, Release
    from matrix.environment import Source

_NAME = "torch-onnx-matrix"
_NOBODY = 65534
_SCRATCH = "/scratch"
_VARIABLES = {
    "PYTHONPATH": "/opt/matrix:/opt/matrix/kernels:/opt/matrix/kernels/build_tools",
    "PYTHONDONTWRITEBYTECODE": "1",
    "ONNXGRID_BUILD_CACHE": f"{_SCRATCH}/builds",
    "HOME": "/tmp",  # noqa: S108 - the container's own
}
#: Runs ``$@`` with descriptor 3 as the container's standard output; what it prints goes to standard error. When the
#: attached stream ends, because whoever started the container is gone, so does everything in it.
_GUARD = 'exec 3>&1 1>&2 4<&0; (exec 3>&-; cat <&4 >/dev/null; kill -KILL -1) & exec 4<&-; "$@" </scratch/stdin'


@dataclass(frozen=True, slots=True)
class Image:
    """An environment as an image: its tag, its digest, the image that it is made from, and the seconds it took."""

    tag: str
    digest: str
    base: str
    seconds: float

    @property
    def facts(self) -> dict[str, Any]:
        """For the environment's line in the results."""
        return {"container": {"image": self.digest, "base": self.base}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How containers are made. ``network`` is for building only."""

    base_image: str = ""
    network: str = "default"
    gpus: bool = False
    memory_mb: int = 16_000
    cpus: float = field(default_factory=lambda: float(os.cpu_count() or 1))
    processes: int = 512


class Engine:
    """A Docker engine that answers. ``client`` is docker's own (``docker.DockerClient``)."""

    def __init__(self, client: Any, settings: Settings) -> None:
        self._client = client
        self._settings = settings

    @classmethod
    def connect(cls, settings: Settings) -> Engine:
        """Raises MissingDependencyError or ContainerError, with the remedy."""
        try:
            import docker
        except ImportError as error:
            raise MissingDependencyError("--backend docker needs the package docker.", "pip install docker") from error
        try:
            client = docker.from_env(timeout=600)
            client.ping()
        except docker.errors.DockerException as error:
            raise _no_engine(error) from error
        return cls(client, settings)

    def image(self, catalog: Catalog, release: Release, source: Source) -> Image:
        """The release's image, built unless it is there.

        Raises ContainerError, or UsageError for packages from a folder of this machine.
        """
        import docker

        if source.find_links or source.offline:
            raise UsageError("--find-links and --offline are for local environments.", "Put wheels into --base-image.")
        base = self._base(self._settings.base_image or release.image)
        text, requirements = _dockerfile(base, catalog, release, source)
        identity = hashlib.sha256(f"{base.id}\n{text}\n{requirements}".encode()).hexdigest()[:16]
        tag = f"{_NAME}:{release.name}-{identity}"
        start = time.monotonic()
        try:
            built = self._client.images.get(tag)
        except docker.errors.ImageNotFound:
            built = self._build(tag, text, requirements, release)
        return Image(tag, built.id, base.id, round(time.monotonic() - start, 1))

    def _base(self, name: str) -> Any:
        import docker

        try:
            try:
                return self._client.images.get(name)
            except docker.errors.ImageNotFound:
                return self._client.images.pull(name)
        except docker.errors.DockerException as error:
            raise ContainerError(
                f"the base image {name} cannot be had: {_first_line(error)}",
                "Pull it by hand, or name another one that is there by --base-image.",
            ) from error

    def _build(self, tag: str, text: str, requirements: str, release: Release) -> Any:
        import docker

        with tempfile.TemporaryDirectory() as folder:
            context = Path(folder)
            (context / "Dockerfile").write_text(text, encoding="utf-8")
            (context / "requirements.txt").write_text(requirements, encoding="utf-8")
            shutil.copy2(uv(), context / "uv")
            try:
                image, _ = self._client.images.build(
                    path=folder, tag=tag, rm=True, forcerm=True, network_mode=self._settings.network, labels={_NAME: ""}
                )
            except docker.errors.BuildError as error:
                said = [str(part.get("stream") or part.get("error") or "").strip() for part in error.build_log]
                last = next((line for line in reversed(said) if line), _first_line(error))
                raise ContainerError(
                    f"the image for {release.name} could not be built: {last.splitlines()[-1][:300]}",
                    "Does the base image have a glibc, and does building reach the index (--build-network host)?",
                ) from error
            except docker.errors.DockerException as error:
                raise ContainerError(
                    f"the image for {release.name} could not be built: {_first_line(error)}"
                ) from error
        return image

    def messages(self, image: Image, config: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Like ``probe_process.messages``. Exported files land in the folder that ``config`` names."""
        finished = False
        with self._scratch(config) as scratch:
            command = ["python", "-m", "matrix.probe", "3"]
            with self.running(image, command, scratch) as (lines, outcome):
                for line in lines:
                    message = json.loads(line)
                    finished = message["event"] == "done"
                    yield message
                status, printed = outcome()
        if status != 0 or not finished:
            last = [line for line in printed.splitlines() if line.strip()][-1:]
            raise ProbeError(
                f"the probe's container ended with exit code {status}: {last[0] if last else 'it printed nothing'}",
                "Run the same command again: it goes on with the cells that have no result.",
            )

    def front_end(self, image: Image, strategy: str) -> Callable[[str], dict[str, Any]]:
        """Builds a half of the extension in a container; the build cache is thrown away with it."""

        def run(half: str) -> dict[str, Any]:
            with tempfile.TemporaryDirectory() as name:
                scratch = Path(name)
                scratch.chmod(0o777)
                (scratch / "stdin").touch()
                with self.running(image, ["python", *builds.arguments(half, strategy)], scratch) as (lines, outcome):
                    deque(lines, maxlen=0)  # the guard sends what the front-end prints to standard error
                    status, printed = outcome()
            return builds.outcome(printed, printed, status)

        return run

    @contextmanager
    def _scratch(self, config: dict[str, Any]) -> Iterator[Path]:
        """A folder that the container may write to; the models in it move to where the run keeps them."""
        models = Path(config["models"])
        with tempfile.TemporaryDirectory(dir=models.parent, prefix=".container-") as name:
            scratch = Path(name)
            (scratch / "models").mkdir()
            for folder in (scratch, scratch / "models"):
                folder.chmod(0o777)
            (scratch / "stdin").write_text(json.dumps(config | {"models": f"{_SCRATCH}/models"}), encoding="utf-8")
            try:
                yield scratch
            finally:
                for path in (scratch / "models").iterdir():
                    if path.is_file() and not path.is_symlink():
                        shutil.copyfile(path, models / path.name)

    @contextmanager
    def running(self, image: Image, command: list[str], scratch: Path) -> Iterator[tuple[Iterator[bytes], Any]]:
        """Lines on the container's standard output, and a function that waits for status and standard error's end."""
        import docker

        api = self._client.api
        printed = bytearray()
        try:
            made = api.create_container(
                image.tag, ["sh", "-c", _GUARD, "sh", *command], stdin_open=True,
                labels={_NAME: ""}, environment=_VARIABLES,
                user=f"{os.getuid() or _NOBODY}:{os.getgid() or _NOBODY}", host_config=self._host_config(scratch),
            )  # fmt: skip
        except docker.errors.DockerException as error:
            raise self._refused(error) from error
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(api.wait, made["Id"], None, "removed")
            try:
                stdin = api.attach_socket(made["Id"], params={"stdin": 1, "stream": 1})
                stream = api.attach(made["Id"], stdout=True, stderr=True, stream=True, demux=True)
                try:
                    api.start(made["Id"])
                except docker.errors.DockerException as error:
                    raise self._refused(error) from error
                yield (
                    _lines(stream, printed),
                    lambda: (waiting.result()["StatusCode"], printed.decode("utf-8", "replace")),
                )
                stdin.close()
            finally:
                with suppress(docker.errors.DockerException):
                    api.remove_container(made["Id"], force=True, v=True)

    def _host_config(self, scratch: Path) -> Any:
        import docker

        settings = self._settings
        gpus = [docker.types.DeviceRequest(count=-1, capabilities=[["gpu"]])] if settings.gpus else None
        return self._client.api.create_host_config(
            auto_remove=True, init=True, network_mode="none", read_only=True, cap_drop=["ALL"],
            security_opt=["no-new-privileges"], tmpfs={"/tmp": "size=2g,mode=1777,exec"},  # noqa: S108
            mem_limit=f"{settings.memory_mb}m", memswap_limit=f"{settings.memory_mb}m",
            nano_cpus=int(settings.cpus * 1e9), pids_limit=settings.processes, device_requests=gpus,
            binds={
                str(ROOT / "matrix"): {"bind": "/opt/matrix/matrix", "mode": "ro"},
                str(ROOT / "kernels"): {"bind": "/opt/matrix/kernels", "mode": "ro"},
                str(scratch): {"bind": _SCRATCH, "mode": "rw"},
            },
        )  # fmt: skip

    def _refused(self, error: Exception) -> ContainerError:
        if self._settings.gpus and ("device driver" in str(error) or "nvidia" in str(error).lower()):
            return ContainerError(
                f"the engine has no GPU to give: {_first_line(error)}",
                "Install the NVIDIA Container Toolkit and restart the engine, or leave out --gpus.",
            )
        return ContainerError(f"the container could not be started: {_first_line(error)}", "See the engine's log.")


def _lines(stream: Iterator[tuple[bytes | None, bytes | None]], printed: bytearray) -> Iterator[bytes]:
    """Whole lines of standard output; standard error is collected, its last part kept."""
    rest = b""
    for out, err in stream:
        if err:
            printed += err
            del printed[:-20_000]
        *lines, rest = (rest + (out or b"")).split(b"\n")
        yield from lines


def _dockerfile(base: Any, catalog: Catalog, release: Release, source: Source) -> tuple[str, str]:
    """The Dockerfile and its requirements: the lock with hashes, or its pins where packages come from elsewhere."""
    import jinja2

    lock = locks.read(release)
    exact = lock is not None and source.is_default
    requirements = lock if exact and lock else "\n".join(catalog.requirements_of(release)) + "\n"
    arguments = ["--no-deps", "--require-hashes"] if exact else []
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(ROOT / "templates"),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - no HTML
    )
    text = environment.get_template("Dockerfile.j2").render(
        base=base.id, python=release.python, arguments=shlex.join([*arguments, *source.arguments()])
    )
    return text, requirements


def _no_engine(error: Exception) -> ContainerError:
    where = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    if "Permission denied" in str(error):
        return ContainerError(
            f"you may not talk to the Docker engine at {where}.", "Join the group docker, or use a rootless engine."
        )
    return ContainerError(
        f"no Docker engine answers at {where}.", "Start one (systemctl start docker, or dockerd), or set DOCKER_HOST."
    )


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
