"""The HTML of squares.  A page has hundreds, but only a few dozen differ: each distinct one is rendered once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from matrix.report.known import OWN_ROUTES
from matrix.report.naming import letters
from matrix.report.table import HERE, STALE, Square, best_route
from matrix.verdicts import USABLE, VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

#: Verdicts of which a square names the route; of all others it names the verdict.
SHOWN_AS_ROUTE = USABLE | {"drift", "off-spec"}


def tone(verdict: str, route: str) -> str:
    """The colour of a square; what works only by a substitute is paler than what PyTorch exports itself."""
    return "substitute" if verdict in USABLE and route not in OWN_ROUTES else VERDICTS[verdict].tone


def filled(rows: Iterable[tuple[Markup, ...]], pattern: str) -> Markup:
    """A template's pattern once per row, a line each.

    The values have to be markup already: a page has thousands, and looking at each of them again is what takes time.
    """
    return Markup("\n".join([pattern.format(*row) for row in rows]))  # noqa: S704


class Squares:
    """Renders squares for one set of routes; ``short`` are the verdicts' words for narrow places."""

    def __init__(self, routes: Sequence[str], short: Mapping[str, str]) -> None:
        self._routes = tuple(routes)
        self._letters = letters(routes)
        self._short = short
        self._routes_html: dict[tuple[int, str], Markup] = {}
        self._squares: dict[tuple[Square, int], tuple[Markup, Markup]] = {}

    def render(self, square: Square, marks: int = 0) -> tuple[Markup, Markup]:
        """Class names of the table cell, and what its link holds."""
        key = (square, marks)
        if key not in self._squares:
            self._squares[key] = self._render(square, marks)
        return self._squares[key]

    def _render(self, square: Square, marks: int) -> tuple[Markup, Markup]:
        position = best_route(square)
        verdict = VERDICTS[square[position]]
        classes = [tone(verdict.name, self._routes[position]), f"v-{verdict.name}"]
        if verdict.name not in USABLE and len(set(square) - {"not-applicable"}) <= 1:
            classes.append("alike")
        hidden = ""
        if marks & HERE:
            classes.append("here")
            hidden += " measured here;"
        if marks & STALE:
            classes.append("stale")
            hidden += " out of date;"
        if verdict.name in SHOWN_AS_ROUTE:
            word = Markup('<span class="w">{}</span>').format(self._routes[position])
        else:
            word = Markup('<span class="w" data-q="{}">{}</span>').format(verdict.name, self._short[verdict.name])
        said = Markup('<span class="sr"> {}.{}</span>').format(verdict.name, hidden)
        best = Markup("<b><i>{}</i> {}</b>{}").format(verdict.symbol, word, said)
        parts = Markup("").join(self._route(index, name) for index, name in enumerate(square))
        return Markup(" ").join(map(escape, classes)), best + Markup('<span class="rs">{}</span>').format(parts)

    def _route(self, index: int, name: str) -> Markup:
        key = (index, name)
        if key not in self._routes_html:
            route, verdict = self._routes[index], VERDICTS[name]
            if name == "not-applicable":
                return Markup("<span></span>")
            self._routes_html[key] = Markup(
                '<span class="r {}" data-r="{}" data-q="{}"><i>{}</i>{}<em> {} <u>{}</u></em></span> '
            ).format(verdict.tone, index, name, self._letters[route], verdict.symbol, route, self._short[name])
        return self._routes_html[key]
