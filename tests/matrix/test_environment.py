"""Making environments: what is asked of uv, what its complaints become, and what is left behind."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from matrix import catalog as catalogs
from matrix import disk, environment, interpreters
from matrix.environment import Source, ensure
from matrix.errors import DiskFullError, InstallError, MatrixError, NetworkError

CATALOG = catalogs.load()
OLD = CATALOG.release("1.8.0")


class Uv:
    """Stands in for uv: remembers its calls, makes the folder of a venv, and fails on demand."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.complaint = ""
        self.requirements: list[str] = []

    def __call__(self, command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        self.calls.append(command[1:])
        if command[1] == "venv":
            python = Path(command[-1]) / "bin" / "python"
            python.parent.mkdir(parents=True)
            python.touch()
        for option in ("-r", "--constraint"):
            if option in command:
                self.requirements = Path(command[command.index(option) + 1]).read_text().splitlines()
        failed = command[1:3] == ["pip", "install"] and bool(self.complaint)
        return subprocess.CompletedProcess(command, int(failed), "", self.complaint if failed else "")


@pytest.fixture
def uv(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Uv:
    fake = Uv()
    monkeypatch.setattr(subprocess, "run", fake)
    monkeypatch.setattr(environment, "FOLDER", tmp_path / "torch")
    monkeypatch.setattr(environment, "OWN_CACHE", tmp_path / "uv-cache")
    monkeypatch.setattr(environment, "uv", lambda: "uv")
    monkeypatch.setattr(disk, "uv", lambda: "uv")
    monkeypatch.setattr(environment, "_locked_platform", lambda: True)
    monkeypatch.setattr(interpreters, "find", lambda version: Path(f"/python{version}"))
    monkeypatch.delenv("UV_CACHE_DIR", raising=False)
    return fake


def test_the_lock_is_installed_exactly_with_its_hashes_checked(uv: Uv) -> None:
    made = ensure(CATALOG, OLD, Source())
    venv, install = uv.calls
    assert venv[venv.index("--python") + 1] == "/python3.9"
    assert {"--no-deps", "--require-hashes"} < set(install)
    assert any(line.startswith("torch==1.8.0") for line in uv.requirements)
    assert made.python.exists()


def test_a_complete_environment_is_taken_as_it_is(uv: Uv) -> None:
    ensure(CATALOG, OLD, Source())
    calls = len(uv.calls)
    assert ensure(CATALOG, OLD, Source()).seconds == 0.0
    assert len(uv.calls) == calls


def test_another_source_makes_the_environment_anew_with_the_lock_as_constraints(uv: Uv) -> None:
    ensure(CATALOG, OLD, Source())
    ensure(CATALOG, OLD, Source(find_links=("/wheels",), torch_backend="cpu"))
    install = uv.calls[-1]
    assert "--require-hashes" not in install
    assert "torch==1.8.0" in install
    assert install[install.index("--find-links") + 1] == "/wheels"
    assert install[install.index("--torch-backend") + 1] == "cpu"
    assert "numpy==1.26.4" in uv.requirements


def test_a_derived_release_is_resolved_from_its_requirements(uv: Uv) -> None:
    ensure(CATALOG, CATALOG.release("1.8.1"), Source())
    assert {"torch==1.8.1", "numpy<2"} < set(uv.calls[-1])


@pytest.mark.parametrize(
    ("complaint", "kind", "words"),
    [
        ("error: Failed to fetch: dns error: failed to lookup address", NetworkError, "--index URL"),
        ("HTTP status server error (500 Internal Server Error) for url", NetworkError, "index did not answer"),
        ("error: failed to write: No space left on device (os error 28)", DiskFullError, "results so far are safe"),
        ("Because there is no version of torch==1.8.0 and you require it", InstallError, "Does PyTorch 1.8.0 exist"),
        ("something never seen", InstallError, "something never seen"),
    ],
)
def test_a_failed_install_is_named_with_its_remedy_and_leaves_nothing(
    uv: Uv, complaint: str, kind: type[MatrixError], words: str
) -> None:
    uv.complaint = complaint
    with pytest.raises(kind, match=words):
        ensure(CATALOG, OLD, Source())
    assert list(environment.FOLDER.iterdir()) == []


def test_a_half_made_environment_is_made_again(uv: Uv) -> None:
    python = environment.FOLDER / "torch-1.8.0" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    ensure(CATALOG, OLD, Source())
    assert len(uv.calls) == 2


def test_the_budget_evicts_what_was_used_least_recently_first(uv: Uv) -> None:
    for version in ("1.8.0", "1.9.1", "1.10.2"):
        made = ensure(CATALOG, CATALOG.release(version), Source())
        (made.python.parent.parent / "weight").write_bytes(b"x" * 1_000_000)
    environment.touch(OLD)
    assert disk.enforce(2_200_000, keep=frozenset()) == ["torch-1.9.1"]
    assert disk.enforce(1, keep=frozenset({"torch-1.8.0"})) == ["torch-1.10.2"]
    assert [folder.name for folder in environment.complete_environments()] == ["torch-1.8.0"]


def test_evicted_packages_leave_the_cache_unless_the_cache_is_the_users(
    uv: Uv, monkeypatch: pytest.MonkeyPatch
) -> None:
    for expected in (True, False):
        made = ensure(CATALOG, OLD, Source())
        site = made.python.parent.parent / "lib" / "python3.9" / "site-packages"
        (site / "torch-1.8.0.dist-info").mkdir(parents=True)
        (site / "numpy-1.26.4.dist-info").mkdir()
        (site / "weight").write_bytes(b"x" * 10_000)
        disk.enforce(1, keep=frozenset())
        cleaned = [call for call in uv.calls if call[:2] == ["cache", "clean"]]
        assert cleaned == ([["cache", "clean", "--quiet", "torch"]] if expected else [])
        uv.calls.clear()
        monkeypatch.setenv("UV_CACHE_DIR", "/somewhere")


def test_a_file_shared_by_hard_link_is_counted_once(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "file").write_bytes(b"x" * 500_000)
    (tmp_path / "b" / "link").hardlink_to(tmp_path / "a" / "file")
    assert 500_000 <= disk.used_bytes([tmp_path / "a", tmp_path / "b"]) < 600_000
