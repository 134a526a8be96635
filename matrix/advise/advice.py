"""The advice: the recommended route, the path of decisions that leads to it, what else there is."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from matrix.advise import standard
from matrix.advise.question import Question, runtimes_named
from matrix.advise.snippet import snippet
from matrix.advise.standing import Standing, runtimes_known, standings
from matrix.advise.upgrade import ROUTE, Upgrade, upgrades
from matrix.probe.cases import CASES
from matrix.probe.routes import ROUTES
from matrix.report.known import OWN_ROUTES
from matrix.verdicts import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matrix.report.known import Known
    from matrix.results import Results

YES, NO, UNKNOWN = "yes", "no", "not measured"


@dataclass(frozen=True, slots=True)
class Step:
    """One decision: the question, ``yes``, ``no`` or ``not measured``, the ground, and the cell that is the ground."""

    question: str
    answer: str
    detail: str
    cell: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """``recommended`` is None unless a route was measured to be right at exactly the place asked about.

    ``nearest`` is then the route that is right at the nearest opset of the same PyTorch, if there is one.
    """

    question: Question
    recommended: Standing | None
    nearest: Standing | None
    why: str
    routes: tuple[Standing, ...]
    path: tuple[Step, ...]
    upgrades: tuple[Upgrade, ...]
    snippet: str | None
    measure: str
    measured_where: str

    def as_json(self) -> dict[str, Any]:
        """Plain data: what `python -m matrix advise --json` prints."""
        return {
            "question": asdict(self.question),
            "recommended": _as_json(self.recommended) if self.recommended else None,
            "nearest": _as_json(self.nearest) if self.nearest else None,
            "why": self.why,
            "routes": [_as_json(one) for one in self.routes],
            "path": [asdict(step) for step in self.path],
            "upgrades": [asdict(upgrade) for upgrade in self.upgrades],
            "snippet": self.snippet,
            "measure": self.measure or None,
            "measured": self.measured_where or None,
        }


def _as_json(one: Standing) -> dict[str, Any]:
    return {
        "route": one.route,
        "summary": ROUTES[one.route].summary if one.route in ROUTES else "",
        "verdict": one.verdict,
        "usable": one.usable,
        "runtime": one.runtime or None,
        "cell": one.cell,
        "message": one.message,
        "remedies": list(one.remedies),
        "price": asdict(one.price),
    }


def advise(question: Question, results: Results, known: Known, *, runtimes: Iterable[str] = ()) -> Advice:
    """What the results say about that place.

    ``known`` gives the routes that exist, in the order of preference among equal verdicts; ``runtimes`` names runtimes
    that exist beside the measured ones. Raises UnknownNameError for a runtime of an unknown family.
    """
    judges = runtimes_named(question.runtime, runtimes_known(results), runtimes) if question.runtime else []
    routes = standings(results, question, known, judges)
    best = _best(routes)
    two = known.applicable(question.torch, "dynamo", question.case)
    two = known.applicable(question.torch, "dynamo", question.case)
    return Advice(
        question=question,
        recommended=best,
        nearest=None if best else _nearest(question, results, known, judges),
        why=_why(best, routes),
        routes=tuple(routes),
        path=tuple(_path(question, routes, best)),
        upgrades=tuple(upgrades(results, question, known, judges)) if not _native_is_green(routes) else (),
        snippet=snippet(best.route, question.case, question.opset, two_exporters=two) if best else None,
        measure=_command(question, routes),
        measured_where=_where(results, best),
    )


def _best(routes: list[Standing]) -> Standing | None:
    """The best usable verdict; the earliest route among equals."""
    usable = [one for one in routes if one.usable]
    return min(usable, key=lambda one: VERDICTS[one.verdict].rank, default=None)


def _nearest(question: Question, results: Results, known: Known, runtimes: list[str]) -> Standing | None:
    for opset in sorted(known.opsets, key=lambda opset: (abs(opset - question.opset), opset)):
        found = _best(standings(results, replace(question, opset=opset), known, runtimes))
        if found is not None:
            return found
    return None


def _native_is_green(routes: list[Standing]) -> bool:
    return any(one.route == ROUTE and one.usable for one in routes)


def _why(best: Standing | None, routes: list[Standing]) -> str:
    if best is None:
        if all(one.verdict in ("not-run", "unavailable") for one in routes):
            return "Nothing was measured here, so nothing is recommended."
        return "None of the measured routes gives a right file here."
    if best.route in OWN_ROUTES:
        return f"PyTorch's own exporter gives a right file: {best.message}."
    own = ", ".join(f"{one.route} is {_said(one)}" for one in routes if one.route in OWN_ROUTES)
    return f"{own[:1].upper()}{own[1:]}; {best.route} is right: {best.message}."


def _said(one: Standing) -> str:
    return "not measured" if one.verdict == "not-run" else one.verdict


def _path(question: Question, routes: list[Standing], best: Standing | None) -> list[Step]:
    return [
        _in_onnx(question),
        *(_in_exporter(question, one) for one in routes if one.route in OWN_ROUTES),
        _route(best, routes),
        *_verification(question, best, routes),
    ]


def _in_onnx(question: Question) -> Step:
    ask = f"Is the operator in ONNX at opset {question.opset}?"
    case = CASES.get(question.case)
    if case is None:
        return Step(ask, UNKNOWN, "a case of your own: its operators are not listed")
    if standard.made_of_others(case):
        return Step(ask, YES, "it is written with Transpose and Slice, which every opset has")
    needed = standard.needed(case)
    missing = [f"{name} since opset {since}" for name, since in needed if since > question.opset]
    if missing:
        return Step(ask, NO, ", ".join(missing))
    return Step(ask, YES, ", ".join(f"{name} since opset {since}" for name, since in needed))


def _in_exporter(question: Question, one: Standing) -> Step:
    exporter = ROUTES[one.route].exporter if one.route in ROUTES else one.route
    ask = f"Does the {exporter} exporter of PyTorch {question.torch} write it ({one.route})?"
    if one.record is None or one.verdict == "unavailable":
        return Step(ask, UNKNOWN, one.message, one.cell)
    if one.record["stage"] in ("export", "check") and not one.usable:
        return Step(ask, NO, one.message, one.cell)
    if one.record["verdict"] in ("drift", "off-spec"):
        return Step(ask, NO, one.message, one.cell)
    return Step(ask, YES, f"opset {one.record.get('emitted_opset', question.opset)} comes out", one.cell)


def _route(best: Standing | None, routes: list[Standing]) -> Step:
    ask = "Native, or which other route?"
    if best is not None:
        return Step(ask, best.route, ROUTES[best.route].summary if best.route in ROUTES else "", best.cell)
    unmeasured = [one.route for one in routes if one.verdict == "not-run"]
    if unmeasured:
        return Step(ask, UNKNOWN, f"none of the measured ones; not measured: {', '.join(unmeasured)}")
    return Step(ask, "none", "no route gives a right file here")


def _verification(question: Question, best: Standing | None, routes: list[Standing]) -> list[Step]:
    """Load and compare, for the recommended route or, without one, for whichever came furthest."""
    one = best or min(
        (one for one in routes if one.record is not None), key=lambda one: VERDICTS[one.verdict].rank, default=None
    )
    runtime = (one.runtime if one else "") or question.runtime or "the runtime"
    load, verify = (
        f"Does {runtime} load and run the file?",
        "Are the numbers those of eager PyTorch, at another size too?",
    )
    if one is None or one.record is None or one.verdict in ("not-run", "unavailable"):
        return [Step(load, UNKNOWN, "no measurement"), Step(verify, UNKNOWN, "no measurement")]
    stage = (one.run or one.record)["stage"]
    if not one.usable and stage not in ("compare", "run"):
        return [Step(load, NO, one.message, one.cell), Step(verify, NO, "it did not come so far")]
    if one.verdict in ("mismatch", "dynamic-lost", "error", "crash", "timeout"):
        ran = YES if stage == "compare" else NO
        return [Step(load, ran, one.route, one.cell), Step(verify, NO, one.message, one.cell)]
    worst = one.price.max_abs_error
    numbers = "within the tolerance" if worst is None else f"largest difference {worst:.2g}"
    return [Step(load, YES, one.route, one.cell), Step(verify, YES, numbers, one.cell)]


def _command(question: Question, routes: list[Standing]) -> str:
    """What measures the routes that have no result here; empty when all have one."""
    missing = [one for one in routes if one.verdict in ("not-run", "unavailable")]
    if not missing:
        return ""
    place = f"--torch {question.torch} --opset {question.opset} --case '{question.case}'"
    chosen = ",".join(one.route for one in missing)
    whole = question.runtime.count(".") >= 2  # else it names several: ort-1.10
    runtime = f" --runtime '{question.runtime}{'' if whole else '*'}'" if question.runtime else ""
    return f"nox -s matrix -- {place} --route {chosen}{runtime}"


def _where(results: Results, best: Standing | None) -> str:
    if best is None or best.record is None:
        return ""
    source = best.run or best.record
    machine = results.machines.get(source["machine"], source["machine"])
    origin = results.origin.get(best.cell, "")
    return f"{source['measured_at'][:10]}, {machine}" + (f" ({origin} run)" if origin else "")
