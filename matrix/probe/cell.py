"""One cell, through its stages: export, check, load, run, compare."""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, List

import onnxruntime

from matrix.probe import data as case_data
from matrix.probe.cases import CASES, Case
from matrix.probe.comparison import compare, worse_of
from matrix.probe.export import export
from matrix.probe.failures import describe, export_verdict
from matrix.probe.inputs import inputs_of
from matrix.probe.inspection import check, inspect, normalise
from matrix.probe.modules import eager, module_of
from matrix.probe.routes import ROUTES, Route

RUNTIME = "ort-" + onnxruntime.__version__

#: Asked for twice: a graph with dead nodes is right in the first run and reads out of range in the second on
#: ONNX Runtime 1.14 - 1.18.
RUNS = 2


class Prepared:
    """A case with everything that its cells share: the module, and inputs with eager outputs at both sizes."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.module = module_of(case)
        self.inputs = [inputs_of(case, size) for size in (0, 1)]
        self.expected = [eager(self.module, arguments) for arguments in self.inputs]
        self.feeds = [
            {name: tensor.numpy() for name, tensor in zip(case.input_names, arguments)} for arguments in self.inputs
        ]
        self.data = case_data.name_of(self.feeds, self.expected)


class Stopwatch:
    """Seconds by stage, rounded for the record."""

    def __init__(self) -> None:
        self.seconds: Dict[str, float] = {}

    def time(self, stage: str, call: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        try:
            return call()
        finally:
            spent = self.seconds.get(stage, 0.0) + time.perf_counter() - start
            self.seconds[stage] = round(spent, 5)


_PREPARED: Dict[str, Prepared] = {}


def prepare(case: Case) -> Prepared:
    if case.id not in _PREPARED:
        _PREPARED[case.id] = Prepared(case)
    return _PREPARED[case.id]


class Observer:
    """Told about a cell on its way: ``enter`` at each stage, ``keep`` when a file was exported."""

    def enter(self, stage: str) -> None:
        """A stage begins."""

    def keep(self, digest: str, model: bytes, prepared: "Prepared") -> None:
        """A file was exported; ``prepared`` has the arrays by which it is judged."""


def measure(route_name: str, case_id: str, opset: int, observer: Observer) -> Dict[str, Any]:
    """All fields of a cell's record that are known inside the environment.

    Never raises for what the exporter or the runtime do.
    """
    watch = Stopwatch()
    record: Dict[str, Any] = {"verdict": "error", "stage": "export", "seconds": watch.seconds}

    def enter(stage: str) -> None:
        record["stage"] = stage
        observer.enter(stage)

    try:
        _stages(record, watch, CASES[case_id], ROUTES[route_name], opset, enter, observer.keep)
    except Exception as error:  # noqa: BLE001 - whatever a stage raises is the cell's outcome
        record["error"] = describe(error)
        stage = record["stage"]
        if stage == "export":
            record["verdict"] = export_verdict(error)
        elif stage == "load":
            record["verdict"] = "unloadable"
    return record


def _stages(
    record: Dict[str, Any],
    watch: Stopwatch,
    case: Case,
    route: Route,
    opset: int,
    enter: Callable[[str], None],
    keep: Callable[[str, bytes, Prepared], None],
) -> None:
    enter("export")
    prepared = watch.time("eager", lambda: prepare(case))
    data = watch.time("export", lambda: export(case, route, opset, prepared.module, prepared.inputs[0]))

    enter("check")
    model, facts = watch.time("check", lambda: inspect(data))
    record.update(facts)
    complaint = watch.time("check", lambda: check(model))
    if complaint:
        record["checker"] = complaint
    digest, normal = watch.time("check", lambda: normalise(model))
    record["digest"] = digest
    record["data"] = prepared.data
    keep(digest, normal, prepared)
    broken = route.broken_promise(case, facts["operators"])
    if broken:
        record["verdict"] = "route-not-taken"
        record["error"] = {"type": "RouteNotTaken", "message": broken}
        return

    enter("load")
    record["runtime"] = RUNTIME
    session = watch.time("load", lambda: open_session(data))

    enter("run")
    feeds = prepared.feeds
    outputs = watch.time("run", lambda: [_run(session, feeds[0]) for _ in range(RUNS)])
    enter("compare")
    record["tolerance"] = {"atol": case.atol, "rtol": case.rtol}
    right, errors = watch.time("compare", lambda: compare(outputs, prepared.expected[0], case.atol, case.rtol))
    record.update(errors)
    if not right:
        record["verdict"] = "mismatch"
        return
    record["verdict"] = _verdict_at_second_size(record, watch, session, prepared)
    if record["verdict"] == "pass":
        if facts.get("off_spec"):
            record["verdict"] = "off-spec"
        elif facts["emitted_opset"] != opset:
            record["verdict"] = "drift"


def _verdict_at_second_size(record: Dict[str, Any], watch: Stopwatch, session: Any, prepared: Prepared) -> str:
    try:
        outputs = watch.time("run", lambda: [_run(session, prepared.feeds[1]) for _ in range(RUNS)])
    except Exception as error:  # noqa: BLE001 - the runtime's refusal is the outcome
        record["error"] = describe(error)
        return "dynamic-lost"
    case = prepared.case
    right, errors = watch.time("compare", lambda: compare(outputs, prepared.expected[1], case.atol, case.rtol))
    if not right:
        record["second_size"] = errors
        return "dynamic-lost"
    record.update(worse_of(record, errors))
    return "pass"


def open_session(data: bytes) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def _run(session: Any, feeds: Dict[str, Any]) -> List[Any]:
    names = {item.name for item in session.get_inputs()}
    outputs: List[Any] = session.run(None, {name: value for name, value in feeds.items() if name in names})
    return outputs
