"""The claims of docs/claims.md that need PyTorch but neither mmcv nor a quiet machine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from matrix.catalog import ROOT

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

SCRIPT = "import runpy, sys; sys.argv = {argv!r}; runpy.run_path({path!r}, run_name='__main__')"
NAMES = ["custom_operator", "fallthrough", "size_tensor", "suffix"]


@pytest.fixture(scope="module", params=["1.8.0", "2.15.0"])
def tried(request: pytest.FixtureRequest, in_environment: Callable[..., subprocess.CompletedProcess[str]]) -> Any:
    path = str(ROOT / "kernels" / "bench" / "claims.py")
    done = in_environment(request.param, SCRIPT.format(argv=[path, *NAMES], path=path), ROOT / "kernels")
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {line["claim"]: line["result"] for line in lines}


def test_9_a_custom_operator_runs_with_a_body_and_not_without(tried: Any) -> None:
    assert "not a registered function" in tried["custom_operator"]["without a body"]
    assert tried["custom_operator"]["with a body"].startswith("runs")


def test_10_fallthrough_writes_a_file_that_nobody_loads(tried: Any) -> None:
    assert tried["fallthrough"]["export"] == "ok"
    assert tried["fallthrough"]["operators"] == ["org.pytorch.aten::grid_sampler"]
    assert "not a registered function" in tried["fallthrough"]["load"]


def test_11_booleans_take_i_and_not_b(tried: Any) -> None:
    assert tried["suffix"]["_i"] == "ok"
    assert "Invalid attribute specifier 'flag_b'" in tried["suffix"]["_b"]


def test_14_a_size_as_a_tensor_is_refused_and_image_size_is_enough(tried: Any) -> None:
    assert "must be tuple of ints, not Tensor" in tried["size_tensor"]["a tensor"]
    assert tried["size_tensor"]["image.size()"] == "shape (1, 6, 3, 2)"
