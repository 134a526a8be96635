"""A file must hold what its route promises."""

import pytest

from matrix.probe.cases import CASES
from matrix.probe.routes import ROUTES, default_routes

SAMPLE = CASES["grid_sample-bilinear-zeros-4d"]
TRANSFORMER = CASES["spatial_transformer-2d"]
TURNS = CASES["rotate-90"]


@pytest.mark.parametrize(
    ("route", "case", "operators"),
    [
        ("native", SAMPLE, {"GridSample": 1}),
        ("dynamo", SAMPLE, {"GridSample": 1}),
        ("shim", SAMPLE, {"Gather": 4, "Mul": 8}),
        ("contrib", SAMPLE, {"com.microsoft::GridSample": 1}),
        ("contrib", TRANSFORMER, {"com.microsoft::GridSample": 1, "MatMul": 1}),
        ("custom", TRANSFORMER, {"custom.ops::GridSample": 1, "custom.ops::AffineGrid": 1}),
        ("custom", TURNS, {"custom.ops::Rotate": 3}),
        ("custom", TURNS, {"custom.ops::Rotate": 1, "custom.ops::Rotate_2": 1, "custom.ops::Rotate_3": 1}),
        ("fused", TRANSFORMER, {"custom.ops::AffineGridSample": 1}),
        ("mmcv", SAMPLE, {"GatherElements": 4, "Mul": 8}),
        ("fallthrough", SAMPLE, {"grid_sampler": 1, "Constant": 3}),
        ("fallthrough", SAMPLE, {"aten::grid_sampler": 1}),
        ("aten-fallback", SAMPLE, {"org.pytorch.aten::ATen": 1}),
    ],
)
def test_a_kept_promise(route: str, case: object, operators: dict[str, int]) -> None:
    assert ROUTES[route].broken_promise(case, operators) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("route", "case", "operators", "complaint"),
    [
        ("native", SAMPLE, {"custom.ops::GridSample": 1}, "unexpected custom.ops::GridSample"),
        ("native", SAMPLE, {"org.pytorch.aten::ATen": 1}, "unexpected org.pytorch.aten::ATen"),
        ("shim", SAMPLE, {"GridSample": 1}, "the standard GridSample is in the file"),
        ("contrib", SAMPLE, {"GridSample": 1}, "no com.microsoft::GridSample"),
        ("contrib", SAMPLE, {"com.microsoft::GridSample": 1, "GridSample": 1}, "the standard GridSample"),
        ("custom", TRANSFORMER, {"custom.ops::GridSample": 1, "AffineGrid": 1}, "no custom.ops::AffineGrid"),
        ("custom", SAMPLE, {"Gather": 4}, "no custom.ops::GridSample"),
        ("mmcv", SAMPLE, {"GridSample": 1}, "the standard GridSample is in the file"),
        ("fallthrough", SAMPLE, {"GridSample": 1}, "no operator fell through"),
        ("aten-fallback", SAMPLE, {"GridSample": 1, "Constant": 1}, "no operator fell through"),
    ],
)
def test_a_broken_promise_says_what_is_in_the_file(
    route: str, case: object, operators: dict[str, int], complaint: str
) -> None:
    assert complaint in (ROUTES[route].broken_promise(case, operators) or "")  # type: ignore[arg-type]


def test_the_routes_measured_by_default() -> None:
    assert default_routes() == ["native", "dynamo", "shim", "contrib", "custom"]


def test_mmcv_serves_what_its_function_is_for() -> None:
    served = [case.id for case in CASES.values() if ROUTES["mmcv"].serves(case)]
    assert served == ["grid_sample-bilinear-zeros-4d", "grid_sample-bilinear-zeros-4d-aligned"]
