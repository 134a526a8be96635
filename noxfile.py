# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "docker>=7.1",
#     "filelock>=3.12",
#     "jinja2>=3.1",
#     "markdown-it-py>=3",
#     "msgspec>=0.20",
#     "nox>=2026.10.20",
#     "packaging>=24",
#     "pygal>=3.1.3",
#     "python-discovery>=1.4",
#     "uv>=0.9",
# ]
# ///
"""The front door: `nox -s matrix` measures, `nox -s tests` tests; `nox -l` lists everything."""

from __future__ import annotations

import sys
from pathlib import Path

import nox

sys.path.insert(0, str(Path(__file__).parent))

from matrix import sessions

nox.needs_version = ">=2026.10.20"
nox.options.sessions = ["matrix"]
nox.options.default_venv_backend = "uv"
nox.options.error_on_missing_interpreters = False

RUN = sessions.requested(sys.argv)


@nox.session(venv_backend="none", requires=RUN.session_names)
def matrix(session: nox.Session) -> None:
    """Measure every PyTorch release and show the table (after --: --quick, --torch, --opset, --case, --route …)."""
    sessions.finish(session, RUN)


@nox.session(venv_backend="none", allow_parallel=True)
def plan(session: nox.Session) -> None:
    """Say what `matrix` would do, with the same arguments after --."""
    sessions.announce(session, RUN)


@nox.session(venv_backend="none")
def dashboard(session: nox.Session) -> None:
    """Render the dashboard again from the results that are there."""
    session.run(sys.executable, "-m", "matrix", "dashboard", *session.posargs, external=True)


@nox.session(venv_backend="none")
def lock(session: nox.Session) -> None:
    """Pin every environment anew in envs/locks/ (after --: releases)."""
    session.run(sys.executable, "-m", "matrix", "lock", *session.posargs, external=True)


@nox.session(reuse_venv=True)
def tests(session: nox.Session) -> None:
    """Run the tests: fast ones first, then real PyTorch (after --: arguments of pytest, such as -m "not real")."""
    session.install("--quiet", "--editable", ".", "--group", "tests")
    session.run("pytest", *session.posargs)


@nox.session(reuse_venv=True)
def lint(session: nox.Session) -> None:
    """Check types and style."""
    session.install("--quiet", "--editable", ".", "--group", "lint")
    session.run("ruff", "check", "--quiet")
    session.run("ruff", "format", "--check", "--quiet")
    session.run("mypy")


@nox.session(name="bench-probe", venv_backend="none")
def bench_probe(session: nox.Session) -> None:
    """Time the probe against one process per cell (after --: releases); see docs/performance.md."""
    session.run(sys.executable, "-m", "matrix.bench_probe", *session.posargs, external=True)


def _bench_session(name: str, summary: str) -> None:
    @nox.session(name=f"bench-{name}", venv_backend="none")
    def bench(session: nox.Session) -> None:
        session.run(sys.executable, "-m", "matrix.bench_kernels", name, *session.posargs, external=True)

    bench.__doc__ = f"{summary} (after --: --torch VERSION, arguments of kernels/bench/bench_{name}.py)."


_bench_session("shim", "Time the shim's graph against mmcv's and the native operator")
_bench_session("kernels", "Time the compiled kernels against PyTorch's and ONNX Runtime's, on the CPU")
_bench_session("cuda", "Time the CUDA kernels against PyTorch's; needs a GPU")


def _environment_session(name: str, version: str) -> None:
    @nox.session(
        name=name, venv_backend="none", allow_parallel=True, tags=["torch"], requires=["plan"] if RUN.whole else []
    )
    def measure(session: nox.Session) -> None:
        sessions.measure(session, RUN, version)

    measure.__doc__ = f"Measure PyTorch {version}."


def _runtime_session(name: str) -> None:
    @nox.session(
        name=name, venv_backend="none", allow_parallel=True, tags=["runtime"], requires=RUN.exports if RUN.whole else []
    )
    def judge(session: nox.Session) -> None:
        sessions.judge(session, RUN, name)

    judge.__doc__ = f"Judge the exported files in {name}."


for release in RUN.releases:
    _environment_session(release.name, release.version)
for runtime in RUN.known_runtimes:
    _runtime_session(runtime.name)
