"""The advice as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matrix.advise.upgrade import ROUTE
from matrix.probe.routes import ROUTES
from matrix.verdicts import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matrix.advise.advice import Advice
    from matrix.advise.standing import Price, Standing
    from matrix.advise.upgrade import Upgrade

INSTALL = "pip install onnxgrid, or pip install ./kernels from a checkout"


def as_text(advice: Advice) -> str:
    """Headed sections, the recommendation first."""
    return "\n".join(_lines(advice)) + "\n"


def _lines(advice: Advice) -> Iterator[str]:
    asked = advice.question
    runtime = f", {asked.runtime}" if asked.runtime else ""
    yield f"{asked.case} with PyTorch {asked.torch}, opset {asked.opset}{runtime}"
    yield ""
    best = advice.recommended
    if best is None:
        yield f"No recommendation. {advice.why}"
        if advice.nearest is not None:
            yield f"  nearest   {advice.nearest.route} is right at {advice.nearest.cell}"
    else:
        yield f"Take the route {best.route} ({ROUTES[best.route].summary if best.route in ROUTES else 'your own'})."
        yield f"  why       {advice.why}"
        yield f"  price     {_price(best.price)}"
        if best.route in ROUTES and ROUTES[best.route].helper:
            yield f"  needs     {INSTALL}"
        yield f"  measured  {advice.measured_where}; {best.cell}"
    yield from _section("How the decision was made", [f"{s.question}  {s.answer}: {s.detail}" for s in advice.path])
    others = [one for one in advice.routes if one is not best]
    yield from _section("What else would work", [_other(one) for one in others if one.usable])
    yield from _section(
        "What would not", [_other(one) for one in others if not one.usable and one.verdict != "not-run"]
    )
    unmeasured = [one.route for one in others if one.verdict == "not-run"]
    if advice.measure:
        known = (
            f"{', '.join(unmeasured)}; this measures it:" if unmeasured else "the environment could not be made; again:"
        )
        yield from _section("Not measured", [known, advice.measure])
    steps = [_upgrade(advice, one) for one in advice.upgrades]
    native = next((one for one in advice.routes if one.route == ROUTE), None)
    if native is not None and not native.usable:
        none = "none was measured: no newer PyTorch, opset or runtime in these results has it"
        yield from _section("The smallest upgrade that makes the native route right", steps or [none])
    if advice.snippet:
        yield ""
        yield "A script that does it and compares:"
        yield ""
        yield advice.snippet.rstrip()


def _section(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield ""
        yield title
        yield from (f"  {line}" for line in lines)


def _price(price: Price) -> str:
    parts = []
    if price.nodes is not None:
        parts.append(f"{price.nodes} node{'s' if price.nodes != 1 else ''}")
    if price.bytes is not None:
        parts.append(f"{price.bytes:,} bytes")
    if price.export_seconds is not None:
        parts.append(f"{price.export_seconds * 1e3:.0f} ms to export")
    if price.run_seconds is not None:
        parts.append(f"{price.run_seconds * 1e3:.2g} ms for the runs of the small test inputs")
    return ", ".join(parts) or "not measured"


def _other(one: Standing) -> str:
    symbol = VERDICTS[one.verdict].symbol
    tail = f"; {_price(one.price)}" if one.usable else ""
    return f"{one.route:<8} {symbol} {one.verdict}: {one.message}{tail}"


def _upgrade(advice: Advice, one: Upgrade) -> str:
    moves = {"torch": f"PyTorch {one.torch}", "opset": f"opset {one.opset}", "runtime": one.runtime}
    kept = {
        "torch": f"PyTorch {advice.question.torch}", "opset": f"opset {one.opset}", "runtime": advice.question.runtime,
    }  # fmt: skip
    change = " and ".join(moves[axis] for axis in one.changes)
    same = ", ".join(kept[axis] for axis in ("torch", "opset", "runtime") if axis not in one.changes and kept[axis])
    gap = f"; {one.unmeasured} nearer places are not measured" if one.unmeasured else ""
    return change + (f" ({same} as it is)" if same else "") + f": {one.cell}{gap}"
