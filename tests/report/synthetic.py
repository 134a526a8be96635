"""Results that nobody measured, for tests of the reports alone: plausible, large on demand, always the same.

The verdicts follow the shape of the real ones (a native operator from 1.12 at opset 16 on, a shim nearly everywhere,
a dynamo exporter that drifts), but no number in here is a measurement.
"""

from __future__ import annotations

import hashlib
from typing import Any

from matrix.probe.cases import CASES
from matrix.records import SCHEMA, Machine
from matrix.report.known import Known
from matrix.results import Results

RELEASES = (
    "1.8.0", "1.9.1", "1.10.2", "1.11.0", "1.12.1", "1.13.1", "2.0.1", "2.1.2", "2.2.2", "2.3.1", "2.4.1",
    "2.5.1", "2.6.0", "2.7.1", "2.8.0", "2.9.1", "2.10.0", "2.11.0", "2.12.0", "2.13.0", "2.14.1", "2.15.0",
)  # fmt: skip
ROUTES = ("native", "dynamo", "contrib", "shim", "custom", "fused")
OPSETS = tuple(range(7, 26))
LABELS = {"3f2a9c01d4e5": "ci-linux-2-cores", "77b0aa12cc90": "laptop <of> someone & co"}
REFERENCE, LOCAL = LABELS
CORE = tuple(name for name, case in CASES.items() if case.core)


def machine(key: str = REFERENCE, label: str = "") -> Machine:
    """A machine as an environment's line describes it."""
    return {"id": key, "label": label or LABELS[key], "system": "Linux 6.1 x86_64", "cpu": "some CPU", "cores": 2}


def known(releases: tuple[str, ...] = RELEASES, cases: tuple[str, ...] = CORE) -> Known:
    """The lists that the catalog would give."""
    return Known(
        releases=releases,
        opsets=OPSETS,
        routes=ROUTES,
        cases={name: CASES[name].group if name in CASES else "yours" for name in cases},
        routes_of_release={
            release: tuple(route for route in ROUTES if route != "dynamo" or _key(release) >= (2, 5))
            for release in releases
        },
        routes_of_case={name: _routes_of(name) for name in cases},
    )


def results(
    releases: tuple[str, ...] = RELEASES, cases: tuple[str, ...] = CORE, *, runs: bool = True, local: bool = True
) -> Results:
    """Every cell of the releases and cases in a reference run; 2.0.1 at opsets up to 12 again in a local one."""
    out = Results()
    for release in releases:
        _environment(out, release)
        if local and release == "2.0.1":
            _environment(out, release, LOCAL, "local")
        for case in cases:
            for route in _routes_of(case):
                if route == "dynamo" and _key(release) < (2, 5):
                    continue
                for opset in OPSETS:
                    out.add(cell(release, opset, route, case), "reference")
                    if local and release == "2.0.1" and opset <= 12:
                        again = cell(release, opset, route, case, machine=LOCAL, day=20)
                        out.add(again, "local")
    if runs:
        _runs(out)
    return out


def _key(release: str) -> tuple[int, int]:
    major, minor, *_ = release.split(".")
    return int(major), int(minor)


def _routes_of(case: str) -> tuple[str, ...]:
    return tuple(route for route in ROUTES if route != "fused" or case.startswith(("spatial", "stn")))


def _limit(release: str) -> int:
    """The largest opset that the TorchScript exporter of the release takes."""
    limits = {(1, 8): 13, (1, 9): 14, (1, 10): 14, (1, 11): 15, (1, 12): 16, (1, 13): 17}
    return limits.get(_key(release), 18 if _key(release) < (2, 4) else 20)


def _outcome(release: str, opset: int, route: str, case: str) -> tuple[str, str, int | None]:
    """Verdict, stage and emitted opset."""
    volume, affine = "5d" in case, case.startswith(("affine", "spatial", "stn"))
    if route == "dynamo":
        floor = 18 if _key(release) < (2, 9) else 16
        if _key(release) == (2, 5) and volume:
            return "unsupported-op", "export", None
        if _key(release) == (2, 8) and opset == 16:
            return "error", "export", None
        emitted = max(opset, floor) if _key(release) > (2, 5) else 18
        if volume and emitted < 20:
            return "off-spec", "compare", emitted
        if emitted != opset:
            return "drift", "compare", emitted
        return "pass", "compare", emitted
    if opset > _limit(release):
        return "unsupported-opset", "export", None
    if route == "native":
        needed = 20 if affine or (volume and _key(release) >= (2, 0)) else 16
        if opset < needed and not case.startswith("rotate"):
            return "unsupported-op", "export", None
        if volume and opset < 20:
            return "off-spec", "compare", opset
        return "pass", "compare", opset
    if route == "contrib" and (volume or affine):
        return "unsupported-op", "export", None
    if route == "contrib" and opset >= 16 and _key(release) >= (1, 13):
        return "route-not-taken", "check", opset
    if route == "shim" and opset < 9:
        return "dynamic-lost", "compare", opset
    if route == "shim" and "bicubic" in case and opset < 11:
        return ("mismatch", "compare", opset) if release == "1.10.2" else ("unsupported-op", "export", None)
    if route == "custom" and opset < 8:
        return "unloadable", "load", opset
    if route == "fused" and release == "1.9.1" and opset == 9:
        return "crash", "run", opset
    return "pass", "compare", opset


