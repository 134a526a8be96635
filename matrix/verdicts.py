"""The verdicts: what may happen to a cell, each with a symbol, a word, a tone and a rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Tone = Literal["good", "partial", "bad", "broken", "blank"]
Stage = Literal["install", "build", "export", "check", "load", "run", "compare"]
STAGES: tuple[Stage, ...] = ("install", "build", "export", "check", "load", "run", "compare")


@dataclass(frozen=True, slots=True)
class Verdict:
    """One possible outcome.

    ``name`` is the word used in results, JSON and HTML; ``symbol`` one character that stands for it where there is
    little room; ``tone`` groups verdicts that call for the same colour; ``rank`` orders them from best to worst.
    """

    name: str
    symbol: str
    tone: Tone
    rank: int
    meaning: str


_ALL = (
    Verdict(
        "pass", "✓", "good", 0, "exported at the requested opset, loaded, run twice, numbers equal to eager PyTorch"
    ),
    Verdict(
        "pass-fallback", "✓ₑ", "good", 1, "right, but another execution provider than the one asked for ran the node"
    ),
    Verdict("drift", "⇡", "partial", 2, "right numbers, but the emitted opset is not the requested one"),
    Verdict("off-spec", "§", "partial", 3, "runs and matches, but the ONNX specification forbids the file"),
    Verdict("dynamic-lost", "▭", "bad", 4, "right at the traced size, wrong or refused at another"),
    Verdict("mismatch", "≠", "bad", 5, "runs, but the numbers are wrong"),
    Verdict("route-not-taken", "↷", "bad", 6, "the file holds another operator than the route promises"),
    Verdict("unloadable", "⊘", "bad", 7, "exported, but the runtime refuses the file"),
    Verdict("unsupported-op", "✗", "bad", 8, "the exporter has no translation for an operator at this opset"),
    Verdict("unsupported-opset", "∅", "bad", 9, "the exporter does not know this opset"),
    Verdict("error", "!", "bad", 10, "failed in another way; the stage and the message say how"),
    Verdict("crash", "☠", "broken", 11, "the process died"),
    Verdict("timeout", "◷", "broken", 12, "did not finish within the time limit"),
    Verdict(
        "unavailable",
        "?",
        "blank",
        13,
        "the environment, toolchain or device could not be had; says nothing about PyTorch",
    ),
    Verdict("not-applicable", "–", "blank", 14, "this combination does not exist"),
    Verdict("not-run", "·", "blank", 15, "not measured yet"),
)

VERDICTS: dict[str, Verdict] = {verdict.name: verdict for verdict in _ALL}

#: Verdicts that turn a square green: the user can ship the file.
USABLE = frozenset({"pass", "pass-fallback"})


def best(names: list[str]) -> str:
    """The best of several verdict names; ``not-run`` when there are none."""
    return min(names, key=lambda name: VERDICTS[name].rank, default="not-run")
