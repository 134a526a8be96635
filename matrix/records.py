"""The lines of a results file: what each kind holds.  docs/results.md says the same in words."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

#: Raised whenever a reader of an older version would misunderstand a line; see docs/results.md.
SCHEMA = 1


class Error(TypedDict):
    """What failed: exception type, first line of its message, innermost cause, and what to do about it if we know."""

    type: str
    message: str
    cause: NotRequired[str]
    hint: NotRequired[str]


class Machine(TypedDict):
    """Where it was measured. ``id`` is a short digest of the other fields and of the host's name."""

    id: str
    label: str
    system: str
    cpu: str
    cores: int
    gpu: NotRequired[str]


class EnvironmentRecord(TypedDict):
    """First line of every file, and again for every later run that appended to it."""

    kind: Literal["environment"]
    schema: int
    environment: str
    torch: str
    verdict: str
    measured_at: str
    machine: Machine
    python: NotRequired[str]
    cuda: NotRequired[str]
    packages: NotRequired[dict[str, str]]
    exporters: NotRequired[list[str]]
    seconds: NotRequired[dict[str, float]]
    peak_rss_mb: NotRequired[int]
    container: NotRequired[dict[str, str]]
    error: NotRequired[Error]


class BuildRecord(TypedDict):
    """One half of the compiled extension in one environment."""

    kind: Literal["build"]
    torch: str
    half: Literal["cpp", "cuda"]
    verdict: str
    strategy: str
    reached: str
    measured_at: str
    machine: str
    fingerprint: str
    compiler: NotRequired[str]
    compiler_version: NotRequired[str]
    cuda_version: NotRequired[str]
    flags: NotRequired[list[str]]
    architectures: NotRequired[list[str]]
    seconds: NotRequired[float]
    error: NotRequired[Error]


class CellRecord(TypedDict):
    """One measured cell. What could not be known at the stage reached is absent (null in ``results --json``)."""

    kind: Literal["cell"]
    cell: str
    torch: str
    opset: int
    route: str
    case: str
    verdict: str
    stage: str
    fingerprint: str
    measured_at: str
    machine: str
    runtime: NotRequired[str]
    emitted_opset: NotRequired[int]
    ir_version: NotRequired[int]
    domains: NotRequired[dict[str, int]]
    operators: NotRequired[dict[str, int]]
    attributes: NotRequired[dict[str, Any]]
    nodes: NotRequired[int]
    functions: NotRequired[list[str]]
    bytes: NotRequired[int]
    digest: NotRequired[str]
    data: NotRequired[str]
    max_abs_error: NotRequired[float]
    max_rel_error: NotRequired[float]
    tolerance: NotRequired[dict[str, float]]
    second_size: NotRequired[dict[str, float]]
    off_spec: NotRequired[list[str]]
    checker: NotRequired[str]
    seconds: NotRequired[dict[str, float]]
    error: NotRequired[Error]
    output: NotRequired[str]


class RuntimeRecord(TypedDict):
    """First line of a runtime's file, and again for every later run that appended to it."""

    kind: Literal["runtime"]
    schema: int
    runtime: str
    verdict: str
    measured_at: str
    machine: Machine
    version: NotRequired[str]
    python: NotRequired[str]
    packages: NotRequired[dict[str, str]]
    seconds: NotRequired[dict[str, float]]
    peak_rss_mb: NotRequired[int]
    error: NotRequired[Error]


class FileRecord(TypedDict):
    """Exported files that are one model: they differ in names only, and are judged with the same inputs."""

    kind: Literal["file"]
    digest: str
    files: list[str]


class RunRecord(TypedDict):
    """The verdict of one further runtime on one distinct file.

    ``digest`` is that of a ``file`` line; a compact file has ``digests`` instead, all with this outcome. ``runtime``
    ends in ``+inlined``, ``+ir-8`` or ``+onnxgrid`` where the file, or the session, was changed first.
    """

    kind: Literal["run"]
    runtime: str
    digest: NotRequired[str]
    digests: NotRequired[list[str]]
    verdict: str
    stage: str
    fingerprint: str
    measured_at: str
    machine: str
    max_abs_error: NotRequired[float]
    max_rel_error: NotRequired[float]
    seconds: NotRequired[dict[str, float]]
    placement: NotRequired[str]
    refusal: NotRequired[str]
    error: NotRequired[Error]
    output: NotRequired[str]


#: Every field of a cell in the order in which ``results --json`` prints them; absent ones are printed as null.
CELL_FIELDS = tuple(CellRecord.__annotations__)
