"""Charts where a look beats reading, drawn as SVG by pygal; each has its numbers in a table behind it.

Colours are the page's own variables, so that dark, print and forced colours hold for charts too.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from matrix.report.summary import tones_of
from matrix.verdicts import STAGES

if TYPE_CHECKING:
    from matrix.report.table import Table


@dataclass(frozen=True, slots=True)
class Chart:
    """Series by name over labels, each with its colour; ``svg`` is empty when pygal is not installed."""

    name: str
    labels: tuple[str, ...]
    series: tuple[tuple[str, tuple[float | None, ...]], ...]
    colours: tuple[str, ...]
    svg: Markup


#: Series of the coverage chart: tones of a square that count together, and the colour.
_COVERAGE = (
    ("own", ("good",), "var(--chart-own)"),
    ("substitute", ("substitute",), "var(--chart-substitute)"),
    ("partial", ("partial",), "var(--chart-partial)"),
    ("failing", ("bad", "broken"), "var(--chart-failing)"),
    ("unmeasured", ("blank",), "var(--chart-unmeasured)"),
)
_SHADES = tuple(f"var(--chart-{number})" for number in range(1, 8))


def charts(table: Table) -> list[Chart]:
    """All charts that the results have numbers for."""
    environments = _environments(table)
    return [_coverage(table), *_stages(table), *([environments] if environments else [])]


def _coverage(table: Table) -> Chart:
    """Squares (case x opset) of each release by what the best route gives."""
    rows = [tones_of(table, row) for row in range(len(table.releases))]
    series = tuple((key, tuple(sum(row.get(one, 0) for one in tones) for row in rows)) for key, tones, _ in _COVERAGE)
    return _chart("coverage", table.releases, series, tuple(colour for *_, colour in _COVERAGE))


def _stages(table: Table) -> list[Chart]:
    """Median time per stage of the cells that went all the way, by route; and running alone, since it is so short."""
    seconds: dict[str, dict[str, list[float]]] = {route: {} for route in table.routes}
    for records in table.records.values():
        for record in records:
            if record["stage"] == "compare":
                for stage, value in record.get("seconds", {}).items():
                    seconds[record["route"]].setdefault(stage, []).append(value)
    routes = tuple(route for route in table.routes if seconds[route])
    stages = [stage for stage in STAGES if any(stage in seconds[route] for route in routes)]
    series = tuple((stage, tuple(_milliseconds(seconds[route].get(stage)) for route in routes)) for stage in stages)
    speed = tuple(one for one in series if one[0] == "run")
    found = [_chart("stages", routes, series, _SHADES)] if series else []
    return [*found, _chart("speed", routes, speed, _SHADES[3:])] if speed else found


def _milliseconds(values: list[float] | None) -> float | None:
    return round(median(values) * 1000, 3) if values else None


def _environments(table: Table) -> Chart | None:
    """Seconds that each environment took."""
    environments = table.results.environments
    releases = tuple(name for name in table.releases if "seconds" in environments.get(f"torch-{name}", {}))
    if not releases:
        return None
    taken = [environments[f"torch-{name}"].get("seconds", {}) for name in releases]
    parts = list(dict.fromkeys(part for seconds in taken for part in seconds if part != "own"))
    series = tuple((part, tuple(round(one[part], 1) if part in one else None for one in taken)) for part in parts)
    return _chart("environments", releases, series, _SHADES)


def _chart(
    name: str, labels: tuple[str, ...], series: tuple[tuple[str, tuple[Any, ...]], ...], colours: tuple[str, ...]
) -> Chart:
    return Chart(name, labels, series, colours, _draw(name, labels, series, colours))


def _draw(
    name: str, labels: tuple[str, ...], series: tuple[tuple[str, tuple[Any, ...]], ...], colours: tuple[str, ...]
) -> Markup:
    """Stacked bars. What pygal would make different every time, load or run is taken out."""
    try:
        import pygal
        from pygal.style import Style
    except ImportError:
        return Markup("")
    style = Style(
        background="transparent",
        plot_background="transparent",
        foreground="var(--soft)",
        foreground_strong="var(--ink)",
        foreground_subtle="var(--line)",
        colors=colours,
        font_family="inherit",
        opacity="1",
        opacity_hover=".8",
        transition="0s",
        label_font_size=11,
        major_label_font_size=11,
        legend_font_size=12,
    )
    chart = pygal.StackedBar(
        style=style, width=1000, height=340, js=(), show_legend=False, show_y_guides=False,
        x_label_rotation=30 if len(labels) > 8 else 0, spacing=8, margin=6, show_minor_x_labels=True,
        disable_xml_declaration=True, explicit_size=False,
    )  # fmt: skip
    chart.uuid = name
    chart.x_labels = labels
    for key, values in series:
        chart.add(key, values)
    chart.add_xml_filter(_quiet)
    return Markup(chart.render(is_unicode=True))  # noqa: S704 - pygal escapes what it is given


def _quiet(root: Any) -> Any:
    """Without scripts (the page allows none of them) and without comments (they hold the date of the drawing)."""
    for parent in list(root.iter()):
        for child in list(parent):
            if not isinstance(child.tag, str) or child.tag.endswith("script"):
                parent.remove(child)
    return root