def _environment(out: Results, release: str, where: str = REFERENCE, origin: str = "reference") -> None:
    dynamo = _key(release) >= (2, 5)
    record: dict[str, Any] = {
        "kind": "environment",
        "schema": SCHEMA,
        "environment": f"torch-{release}",
        "torch": release,
        "verdict": "pass",
        "measured_at": "2026-11-12T08:00:00Z",
        "machine": machine(where),
        "python": "3.9.18" if _key(release) < (2, 1) else "3.11.7",
        "cuda": "10.2" if _key(release) < (1, 13) else "12.1",
        "packages": {"numpy": "1.26.4", "onnx": "1.16.0", "onnxruntime": "1.19.2", "torch": release},
        "exporters": ["torchscript", "dynamo"] if dynamo else ["torchscript"],
        "seconds": {"create": 21.4, "import": 1.13, "warm": 0.7, "cells": 18.25, "own": 0.6},
        "peak_rss_mb": 812,
    }
    out.add(record, origin)
    for half in ("cpp", "cuda"):
        failed = half == "cuda"
        build: dict[str, Any] = {
            "kind": "build", "torch": release, "half": half, "verdict": "unavailable" if failed else "pass",
            "strategy": "extension", "reached": "" if failed else "ran", "measured_at": "2026-11-12T08:10:00Z",
            "machine": REFERENCE, "fingerprint": _digest(release, half), "compiler": "gcc",
            "compiler_version": "12.2.0", "flags": ["-O3", "-std=c++17"], "seconds": 31.5,
        }  # fmt: skip
        if failed:
            build["error"] = {"type": "ToolchainMissing", "message": "no nvcc found", "hint": "Install a CUDA toolkit."}
        out.add(build, origin)


_MESSAGES = {
    "unsupported-op": ("UnsupportedOperatorError", "'aten::grid_sampler' to opset {opset} is not supported."),
    "unsupported-opset": ("ValueError", "Unsupported ONNX opset version: {opset}"),
    "unloadable": ("Fail", "[ONNXRuntimeError] : 1 : FAIL : Fatal error: GridSample(-1) is not a registered function"),
    "error": ("ConversionError", "Failed to convert the model to the target opset {opset}"),
    "crash": ("SIGSEGV", "the process died of signal 11"),
    "mismatch": ("Mismatch", "largest difference 0.072 at [0, 1, 2, 3]"),
}  # fmt: skip


def cell(release: str, opset: int, route: str, case: str, machine: str = REFERENCE, day: int = 12) -> dict[str, Any]:
    """One record."""
    verdict, stage, emitted = _outcome(release, opset, route, case)
    number = int(_digest(release, opset, route, case)[:6], 16) / 0xFFFFFF
    record: dict[str, Any] = {
        "kind": "cell",
        "cell": f"torch-{release}/opset-{opset}/{route}/{case}",
        "torch": release,
        "opset": opset,
        "route": route,
        "case": case,
        "verdict": verdict,
        "stage": stage,
        "seconds": {"export": round(0.02 + 0.05 * number, 4)},
        "fingerprint": _digest("fp", release, opset, route, case),
        "measured_at": f"2026-11-{day}T08:{int(number * 59):02d}:11Z",
        "machine": machine,
    }
    if emitted is not None:
        operator = {"contrib": "com.microsoft::GridSample", "custom": "onnxgrid::GridSample"}.get(route, "GridSample")
        operators = {"GatherElements": 4, "Floor": 2, "Mul": 21} if route == "shim" else {operator: 1}
        record |= {
            "emitted_opset": emitted, "ir_version": 8, "domains": {"ai.onnx": emitted}, "operators": operators,
            "attributes": {operator: {"mode": "linear" if emitted >= 20 else "bilinear", "align_corners": 0}},
            "nodes": sum(operators.values()), "bytes": 400 + int(9000 * number),
            "digest": _digest(route, emitted, case, int(release[0])), "runtime": "ort-1.19.2",
        }  # fmt: skip
    if stage == "compare":
        record |= {
            "max_abs_error": 0.072 if verdict == "mismatch" else round(number * 1e-6, 10),
            "max_rel_error": round(number * 1e-5, 10),
            "tolerance": {"atol": 1e-5, "rtol": 1e-5},
        }
        record["seconds"] |= {"check": 0.003, "load": 0.011, "run": 0.002, "compare": 0.001}
    if verdict == "off-spec":
        record["off_spec"] = [f"GridSample-{emitted} takes 4-D input; this file gives it 5-D"]
    if verdict in _MESSAGES:
        type_, message = _MESSAGES[verdict]
        record["error"] = {"type": type_, "message": message.format(opset=opset)}
        record["output"] = f"/site-packages/torch/onnx/utils.py:823: UserWarning: opset {opset}\n  warnings.warn("
    return record


def _runs(out: Results) -> None:
    """Two further runtimes judge some of the files."""
    by_digest: dict[str, list[str]] = {}
    for record in out.cells.values():
        if "digest" in record and record["stage"] == "compare":
            by_digest.setdefault(record["digest"], []).append(record["cell"])
    for runtime, refused in (("ort-1.10.0", 16), ("ort-1.17.3", 21)):
        for digest, cells in sorted(by_digest.items()):
            too_new = any(out.cells[name]["emitted_opset"] >= refused for name in cells)
            run: dict[str, Any] = {
                "kind": "run", "runtime": runtime, "digest": digest, "cells": cells, "stage": "load",
                "verdict": "unloadable" if too_new else "pass", "fingerprint": _digest(runtime, digest),
                "measured_at": "2026-11-13T09:00:00Z", "machine": REFERENCE, "seconds": {"run": 0.004},
            }  # fmt: skip
            if too_new:
                run["error"] = {"type": "Fail", "message": f"opset {refused} is under development"}
            out.add(run, "reference")


def _digest(*parts: object) -> str:
    return hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()[:16]
