"""The smallest remedy for a red cell that was measured to work, as one sentence.

Small means: what the user changes. From the file alone (its IR version, its functions), over the library that is
registered and the route, to the opset, the runtime and at last PyTorch itself. Nothing is inferred: every remedy names
the cell, and the runtime where one is meant, that shows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from packaging.version import Version

from matrix.cells import Cell
from matrix.probe.routes import ROUTES
from matrix.results import verdict_in
from matrix.verdicts import USABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matrix.records import CellRecord
    from matrix.results import Results

_ENGINES = {
    "ort": "ONNX Runtime",
    "ort-gpu": "ONNX Runtime for CUDA",
    "openvino": "OpenVINO",
    "reference": "onnx",
    "tract": "tract",
    "opencv": "OpenCV",
}
#: Routes in the order in which they ask for little: any runtime, ONNX Runtime alone, another exporter.
ORDER = ("shim", "custom", "native", "contrib", "fused", "dynamo", "shim@dynamo", "custom@dynamo")


@dataclass(frozen=True, slots=True)
class Remedy:
    """``text`` is the sentence; ``cell`` and ``runtime`` (or '') show that it works; ``kind`` is what changes."""

    kind: str
    text: str
    cell: str
    runtime: str = ""


def sentence(results: Results, cell: CellRecord, runtime: str = "") -> str:
    """The smallest remedy's sentence; '' for what is usable already or has no remedy among the measured cells."""
    found = next(remedies(results, cell, runtime), None)
    return found.text if found else ""


def remedies(results: Results, cell: CellRecord, runtime: str = "") -> Iterator[Remedy]:
    """All measured remedies for the cell, smallest first; in ``runtime``, or in the environment's own without one."""
    verdict = _verdict(results, cell, runtime)
    if verdict in USABLE or verdict in ("not-run", "unavailable"):
        return
    if runtime:
        yield from _changed_files(results, cell, runtime)
    yield from _other_routes(results, cell, runtime)
    yield from _other_opsets(results, cell, runtime)
    if runtime:
        yield from _newer_runtimes(results, cell, runtime)
    yield from _newer_releases(results, cell, runtime)


def _verdict(results: Results, cell: CellRecord, runtime: str) -> str:
    if not runtime:
        return cell["verdict"]
    return results.runtimes_of(cell).get(runtime, "not-run" if "digest" in cell else cell["verdict"])


def _usable(results: Results, cell: CellRecord | None, runtime: str) -> bool:
    return cell is not None and _verdict(results, cell, runtime) in USABLE


def _changed_files(results: Results, cell: CellRecord, runtime: str) -> Iterator[Remedy]:
    for name, run in results.runs.get(cell.get("digest", ""), {}).items():
        base, _, change = name.partition("+")
        if base != runtime or not change or verdict_in(cell, run["verdict"]) not in USABLE:
            continue
        steps = [_step(step, cell) for step in change.split("+")]
        yield Remedy("library" if "onnxgrid" in change else "file", " and ".join(steps), cell["cell"], name)


def _step(step: str, cell: CellRecord) -> str:
    if step.startswith("ir-"):
        return f"IR {step[3:]} instead of {cell.get('ir_version', '?')}"
    return {"inlined": "inline the functions", "onnxgrid": "register onnxgrid's ONNX Runtime library"}.get(step, step)


def _other_routes(results: Results, cell: CellRecord, runtime: str) -> Iterator[Remedy]:
    for route in (name for name in ORDER if name in ROUTES and name != cell["route"]):
        other = _cell(results, cell, route=route)
        if other is not None and _usable(results, other, runtime):
            yield Remedy("route", f"use the {route} route", other["cell"], runtime)


def _other_opsets(results: Results, cell: CellRecord, runtime: str) -> Iterator[Remedy]:
    nearest = sorted(range(7, 41), key=lambda opset: (abs(opset - cell["opset"]), opset))
    for opset in nearest[1:]:
        other = _cell(results, cell, opset=opset)
        if other is not None and _usable(results, other, runtime):
            yield Remedy("opset", f"opset {opset} instead of {cell['opset']}", other["cell"], runtime)
            return


def _newer_runtimes(results: Results, cell: CellRecord, runtime: str) -> Iterator[Remedy]:
    engine, _, number = runtime.rpartition("-")
    verdicts = {
        name: verdict
        for name, verdict in results.runtimes_of(cell).items()
        if name.rpartition("-")[0] == engine and "+" not in name
    }
    newer = sorted((name for name in verdicts if _number(name) > Version(number)), key=_number)
    good = list(takewhile(lambda name: verdicts[name] in USABLE, reversed(newer)))
    first = good[-1] if good else next((name for name in newer if verdicts[name] in USABLE), None)
    if first is not None:
        text = f"{_ENGINES.get(engine, engine)} {_minor(first)}" + (" or later" if good and first != newer[-1] else "")
        yield Remedy("runtime", text, cell["cell"], first)


def _newer_releases(results: Results, cell: CellRecord, runtime: str) -> Iterator[Remedy]:
    versions = {name.removeprefix("torch-") for name in results.environments} - {cell["torch"]}
    for version in sorted(versions, key=Version):
        other = _cell(results, cell, torch=version) if Version(version) > Version(cell["torch"]) else None
        if other is not None and _usable(results, other, runtime):
            yield Remedy("release", f"PyTorch {version}", other["cell"], runtime)
            return


def _cell(results: Results, cell: CellRecord, *, torch: str = "", opset: int = 0, route: str = "") -> CellRecord | None:
    other = Cell(
        torch=torch or cell["torch"], opset=opset or cell["opset"], route=route or cell["route"], case=cell["case"]
    )
    return results.cells.get(other.id)


def _number(runtime: str) -> Version:
    return Version(runtime.rpartition("-")[2])


def _minor(runtime: str) -> str:
    return ".".join(runtime.rpartition("-")[2].split(".")[:2])
