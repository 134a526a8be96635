"""Interpreters are found where version managers keep them; a shim that is not activated is not one."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
import python_discovery

from matrix import interpreters
from matrix.errors import InterpreterNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DISCOVER = python_discovery.get_interpreter
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture
def pyenv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A pyenv without any interpreter, whose shims answer "command not found" and are first on PATH."""
    shims = tmp_path / "shims"
    shims.mkdir()
    for name in (f"python{VERSION}", "python3.9", "python3", "python"):
        shim = shims / name
        shim.write_text("#!/bin/sh\necho 'pyenv: python: command not found' >&2\nexit 127\n")
        shim.chmod(0o755)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    for variable in ("MISE_DATA_DIR", "ASDF_DATA_DIR"):
        monkeypatch.setenv(variable, str(tmp_path / "nothing"))
    monkeypatch.setenv("PATH", f"{shims}{os.pathsep}/usr/sbin")
    monkeypatch.setenv("UV_PYTHON_INSTALL_DIR", str(tmp_path / "uv"))
    monkeypatch.setattr(python_discovery, "get_interpreter", _without_the_current_one)
    interpreters.find.cache_clear()
    yield tmp_path
    interpreters.find.cache_clear()


def _without_the_current_one(spec: str, try_first_with: list[str]) -> object:
    """Discovery as it is on a machine whose host Python is of another version."""
    found = DISCOVER(spec, try_first_with=try_first_with)
    given = {os.path.realpath(path) for path in try_first_with}
    return found if found is not None and os.path.realpath(found.executable) in given else None


def test_an_interpreter_in_pyenvs_folder_is_found_though_its_shim_is_inactive(pyenv: Path) -> None:
    python = pyenv / "versions" / f"{VERSION}.99" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(os.path.realpath(sys.executable))
    assert os.path.realpath(interpreters.find(VERSION)) == os.path.realpath(sys.executable)


def test_an_inactive_shim_is_not_taken_for_an_interpreter(pyenv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_OFFLINE", "1")
    with pytest.raises(InterpreterNotFoundError, match=r"no Python 3\.9 on this machine.*\n.*pyenv install 3\.9"):
        interpreters.find("3.9")
