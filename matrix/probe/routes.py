"""The routes out of PyTorch, as data: which exporter, which cases they can serve, what the file must then hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, FrozenSet, List, Mapping, Optional, Tuple

from matrix.probe.cases import AFFINE_GRID, GRID_SAMPLE, ROT90, Case

TORCHSCRIPT, DYNAMO = "torchscript", "dynamo"

_NUMBER = re.compile(r"_\d+$")

#: Operators of the standard domain that are the spatial operators themselves.
STANDARD_SPATIAL = frozenset({"GridSample", "AffineGrid"})
CUSTOM_DOMAIN = "custom.ops"


@dataclass(frozen=True)
class Route:
    """One way out.

    ``helper`` is the argument of ``onnxgrid.exporting`` (None: the plain exporter). ``promises`` gives, per operator
    of a case, the node that the file must hold; ``default`` tells whether the route is measured when none is named.
    ``export_type`` is the TorchScript exporter's ``operator_export_type``, by name: such a file promises that
    something fell through, and which operators did is in the record.
    """

    name: str
    exporter: str
    helper: Optional[str]
    promises: Dict[str, str]
    summary: str
    default: bool = True
    export_type: Optional[str] = None

    def serves(self, case: Case) -> bool:
        """Whether the route has anything to offer for the case."""
        if self.name == "contrib":
            return GRID_SAMPLE in case.operators and case.rank == 4  # com.microsoft::GridSample takes no other
        if self.name == "fused":
            return case.operators == (AFFINE_GRID, GRID_SAMPLE)
        if self.name == "mmcv":  # what mmcv's function is for; it has no other mode, padding or rank
            asked = (case.arguments.get("mode"), case.arguments.get("padding_mode"))
            return case.module == "GridSample" and case.rank == 4 and asked == ("bilinear", "zeros")
        return True

    def broken_promise(self, case: Case, operators: Mapping[str, int]) -> Optional[str]:
        """What the file holds against the route's promise, or None.

        ``operators`` counts nodes of the main graph by name, other domains as ``domain::Name``. A file that uses one
        custom operator with several sets of attributes numbers it, ``custom.ops::Rotate_2``, since a function body
        belongs to one set.
        """
        foreign = {_NUMBER.sub("", name) for name in operators if "::" in name}
        if self.export_type is not None:
            fell = foreign or {name for name in operators if not name[:1].isupper()}  # aten's are in lower case
            return None if fell else "no operator fell through: this opset has them all"
        promised = {self.promises[op] for op in case.operators if op in self.promises}
        missing = promised - foreign
        if missing:
            return "no {} in the file".format(", ".join(sorted(missing)))
        unexpected = foreign - promised
        if unexpected:
            return "unexpected {}".format(", ".join(sorted(unexpected)))
        if self.helper is not None or self.name == "mmcv":
            spatial = STANDARD_SPATIAL & set(operators)
            if spatial:
                return "the standard {} is in the file".format(", ".join(sorted(spatial)))
        return None


_CUSTOM = {
    GRID_SAMPLE: CUSTOM_DOMAIN + "::GridSample",
    AFFINE_GRID: CUSTOM_DOMAIN + "::AffineGrid",
    ROT90: CUSTOM_DOMAIN + "::Rotate",
}
_FUSED = {
    GRID_SAMPLE: CUSTOM_DOMAIN + "::AffineGridSample",
    AFFINE_GRID: CUSTOM_DOMAIN + "::AffineGridSample",
}

_ALL: Tuple[Route, ...] = (
    Route("native", TORCHSCRIPT, None, {}, "the TorchScript exporter, as it is"),
    Route("dynamo", DYNAMO, None, {}, "the dynamo exporter, as it is"),
    Route("shim", TORCHSCRIPT, "shim", {}, "plain PyTorch arithmetic instead of the operator"),
    Route(
        "contrib",
        TORCHSCRIPT,
        "contrib",
        {GRID_SAMPLE: "com.microsoft::GridSample"},
        "ONNX Runtime's own operator, com.microsoft::GridSample",
    ),
    Route("custom", TORCHSCRIPT, "custom", _CUSTOM, "operators of custom.ops, with a function body in the file"),
    Route("fused", TORCHSCRIPT, "fused", _FUSED, "affine_grid and grid_sample as one operator of custom.ops", False),
    Route("mmcv", TORCHSCRIPT, None, {}, "mmcv's bilinear_grid_sample, where mmcv is installed", False),
    Route(
        "fallthrough",
        TORCHSCRIPT,
        None,
        {},
        "operators without a translation left as they are",
        False,
        export_type="ONNX_FALLTHROUGH",
    ),
    Route(
        "aten-fallback",
        TORCHSCRIPT,
        None,
        {},
        "operators without a translation left to aten",
        False,
        export_type="ONNX_ATEN_FALLBACK",
    ),
    Route("shim@dynamo", DYNAMO, "shim", {}, "the shim, through the dynamo exporter", False),
    Route("custom@dynamo", DYNAMO, "custom", _CUSTOM, "the custom operators, through the dynamo exporter", False),
)

ROUTES: Dict[str, Route] = {route.name: route for route in _ALL}


def default_routes() -> List[str]:
    return [route.name for route in _ALL if route.default]


def routes_of(exporters: FrozenSet[str]) -> List[str]:
    """Names of the routes that a release with these exporters has."""
    return [route.name for route in _ALL if route.exporter in exporters]
