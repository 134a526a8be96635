"""The plan in shards: the same for everyone who has the same checkout, so that each job finds its own part by itself.

A shard is some environments, or a stretch of one environment's cells. Cutting an environment costs setting it up once
more, so it is cut only where that makes the longest job shorter and each part measures at least half as long as it
sets up.
"""

from __future__ import annotations

import heapq
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matrix.errors import UsageError
from matrix.plan import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matrix.catalog import Release
    from matrix.cells import Cell

_SHARD = re.compile(r"(\d+)/(\d+)")

#: Cutting on is not worth it for less than this share of the longest job.
_WORTH = 0.01


@dataclass(frozen=True, slots=True, order=True)
class Shard:
    """``3/8``: the third of eight."""

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        match = _SHARD.fullmatch(text)
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            raise UsageError(f"{text!r} is no shard.", "Write --shard 3/8 for the third of eight.")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


@dataclass(frozen=True, slots=True)
class Job:
    """The tasks of one shard and what they take, in seconds on one core, setting up included."""

    tasks: tuple[Task, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class _Part:
    """Cells ``start`` to ``stop`` of one task."""

    task: int
    start: int
    stop: int
    setup: float
    cells: float

    @property
    def seconds(self) -> float:
        return self.setup + self.cells


def split(
    tasks: Sequence[Task], jobs: int, *, cell: Callable[[Cell], float], setup: Callable[[Release], float]
) -> list[Job]:
    """At most ``jobs`` jobs that hold every cell once, the longest first; fewer when more would gain nothing.

    ``cell`` and ``setup`` give seconds. The outcome depends on the arguments alone.
    """
    if jobs < 1:
        raise UsageError(f"{jobs} jobs cannot do anything.", "Write --jobs 8.")
    costs = [[cell(one) for one in task.cells] for task in tasks]
    setups = [setup(task.release) for task in tasks]
    parts = [_cut(index, seconds, setups[index], 1) for index, seconds in enumerate(costs)]
    best = _pack(tasks, parts, jobs)
    for _ in range(jobs):
        longest = max(parts, key=lambda own: max(part.seconds for part in own), default=[])
        if not longest or not _may_be_cut(longest):
            break
        index = longest[0].task
        parts[index] = _cut(index, costs[index], setups[index], len(longest) + 1)
        packed = _pack(tasks, parts, jobs)
        if packed[0].seconds < best[0].seconds * (1 - _WORTH):
            best = packed
    return best


def _may_be_cut(own: list[_Part]) -> bool:
    """Whether one part more leaves each at least half as long to measure as to set up."""
    measuring = sum(part.cells for part in own) / (len(own) + 1)
    return len(own) < own[-1].stop and measuring >= own[0].setup / 2


def _cut(task: int, seconds: list[float], setup: float, count: int) -> list[_Part]:
    """The task in so many stretches (at most), of equal seconds as nearly as cells allow."""
    total, done, start, taken = sum(seconds), 0.0, 0, 0.0
    parts: list[_Part] = []
    for position, one in enumerate(seconds, start=1):
        done += one
        taken += one
        full = len(parts) + 1 < count and done >= total * (len(parts) + 1) / count
        if full or position == len(seconds):
            parts.append(_Part(task, start, position, setup, taken))
            start, taken = position, 0.0
    return parts


def _pack(tasks: Sequence[Task], by_task: list[list[_Part]], jobs: int) -> list[Job]:
    """Longest part first into the emptiest job (Graham 1969: at most 4/3 of the shortest possible)."""
    parts = [part for own in by_task for part in own]
    heap: list[tuple[float, int]] = [(0.0, number) for number in range(min(jobs, len(parts)))]
    loads: list[list[_Part]] = [[] for _ in heap]
    for part in sorted(parts, key=lambda part: (-part.seconds, part.task, part.start)):
        load, number = heapq.heappop(heap)
        loads[number].append(part)
        heapq.heappush(heap, (load + part.seconds, number))
    made = [_job(tasks, load) for load in loads]
    return sorted(made, key=lambda job: (-job.seconds, job.tasks[0].release.name, job.tasks[0].cells[0].id))


def _job(tasks: Sequence[Task], parts: list[_Part]) -> Job:
    """Parts of one environment that came together are one task, set up once."""
    by_task: dict[int, list[_Part]] = {}
    for part in sorted(parts, key=lambda part: (part.task, part.start)):
        by_task.setdefault(part.task, []).append(part)
    seconds = sum(own[0].setup + sum(part.cells for part in own) for own in by_task.values())
    return Job(
        tuple(
            Task(
                tasks[index].release, tuple(cell for part in own for cell in tasks[index].cells[part.start : part.stop])
            )
            for index, own in by_task.items()
        ),
        seconds,
    )


def jobs_of(tasks: Sequence[Task], jobs: int) -> list[Job]:
    """``split`` by the seconds of the reference run."""
    from matrix import results as stored
    from matrix.cost import cell_seconds, setup_seconds
    from matrix.options import REFERENCE

    known = stored.load(REFERENCE)
    return split(tasks, jobs, cell=lambda cell: cell_seconds(cell, known), setup=setup_seconds)


def select(tasks: Sequence[Task], shard: Shard | None) -> tuple[Task, ...]:
    """The tasks of that shard; all without one; none for a number beyond the jobs that are worth having."""
    if shard is None:
        return tuple(tasks)
    jobs = jobs_of(tasks, shard.of)
    return jobs[shard.number - 1].tasks if shard.number <= len(jobs) else ()
