"""The claims of docs/claims.md for their page: one source, so that the document and the page cannot disagree."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from matrix.catalog import ROOT
from matrix.report.naming import slug

#: nox shows every logger's debug messages, and this one has a message for each rule that it enters.
logging.getLogger("markdown_it").setLevel(logging.WARNING)

if TYPE_CHECKING:
    from collections.abc import Container

SOURCE = ROOT / "docs" / "claims.md"

#: A line of the table: claim, verdict with what it depends on, number.
_ROW = re.compile(r"\| (?P<claim>.+?) \| \*\*(?P<verdict>[a-z ]+)\*\*(?P<rest>.*?) \| \[(?P<number>\d+)\]\(#\d+\) \|")
_SECTION = re.compile(r"^## (\d+)$", re.MULTILINE)
_ELSEWHERE = re.compile(r"\[([^\]]+)\]\((?!#)[^)]+\)")
_CELL = re.compile(r"<code>((torch-[^/<]+/opset-\d+)/[^/<]+/([^<]+))</code>")


@dataclass(frozen=True, slots=True)
class Claim:
    """``verdict`` is ``true``, ``false`` or ``only where``; ``rest`` the condition or the number that goes with it."""

    number: str
    claim: str
    verdict: str
    rest: str
    body: str

    @property
    def word(self) -> str:
        """The verdict's name among the texts."""
        return self.verdict.replace(" ", "_")

    @property
    def tone(self) -> str:
        return {"true": "good", "false": "bad"}.get(self.verdict, "partial")

    @property
    def condition(self) -> Markup:
        return _inline(self.rest.strip(" :"))

    def html(self, cells: Container[str]) -> Markup:
        """What was measured; ids of cells that are among the results lead to them."""
        text = _markdown().render(_ELSEWHERE.sub(r"`docs/\1`", self.body))
        text = text.replace("<th>", '<th scope="col">').replace('<th scope="col"></th>', "<td></td>")
        head = f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(self.claim)}"><table class="plain">'
        text = text.replace("<table>", head + f'<caption class="sr">{escape(self.claim)}</caption>')
        text = text.replace("</table>", "</table></div>")
        return Markup(_CELL.sub(lambda match: _linked(match, cells), text))  # noqa: S704  # the source is our own


def _linked(match: re.Match[str], cells: Container[str]) -> str:
    if match[1] not in cells:
        return match[0]
    return f'<a href="case/{slug(match[3])}.html#{match[2]}">{match[0]}</a>'


def claims(text: str | None = None) -> list[Claim]:
    """All claims in the order of their document."""
    text = SOURCE.read_text(encoding="utf-8") if text is None else text
    _, *parts = _SECTION.split(text)
    bodies = dict(zip(parts[::2], parts[1::2], strict=True))
    return [
        Claim(row["number"], row["claim"], row["verdict"], row["rest"], bodies[row["number"]])
        for row in _ROW.finditer(text)
    ]


def introduction(text: str | None = None) -> Markup:
    """What stands above the table: how the numbers are had again, on which machine."""
    text = SOURCE.read_text(encoding="utf-8") if text is None else text
    above = text[text.index("\n") : text.index("\n| ")]
    return Markup(_markdown().render(_ELSEWHERE.sub(r"`docs/\1`", above)))  # noqa: S704


def _inline(text: str) -> Markup:
    return Markup(_markdown().renderInline(text))  # noqa: S704


def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")
