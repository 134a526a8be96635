"""Everything that may go wrong for a reason the user can mend: a class per kind, its exit code, its remedy."""

from __future__ import annotations

import difflib
import errno
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class MatrixError(Exception):
    """Base of all errors that are shown as one message instead of a traceback.

    ``remedy`` is a sentence that tells what to do next; it is part of ``str(error)``.
    """

    exit_code = 1

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(f"{message}\n  {remedy}" if remedy else message)
        self.message = message
        self.remedy = remedy


class UsageError(MatrixError):
    """An unknown option or an option's value that makes no sense."""

    exit_code = 2


class UnknownNameError(UsageError):
    """A release, opset, case, route or pattern that matches nothing."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        known = list(known)
        close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        if close:
            remedy = f"Perhaps you meant {', '.join(close)}?"
        else:
            remedy = f"Known: {', '.join(known[:40])}{' …' if len(known) > 40 else ''}."
        super().__init__(f"no {kind} matches {name!r}.", remedy)


class CatalogError(MatrixError):
    """A file below envs/ that cannot be read or that contradicts itself."""

    exit_code = 3


class InterpreterNotFoundError(MatrixError):
    """No Python of the version that an environment needs, and none could be downloaded."""

    exit_code = 4


class InstallError(MatrixError):
    """The packages of an environment could not be installed."""

    exit_code = 5


class NetworkError(InstallError):
    """The package index did not answer, or refused."""

    exit_code = 6


class DiskFullError(MatrixError):
    """No space left; results written so far are safe."""

    exit_code = 7


class FolderError(MatrixError):
    """A folder that may not be written to."""

    exit_code = 19


@contextmanager
def writing(what: object) -> Iterator[None]:
    """Inside, a full disk and a folder that may not be written to become errors with a remedy."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise DiskFullError(
                f"cannot write {what}: {error.strerror}.",
                "Free some space and run the same command again: it goes on where it stopped.",
            ) from error
        if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EEXIST, errno.EISDIR):
            raise FolderError(
                f"cannot write {what}: {error.strerror}.", "Choose a folder that can be written to: --results FOLDER."
            ) from error
        raise


class ResultsError(MatrixError):
    """A results file that cannot be read."""

    exit_code = 8


class NewerSchemaError(ResultsError):
    """A results file written by a newer version of this project."""

    exit_code = 9


class BusyError(MatrixError):
    """Another run holds the lock."""

    exit_code = 10


class ProbeError(MatrixError):
    """The measuring process could not be started in its environment or died before its first cell."""

    exit_code = 11


class MissingDependencyError(MatrixError):
    """A package of the host side that this command needs is not installed."""

    exit_code = 12


class NoAdviceError(MatrixError):
    """No route was measured to be right at the place asked about, so there is no script for it."""

    exit_code = 13


class MixedSchemaError(ResultsError):
    """Results of several schemas that cannot become one."""

    exit_code = 14


class RegressionError(MatrixError):
    """What passed, built or was quick in the baseline no longer is."""

    exit_code = 15


class NotMeasuredError(MatrixError):
    """The gate has nothing to judge by: an environment could not be set up, or there are no results."""

    exit_code = 16


class CaseFileError(MatrixError):
    """A file of the user's own cases that cannot be read, or says what no case can be."""

    exit_code = 18


class ContainerError(MatrixError):
    """The Docker engine, an image or a container could not be had."""

    exit_code = 17
