"""File names, ranges and letters: how things are called on the pages.  Names are stable: people link to them."""

from __future__ import annotations

import hashlib
import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SAFE = re.compile(r"[a-z0-9][a-z0-9_.-]{0,120}")


def slug(name: str) -> str:
    """A file name for a case or release; the name itself where it is harmless on every file system."""
    if _SAFE.fullmatch(name):
        return name
    cleaned = re.sub(r"[^a-z0-9_.]+", "-", name.lower()).strip("-.")[:60]
    return f"{cleaned or 'case'}-{hashlib.sha256(name.encode()).hexdigest()[:10]}"


def ranges(numbers: Iterable[int], axis: Sequence[int]) -> str:
    """Opsets as people write them, ``9–14, 16``: neighbours on the axis are joined."""
    chosen = set(numbers)
    parts: list[list[int]] = []
    previous_taken = False
    for number in axis:
        taken = number in chosen
        if taken and previous_taken:
            parts[-1][1] = number
        elif taken:
            parts.append([number, number])
        previous_taken = taken
    return ", ".join(f"{first}–{last}" if last > first else f"{first}" for first, last in parts)


def letters(routes: Sequence[str]) -> dict[str, str]:
    """One letter per route for where a word does not fit; capital letters for the dynamo variants."""
    taken: dict[str, str] = {}
    for route in routes:
        base, _, exporter = route.partition("@")
        candidates = [letter.upper() if exporter else letter for letter in base if letter.isalpha()]
        free = [letter for letter in (*candidates, *"abcdefghijklmnopqrstuvwxyz?") if letter not in taken.values()]
        taken[route] = free[0] if free else "?"
    return taken


def command(cell: str) -> str:
    """What reproduces exactly this cell."""
    return f"nox -s matrix -- --cell {shlex.quote(cell)} --again"
