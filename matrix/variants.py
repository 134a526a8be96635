"""Which questions a runtime is asked: the files as they are, then with the changes that may mend what was refused.

A change is asked about only where it can matter, which is known from the answers so far. The plain name of a runtime is
always the unchanged file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from matrix.questions import Question

#: By label ('' for the unchanged file), then by question.
Answers = dict[str, dict[str, dict[str, Any]]]

_LARGEST_IR = re.compile(r"max supported IR version: (\d+)")


@dataclass(frozen=True, slots=True)
class Step:
    """Questions asked together: ``label`` follows the runtime's name, ``change`` is made to the file, and ``library``
    tells whether the native library is registered."""

    label: str
    change: str
    library: bool
    questions: tuple[Question, ...]


def steps(asked: Iterable[Question], answers: Answers, *, library: bool) -> Iterator[Step]:
    """The steps in order. Each looks at ``answers`` when it is its turn, so let them be filled in between."""
    asked = tuple(asked)
    functions = tuple(question for question in asked if question.functions)
    custom = tuple(question for question in asked if question.custom)
    yield Step("", "", False, asked)
    yield Step("inlined", "inlined", False, functions)
    plain = tuple(question for question in asked if not question.functions)
    for largest, refused in _by_largest_ir(plain, "", asked, answers):
        yield Step(f"ir-{largest}", f"ir-{largest}", False, refused)
    for largest, refused in _by_largest_ir(functions, "inlined", asked, answers):
        yield Step(f"inlined+ir-{largest}", f"inlined+ir-{largest}", False, refused)
    if library:
        yield Step("onnxgrid", "", True, custom)
        for largest, refused in _by_largest_ir(custom, "onnxgrid", asked, answers):
            yield Step(f"ir-{largest}+onnxgrid", f"ir-{largest}", True, refused)


def unanswered(step: Step, answers: Answers) -> list[Question]:
    known = answers.get(step.label, {})
    return [question for question in step.questions if question.digest not in known]


def _by_largest_ir(
    candidates: Iterable[Question], label: str, asked: Iterable[Question], answers: Answers
) -> list[tuple[int, tuple[Question, ...]]]:
    """Candidates refused for their IR version alone, by the largest that the runtime reads: the one that it names,
    else that of the unchanged files that it did not refuse for it."""
    unchanged = answers.get("", {})
    read = [q.ir for q in asked if q.digest in unchanged and unchanged[q.digest].get("refusal") != "ir"]
    found: dict[int, list[Question]] = {}
    for question in candidates:
        record = answers.get(label, {}).get(question.digest, {})
        if record.get("refusal") == "ir":
            largest = _named(record) or max(read, default=0)
            if largest:
                found.setdefault(largest, []).append(question)
    return [(largest, tuple(found[largest])) for largest in sorted(found)]


def _named(record: Mapping[str, Any]) -> int:
    match = _LARGEST_IR.search(record.get("error", {}).get("message", ""))
    return int(match[1]) if match else 0
