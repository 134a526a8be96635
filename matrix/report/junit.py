"""JUnit XML, which CI systems show as tests: one suite per environment, one test per cell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from matrix.report.export import in_order
from matrix.report.naming import command
from matrix.verdicts import USABLE, VERDICTS

if TYPE_CHECKING:
    from collections.abc import Collection

    from matrix.records import CellRecord
    from matrix.results import Results

#: What XML 1.0 cannot hold, not even escaped.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(results: Results, *, expected: Collection[str] = ()) -> str:
    """One suite per environment.

    A cell that is not usable is a failure, or is skipped when its id is among the ``expected`` ones; crashes and
    timeouts are errors; what says nothing about PyTorch (unavailable, not run) is skipped.
    """
    expected = frozenset(expected)
    suites: dict[str, list[CellRecord]] = {}
    for record in in_order(results):
        suites.setdefault(f"torch-{record['torch']}", []).append(record)
    root = ET.Element("testsuites", name="torch-onnx-matrix")
    totals = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for name, records in suites.items():
        suite = ET.SubElement(root, "testsuite", name=name, timestamp=min(one["measured_at"] for one in records))
        counts = dict.fromkeys(totals, 0)
        for record in records:
            counts["tests"] += 1
            outcome = _test(suite, record, expected)
            if outcome:
                counts[outcome] += 1
        _set(suite, counts)
        totals = {key: totals[key] + counts[key] for key in totals}
    _set(root, totals)
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _test(suite: ET.Element, record: CellRecord, expected: frozenset[str]) -> str:
    """Add one test; which of the counts it belongs to, if any."""
    seconds = sum(record.get("seconds", {}).values())
    name = f"opset-{record['opset']}/{record['route']}/{record['case']}"
    test = ET.SubElement(
        suite, "testcase", classname=f"torch-{record['torch']}", name=_text(name), time=f"{seconds:.4f}"
    )
    verdict = VERDICTS[record["verdict"]]
    if verdict.name in USABLE:
        return ""
    error = record.get("error")
    message = _text(
        f"{verdict.name}: {error['type']}: {error['message']}" if error else f"{verdict.name}: {verdict.meaning}"
    )
    if verdict.tone == "blank" or record["cell"] in expected:
        ET.SubElement(test, "skipped", message=message)
        return "skipped"
    kind, count = ("error", "errors") if verdict.tone == "broken" else ("failure", "failures")
    node = ET.SubElement(test, kind, type=verdict.name, message=message)
    node.text = _text(
        "\n".join(filter(None, [record.get("output", ""), f"stage: {record['stage']}", command(record["cell"])]))
    )
    return count


def _set(element: ET.Element, counts: dict[str, int]) -> None:
    for key, count in counts.items():
        element.set(key, str(count))


def _text(value: Any) -> str:
    return _FORBIDDEN.sub("\ufffd", str(value))
