"""A picture of bench_kernels.py's results: ``python kernels/bench/speed_picture.py RESULTS.json PICTURE.svg``."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

OURS = "onnxgrid (ort)"
OTHERS = (("onnxruntime", "ONNX Runtime", "#b35900"), ("torch", "PyTorch", "#2a5db0"))
LEFT, WIDTH, ROW, TOP = 210, 520, 34, 62
FONT = 'font-family="sans-serif" font-size="12"'


def groups(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, float]]]:
    """Milliseconds of every problem by shape and mode."""
    out: dict[str, list[dict[str, float]]] = {}
    for row in rows:
        name = f"{'×'.join(map(str, row['shape']))} {row['mode']}"
        out.setdefault(name, []).append(row["milliseconds"])
    return out


def mean_ratio(times: list[dict[str, float]], other: str) -> float:
    return math.exp(sum(math.log(item[other] / item[OURS]) for item in times) / len(times))


def picture(rows: list[dict[str, Any]]) -> str:
    """Bars on a logarithmic scale from 0.5 to 32; the line marks equal speed."""
    named = groups(rows)
    height = TOP + ROW * len(named) + 30

    def at(ratio: float) -> float:
        return LEFT + WIDTH * (math.log2(min(max(ratio, 0.5), 32)) + 1) / 6

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 70} {height}" role="img" {FONT}>',
        "<title>Speed of the kernels relative to PyTorch and ONNX Runtime</title>",
        f'<rect width="{LEFT + WIDTH + 70}" height="{height}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="20" font-size="14" font-weight="bold">How many times faster than …</text>',
    ]
    for number, (_, label, colour) in enumerate(OTHERS):
        x = LEFT + 130 * number
        out.append(
            f'<rect x="{x}" y="30" width="12" height="12" fill="{colour}"/><text x="{x + 18}" y="41">{label}</text>'
        )
    for power in range(-1, 6):
        x, tick = at(2.0**power), f"{2.0**power:g}×"
        colour = "#000000" if power == 0 else "#cccccc"
        out.append(f'<line x1="{x}" x2="{x}" y1="{TOP - 6}" y2="{height - 24}" stroke="{colour}"/>')
        out.append(f'<text x="{x}" y="{height - 8}" text-anchor="middle">{tick}</text>')
    for number, (name, times) in enumerate(named.items()):
        y = TOP + ROW * number
        out.append(f'<text x="{LEFT - 8}" y="{y + 18}" text-anchor="end">{name}</text>')
        for line, (other, _, colour) in enumerate(OTHERS):
            ratio, top = mean_ratio(times, other), y + 13 * line
            start, stop = sorted((at(1.0), at(ratio)))
            out.append(f'<rect x="{start:.1f}" y="{top}" width="{stop - start:.1f}" height="12" fill="{colour}"/>')
            out.append(f'<text x="{stop + 4:.1f}" y="{top + 10}" font-size="10">{ratio:.1f}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(picture(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))), encoding="utf-8")
