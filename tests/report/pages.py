"""Reading rendered pages in tests: elements with their attributes and text, and scripts with their data."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

VOID = {"meta", "link", "input", "br", "img", "hr"}


@dataclass
class Element:
    """An element with everything below it; ``text`` holds the text of all of that."""

    name: str
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def all(self, name: str) -> list[Element]:
        """Elements of that name below this one, in the order of the page."""
        found = []
        for child in self.children:
            if child.name == name:
                found.append(child)
            found += child.all(name)
        return found

    @property
    def classes(self) -> set[str]:
        return set(self.attributes.get("class", "").split())


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.stack = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.stack[-1].children.append(element)
        if tag not in VOID:
            self.stack.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack[-1].name == tag, f"</{tag}> closes <{self.stack[-1].name}>"
        self.stack.pop()

    def handle_data(self, data: str) -> None:
        for element in self.stack:
            element.text += data


def read(path: Path) -> Element:
    """The page as a tree; fails when an element is not closed where it should be."""
    builder = _Builder()
    builder.feed(path.read_text(encoding="utf-8"))
    assert len(builder.stack) == 1
    return builder.stack[0]


def squares(path: Path) -> dict[tuple[str, str], Element]:
    """Table cells of a page's main table by the texts of their row's and column's headers."""
    table = next(table for table in read(path).all("table") if table.attributes.get("id") == "table")
    heads = [
        head.text.replace("opset ", "").replace("PyTorch ", "").strip() for head in table.all("thead")[0].all("th")
    ]
    found: dict[tuple[str, str], Element] = {}
    for row in (row for body in table.all("tbody") for row in body.all("tr")):
        head, *cells = [child for child in row.children if child.name in {"th", "td"}]
        found |= {(head.text.strip(), column): cell for column, cell in zip(heads[1:], cells, strict=True)}
    return found


def data(path: Path) -> Any:
    """What a script file hands over."""
    text = path.read_text(encoding="utf-8")
    return json.loads(text[text.index("(") + 1 : text.rindex(")")])
