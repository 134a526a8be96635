"""Finding a Python interpreter of a given version on this machine, or having uv download one.

python-discovery does the searching and the checking. It looks at a version manager's shims only for versions that are
active; the interpreters that lie in the managers' folders all the same are handed to it as hints. A shim that is not
activated answers "command not found"; discovery runs every candidate and so never takes it for an interpreter.
"""

from __future__ import annotations

import functools
import os
import subprocess
from pathlib import Path

from matrix.errors import InterpreterNotFoundError
from matrix.tools import uv

#: Folder with one interpreter per version, below the root that the variable names or that is the manager's default.
_MANAGERS = (
    ("PYENV_ROOT", "~/.pyenv", "versions"),
    ("MISE_DATA_DIR", "~/.local/share/mise", "installs/python"),
    ("ASDF_DATA_DIR", "~/.asdf", "installs/python"),
)


def installed_by_managers() -> list[str]:
    """Paths of the interpreters in the folders of pyenv, mise and asdf, newest first."""
    found: list[Path] = []
    for variable, default, folder in _MANAGERS:
        root = Path(os.environ.get(variable) or default).expanduser()
        found += root.joinpath(folder).glob("*/bin/python")
    return [str(path) for path in sorted(found, reverse=True)]


@functools.cache
def find(version: str) -> Path:
    """Path of a CPython of that minor version (``3.9``).

    Searches the managers' folders, PATH and uv's own interpreters, then lets uv download one. Raises
    InterpreterNotFoundError when none can be had.
    """
    from python_discovery import get_interpreter  # only measuring needs it; looking at results does not

    found = get_interpreter(f"cpython{version}", try_first_with=installed_by_managers())
    if found is not None and found.executable is not None:
        return Path(found.executable)
    return _download(version)


def _download(version: str) -> Path:
    done = subprocess.run([uv(), "python", "install", "--no-bin", version], capture_output=True, text=True, check=False)
    located = subprocess.run(
        [uv(), "python", "find", "--managed-python", version], capture_output=True, text=True, check=False
    )
    if done.returncode == 0 and located.returncode == 0:
        return Path(located.stdout.strip())
    reason = (done.stderr.strip().splitlines() or ["uv gave no reason"])[-1].strip()
    raise InterpreterNotFoundError(
        f"no Python {version} on this machine, and uv could not download one ({reason}).",
        f"Install Python {version}: pyenv install {version}, your system's packages, or `uv python install {version}`.",
    )
