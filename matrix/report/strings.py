"""The words of the dashboard in its two languages, from one file."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

if TYPE_CHECKING:
    from pathlib import Path

LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Strings:
    """Texts by key (``case.caption``), then by language."""

    texts: dict[str, dict[str, str]]

    @classmethod
    def load(cls, path: Path) -> Strings:
        data: dict[str, dict[str, dict[str, str]]] = tomllib.loads(path.read_text(encoding="utf-8"))
        return cls({f"{place}.{name}": texts for place, names in data.items() for name, texts in names.items()})

    def plain(self, key: str, *values: Any) -> str:
        """The English text, for attributes and titles."""
        return self.texts[key]["en"].format(*values)

    def element(self, key: str, *values: Any) -> Markup:
        """The English text in an element that the page's script can put into another language."""
        attributes = Markup(' data-t="{}"').format(key)
        if values:
            attributes += Markup(' data-v="{}"').format(json.dumps(list(map(str, values)), ensure_ascii=False))
        return Markup("<span{}>{}</span>").format(attributes, self.plain(key, *values))

    def place(self, name: str) -> dict[str, str]:
        """The English texts of one place by their name in it."""
        prefix = f"{name}."
        return {key.removeprefix(prefix): texts["en"] for key, texts in self.texts.items() if key.startswith(prefix)}

    def by_language(self) -> dict[str, dict[str, str]]:
        return {language: {key: texts[language] for key, texts in self.texts.items()} for language in LANGUAGES}
