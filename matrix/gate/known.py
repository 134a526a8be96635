"""Failures that are known and excused for a while: envs/known-failures.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from matrix.catalog import ENVS
from matrix.errors import CatalogError, UnknownNameError
from matrix.verdicts import VERDICTS

if TYPE_CHECKING:
    from pathlib import Path

PATH = ENVS / "known-failures.toml"
_FIELDS = ("subject", "verdict", "reason", "expires")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFailure:
    """``subject`` is a pattern over what `matrix check` calls its subjects; ``verdict`` restricts it, when given."""

    subject: str
    reason: str
    expires: date
    verdict: str = ""

    def names(self, subject: str) -> bool:
        return fnmatchcase(subject, self.subject)

    def covers(self, subject: str, verdict: str) -> bool:
        return self.names(subject) and self.verdict in ("", verdict)


def load_known(path: Path = PATH) -> list[KnownFailure]:
    """All entries; a file that does not exist holds none. Raises CatalogError for an entry that makes no sense."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise CatalogError(f"{path}: {error}") from error
    return [_entry(path, position, entry) for position, entry in enumerate(data.get("failure", []), start=1)]


def _entry(path: Path, position: int, entry: dict[str, Any]) -> KnownFailure:
    where = f"{path}, entry {position}"
    for name in entry:
        if name not in _FIELDS:
            raise CatalogError(f"{where}: {UnknownNameError('field', name, _FIELDS)}")
    for name in ("subject", "reason"):
        if not isinstance(entry.get(name), str) or not entry[name].strip():
            raise CatalogError(f"{where}: {name} is missing.", "Every known failure names its subject and its reason.")
    if type(entry.get("expires")) is not date:
        raise CatalogError(f"{where}: expires is no date.", "Write expires = 2027-01-31: every excuse ends one day.")
    verdict = entry.get("verdict", "")
    if verdict and verdict not in VERDICTS:
        raise CatalogError(f"{where}: {UnknownNameError('verdict', verdict, VERDICTS)}")
    return KnownFailure(subject=entry["subject"], reason=entry["reason"], expires=entry["expires"], verdict=verdict)
