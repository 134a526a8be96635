"""How one route stands at the place that is asked about: its verdict there, and what was recorded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from matrix.results import verdict_in
from matrix.verdicts import USABLE, VERDICTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matrix.advise.question import Question
    from matrix.records import CellRecord, RunRecord
    from matrix.report.known import Known
    from matrix.results import Results

#: The file was never made, or is not the route's: no runtime can change that.
_BEFORE_THE_RUNTIME = frozenset({"install", "build", "export", "check"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What the route costs, as measured on the case's small inputs. Seconds; ``run`` is four runs, two at each size."""

    nodes: int | None
    bytes: int | None
    export_seconds: float | None
    run_seconds: float | None
    max_abs_error: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """``verdict`` is ``not-run`` where nothing was measured; ``runtime`` the one that the verdict speaks of, or ''.

    ``remedies`` are changed files or sessions with which the runtime is right all the same: ``ort-1.10.0+inlined``.
    """

    route: str
    verdict: str
    runtime: str
    cell: str
    record: CellRecord | None = None
    run: RunRecord | None = None
    remedies: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        return self.verdict in USABLE

    @property
    def price(self) -> Price:
        cell = cast("dict[str, Any]", self.record or {})
        judge = cast("dict[str, Any]", self.run or self.record or {})
        return Price(
            nodes=cell.get("nodes"),
            bytes=cell.get("bytes"),
            export_seconds=cell.get("seconds", {}).get("export"),
            run_seconds=judge.get("seconds", {}).get("run"),
            max_abs_error=judge.get("max_abs_error"),
        )

    @property
    def message(self) -> str:
        """One sentence: what was found."""
        if self.verdict == "not-run":
            return f"not measured in {self.runtime}" if self.record else "not measured"
        cell = cast("dict[str, Any]", self.record or {})
        judge = cast("dict[str, Any]", self.run or self.record or {})
        if self.usable:
            return self._praise(cell, judge)
        remedy = f"; right as {', '.join(self.remedies)}" if self.remedies else ""
        return self._blame(cell, judge) + remedy

    def _praise(self, cell: dict[str, Any], judge: dict[str, Any]) -> str:
        worst = judge.get("max_abs_error")
        difference = "" if worst is None else f", largest difference from eager PyTorch {worst:.2g}"
        note = "; another execution provider ran the node" if self.verdict == "pass-fallback" else ""
        where = f" in {self.runtime}" if self.runtime else ""
        return f"exported at opset {cell['opset']}, ran{where} at two sizes{difference}{note}"

    def _blame(self, cell: dict[str, Any], judge: dict[str, Any]) -> str:
        if self.verdict == "drift":
            return f"right numbers, but opset {cell.get('emitted_opset')} comes out instead of {cell['opset']}"
        if self.verdict == "off-spec" and cell.get("off_spec"):
            return f"runs, but the ONNX specification forbids it: {cell['off_spec'][0]}"
        if "error" in judge:
            hint = judge["error"].get("hint", "")
            return _short(judge["error"]["message"]) + (f" ({hint})" if hint else "")
        worst = judge.get("max_abs_error") if self.verdict in ("mismatch", "dynamic-lost") else None
        larger = "" if worst is None else f"; largest difference {worst:.2g}"
        return VERDICTS[self.verdict].meaning + larger


def _short(message: str, limit: int = 200) -> str:
    """The message without what follows its first sentence, cut to a line's length."""
    message = message.split(". Please feel free", 1)[0]
    return message if len(message) <= limit else message[: limit - 1] + "…"


def runtimes_known(results: Results) -> set[str]:
    """Every runtime that judged an unchanged file."""
    own = {record["runtime"] for record in results.cells.values() if "runtime" in record}
    return own | {runtime for runs in results.runs.values() for runtime in runs if "+" not in runtime}


def standing(results: Results, question: Question, route: str, runtimes: Sequence[str]) -> Standing:
    """The route at that place. ``runtimes``, newest first, are those that the question's runtime means."""
    cell = f"torch-{question.torch}/opset-{question.opset}/{route}/{question.case}"
    record = results.cells.get(cell)
    if record is None:
        return Standing(route=route, verdict="not-run", runtime=question.runtime, cell=cell)
    own = record.get("runtime", "")
    if not question.runtime or own in runtimes or _independent_of_runtime(record):
        return Standing(route=route, verdict=record["verdict"], runtime=own, cell=cell, record=record)
    runs = results.runs.get(record.get("digest", ""), {})
    run = next((runs[name] for name in runtimes if name in runs), None)
    if run is None:
        return Standing(route=route, verdict="not-run", runtime=question.runtime, cell=cell, record=record)
    verdict = verdict_in(record, run["verdict"])
    changed = [
        name for name in sorted(runs) if name.startswith(f"{run['runtime']}+") and runs[name]["verdict"] in USABLE
    ]
    return Standing(
        route=route,
        verdict=verdict,
        runtime=run["runtime"],
        cell=cell,
        record=record,
        run=run,
        remedies=() if verdict in USABLE else tuple(changed),
    )


def _independent_of_runtime(record: CellRecord) -> bool:
    return record["verdict"] in ("unavailable", "not-applicable") or (
        record["stage"] in _BEFORE_THE_RUNTIME and record["verdict"] not in USABLE
    )


def standings(results: Results, question: Question, known: Known, runtimes: Sequence[str]) -> list[Standing]:
    """Every route that exists there, in the order of preference."""
    found = []
    for route in known.routes:
        one = standing(results, question, route, runtimes)
        if one.record is not None or known.applicable(question.torch, route, question.case):
            found.append(one)
    return found
