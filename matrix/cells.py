"""A cell: environment × opset × route × case, with one canonical identifier."""

from __future__ import annotations

import re
from dataclasses import dataclass

from matrix.errors import UsageError

_ID = re.compile(
    r"torch-(?P<torch>[^/\s]+)/opset-(?P<opset>[0-9]+)/(?P<route>[a-z]+(?:-[a-z]+)*(?:@[a-z]+)?)/(?P<case>[a-z0-9_]+(?:-[a-z0-9_]+)*)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One square of the table; ``opset`` is the requested one."""

    torch: str
    opset: int
    route: str
    case: str

    @property
    def id(self) -> str:
        return f"torch-{self.torch}/opset-{self.opset}/{self.route}/{self.case}"

    @classmethod
    def parse(cls, text: str) -> Cell:
        """The inverse of ``id``; raises UsageError for anything else."""
        match = _ID.fullmatch(text)
        if match is None:
            raise UsageError(
                f"{text!r} is not a cell.", "A cell reads torch-1.8.0/opset-11/shim/grid_sample-bilinear-zeros-4d."
            )
        return cls(torch=match["torch"], opset=int(match["opset"]), route=match["route"], case=match["case"])
