"""An SVG badge: how much of the table works."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matrix.report import table as tables
from matrix.report.dashboard import template
from matrix.report.summary import squares_by_tone

if TYPE_CHECKING:
    from matrix.report.known import Known
    from matrix.results import Results


def render(results: Results, *, known: Known, label: str = "grid_sample to ONNX") -> str:
    """The share of measured squares (case, release, opset) for which some route works."""
    tones = squares_by_tone(tables.build(results, known))
    works = tones.get("good", 0) + tones.get("substitute", 0)
    measured = sum(count for tone, count in tones.items() if tone != "blank")
    value = f"{works:,} of {measured:,} work" if measured else "not measured"
    colour = "#6b7177" if not measured else "#2f7d46" if works * 2 >= measured else "#8a6400"
    widths = [round(len(text) * 6.4 + 12) for text in (label, value)]
    return template("badge.svg.j2").render(label=label, value=value, colour=colour, left=widths[0], right=widths[1])
