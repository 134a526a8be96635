"""The words of the dashboard: both languages complete, every word used, none missing."""

from __future__ import annotations

import re

import pytest

from matrix.probe.routes import ROUTES
from matrix.report.dashboard import TEMPLATES
from matrix.report.strings import LANGUAGES, Strings
from matrix.verdicts import VERDICTS

STRINGS = Strings.load(TEMPLATES / "strings.toml")
SOURCES = "".join(
    path.read_text(encoding="utf-8") for kind in ("*.j2", "js/*.js") for path in sorted(TEMPLATES.glob(kind))
)
#: Keys that templates and scripts put together from a place and a name.
COMPOSED = {
    "verdict.",
    "short.",
    "page.",
    "detail.",
    "change.",
    "chart.",
    "advice.ask_",
    "advice.say_",
    "advice.then_",
    "route.",
    "claim.",
    "claims.",
}


@pytest.mark.parametrize("key", STRINGS.texts)
def test_a_word_has_both_languages_with_the_same_places_for_values(key: str) -> None:
    texts = STRINGS.texts[key]
    assert tuple(texts) == LANGUAGES
    assert all(text.strip() for text in texts.values())
    places = [sorted(re.findall(r"\{\d\}", text)) for text in texts.values()]
    assert places[0] == places[1]


def test_every_word_is_used() -> None:
    place = re.compile("|".join(map(re.escape, COMPOSED)))
    unused = [key for key in STRINGS.texts if f'"{key}"' not in SOURCES and not place.match(key)]
    assert unused == []


def test_every_word_that_is_asked_for_exists() -> None:
    asked = set(re.findall(r'(?:\bt|plain|attribute|word|text|say)\([^"()]*"([a-z]+\.[a-z_-]+)"', SOURCES))
    assert asked - set(STRINGS.texts) - COMPOSED == set()
    assert len(asked) > 60


@pytest.mark.parametrize("name", VERDICTS)
def test_every_verdict_has_a_short_word_and_its_documented_meaning(name: str) -> None:
    assert len(STRINGS.texts[f"short.{name}"]["en"]) <= 10
    assert STRINGS.texts[f"verdict.{name}"]["en"] == VERDICTS[name].meaning


@pytest.mark.parametrize("name", ROUTES)
def test_every_route_has_its_summary(name: str) -> None:
    assert STRINGS.texts[f"route.{name}"]["en"] == ROUTES[name].summary
