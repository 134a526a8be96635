"""The cases, as data: which module, which inputs, which dynamic axes, which tolerance.

Read on the host (to plan) and inside every environment (to measure), so nothing heavy is imported here: the modules
live in ``modules.py``, the inputs in ``inputs.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Tuple

Axes = Dict[str, Dict[int, str]]

#: The operators that the routes replace.
GRID_SAMPLE, AFFINE_GRID, ROT90 = "grid_sample", "affine_grid", "rot90"

_N = {0: "n"}
_IMAGE = {4: {0: "n", 2: "h", 3: "w"}, 5: {0: "n", 2: "d", 3: "h", 4: "w"}}
_POINTS = {4: {0: "n", 1: "ho", 2: "wo"}, 5: {0: "n", 1: "do", 2: "ho", 3: "wo"}}
_SAMPLED = {4: {0: "n", 2: "ho", 3: "wo"}, 5: {0: "n", 2: "do", 3: "ho", 4: "wo"}}
_GRID = {4: {0: "n", 1: "h", 2: "w"}, 5: {0: "n", 1: "d", 2: "h", 3: "w"}}
_TURNED = {0: "n", 2: "w", 3: "h"}


@dataclass(frozen=True)
class Case:
    """One module to export.

    ``operators`` must leave PyTorch by the route under test; ``rank`` is the rank of the sampled input.
    ``dynamic_axes`` names the axes of every input and output that must stay dynamic: the file is traced at one size
    and must be right at another.
    """

    id: str
    group: str
    operators: Tuple[str, ...]
    rank: int
    module: str
    arguments: Dict[str, Any]
    inputs: str
    dynamic_axes: Axes
    outputs: Tuple[str, ...] = ("output",)
    core: bool = False
    atol: float = 1e-5
    rtol: float = 1e-5
    aligned: bool = field(default=False)

    @property
    def input_names(self) -> Tuple[str, ...]:
        return tuple(name for name in self.dynamic_axes if name not in self.outputs)


def _grid_sample(mode: str, padding: str, rank: int, aligned: bool) -> Case:
    id_ = "grid_sample-{}-{}-{}d{}".format(mode, padding, rank, "-aligned" if aligned else "")
    return Case(
        id=id_,
        group="grid_sample {}-D".format(rank),
        operators=(GRID_SAMPLE,),
        rank=rank,
        module="GridSample",
        arguments={"mode": mode, "padding_mode": padding, "align_corners": aligned},
        inputs="image_and_grid",
        dynamic_axes={"input": _IMAGE[rank], "grid": _POINTS[rank], "output": _SAMPLED[rank]},
        core=id_ in _CORE,
        aligned=aligned,
    )


def _affine_grid(rank: int, aligned: bool) -> Case:
    id_ = "affine_grid-{}d{}".format(rank - 2, "-aligned" if aligned else "")
    return Case(
        id=id_,
        group="affine_grid",
        operators=(AFFINE_GRID,),
        rank=rank,
        module="AffineGrid",
        arguments={"align_corners": aligned},
        inputs="theta_and_image",
        dynamic_axes={"theta": _N, "image": _IMAGE[rank], "output": _GRID[rank]},
        core=id_ in _CORE,
        aligned=aligned,
    )


def _spatial_transformer(rank: int) -> Case:
    id_ = "spatial_transformer-{}d".format(rank - 2)
    return Case(
        id=id_,
        group="affine_grid + grid_sample",
        operators=(AFFINE_GRID, GRID_SAMPLE),
        rank=rank,
        module="SpatialTransformer",
        arguments={},
        inputs="theta_and_image",
        dynamic_axes={"theta": _N, "image": _IMAGE[rank], "output": _IMAGE[rank]},
        core=id_ in _CORE,
    )


#: Measured when nothing else is asked for: one case for each way in which exporters and runtimes are known to differ.
_CORE = frozenset(
    {
        "grid_sample-bilinear-zeros-4d",
        "grid_sample-bilinear-border-4d",
        "grid_sample-bilinear-reflection-4d-aligned",
        "grid_sample-nearest-zeros-4d",
        "grid_sample-bicubic-zeros-4d",
        "grid_sample-bicubic-border-4d",
        "grid_sample-bilinear-zeros-5d",
        "affine_grid-2d",
        "affine_grid-3d",
        "spatial_transformer-2d",
    }
)

_PADDINGS = ("zeros", "border", "reflection")


def _cases() -> List[Case]:
    cases = [
        _grid_sample(mode, padding, rank, aligned)
        for rank, modes in ((4, ("bilinear", "nearest", "bicubic")), (5, ("bilinear", "nearest")))
        for mode in modes
        for padding in _PADDINGS
        for aligned in (False, True)
    ]
    cases += [_affine_grid(rank, aligned) for rank in (4, 5) for aligned in (False, True)]
    cases += [_spatial_transformer(rank) for rank in (4, 5)]
    cases += [
        Case(
            id="rotate-90",
            group="rotate",
            operators=(ROT90,),
            rank=4,
            module="QuarterTurns",
            arguments={},
            inputs="image",
            dynamic_axes={"image": _IMAGE[4], "turn1": _TURNED, "turn2": _IMAGE[4], "turn3": _TURNED},
            outputs=("turn1", "turn2", "turn3"),
            core=True,
        ),
        Case(
            id="rotate-free",
            group="rotate",
            operators=(AFFINE_GRID, GRID_SAMPLE),
            rank=4,
            module="Rotation",
            arguments={},
            inputs="angle_and_image",
            dynamic_axes={"angle": _N, "image": _IMAGE[4], "output": _IMAGE[4]},
        ),
        Case(
            id="stn_classifier",
            group="models",
            operators=(AFFINE_GRID, GRID_SAMPLE),
            rank=4,
            module="SpatialTransformerClassifier",
            arguments={},
            inputs="image",
            dynamic_axes={"image": _IMAGE[4], "logits": _N},
            outputs=("logits",),
            core=True,
        ),
        Case(
            id="flow_warp",
            group="models",
            operators=(GRID_SAMPLE,),
            rank=4,
            module="FlowWarp",
            arguments={},
            inputs="image_and_flow",
            dynamic_axes={"image": _IMAGE[4], "flow": _IMAGE[4], "output": _IMAGE[4]},
            core=True,
        ),
        Case(
            id="deformable_attention",
            group="models",
            operators=(GRID_SAMPLE,),
            rank=4,
            module="DeformableAttention",
            arguments={"shapes": ((4, 8), (2, 4))},
            inputs="attention",
            dynamic_axes={
                "value": _N,
                "locations": {0: "n", 1: "queries"},
                "weights": {0: "n", 1: "queries"},
                "output": {0: "n", 1: "queries"},
            },
            core=True,
        ),
    ]
    return cases


CASES: Dict[str, Case] = {case.id: case for case in _cases()}
