"""What can go wrong in a build, each with the remedy; a verdict is made from these, never a stack trace."""

from __future__ import annotations


class BuildError(Exception):
    """A build that failed. ``unavailable`` tells a missing or unfit toolchain from a defect in the sources."""

    unavailable = False

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class ToolchainMissingError(BuildError):
    """No compiler of the kind that a strategy needs."""

    unavailable = True


class ToolchainMismatchError(BuildError):
    """A compiler is there, but not one that this environment's PyTorch can use."""

    unavailable = True


class HeaderMissingError(BuildError):
    """The compiler asked for a header that the environment does not have."""

    unavailable = True


class CompilerError(BuildError):
    """The compiler or the linker refused our sources."""


class ImportFailedError(BuildError):
    """The library was linked but cannot be loaded."""
