"""What users reported, on real releases: numbers are those of the table of public reports."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.real.conftest import RELEASES, Rows

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

SAMPLE, VOLUME, GRID = "grid_sample-bilinear-zeros-4d", "grid_sample-bilinear-zeros-5d", "affine_grid-2d"
MODES = [
    "grid_sample-bilinear-zeros-4d",
    "grid_sample-bilinear-border-4d",
    "grid_sample-nearest-zeros-4d",
    "grid_sample-bicubic-zeros-4d",
    "grid_sample-bicubic-border-4d",
]


@pytest.mark.parametrize("torch", RELEASES)
def test_1_grid_sample_at_opset_11_has_no_native_export_but_shim_and_contrib_pass(measured: Rows, torch: str) -> None:
    assert measured[torch, 11, "native", SAMPLE]["verdict"] == "unsupported-op"
    for case in MODES:
        assert measured[torch, 11, "shim", case]["verdict"] == "pass"
        assert measured[torch, 11, "contrib", case]["verdict"] == "pass"
        assert measured[torch, 11, "custom", case]["verdict"] == "pass"


def test_1_the_kinds_of_refusal_are_kept_apart(measured: Rows) -> None:
    newest = measured["2.15.0", 11, "native", SAMPLE]
    assert (newest["verdict"], newest["error"]["hint"]) == ("unsupported-op", "needs opset 16")
    assert measured["1.8.0", 16, "native", SAMPLE]["verdict"] == "unsupported-opset"
    assert measured["1.13.1", 20, "shim", SAMPLE]["verdict"] == "unsupported-opset"


def test_2_affine_grid_needs_opset_20_natively_and_nothing_with_the_shim(measured: Rows) -> None:
    assert measured["2.15.0", 20, "native", GRID]["verdict"] == "pass"
    assert measured["2.15.0", 20, "native", "spatial_transformer-2d"]["verdict"] == "pass"
    for torch, opset in (("1.8.0", 11), ("1.13.1", 11), ("1.13.1", 16), ("2.15.0", 11), ("2.15.0", 16)):
        assert measured[torch, opset, "native", GRID]["verdict"] == "unsupported-op"
        for case in (GRID, "affine_grid-3d", "spatial_transformer-2d"):
            assert measured[torch, opset, "shim", case]["verdict"] == "pass"


def test_3_a_volume_at_opset_16_is_off_spec_in_1_13_and_refused_later(measured: Rows) -> None:
    old = measured["1.13.1", 16, "native", VOLUME]
    assert old["verdict"] == "off-spec"
    assert old["off_spec"] == ["GridSample-16 takes rank 4, not 5"]
    assert measured["2.15.0", 16, "native", VOLUME]["verdict"] == "unsupported-op"


def test_5_a_volume_at_opset_20_passes_with_the_mode_spelled_linear(measured: Rows) -> None:
    record = measured["2.15.0", 20, "native", VOLUME]
    assert record["verdict"] == "pass"
    assert record["attributes"]["GridSample"]["mode"] == "linear"
    assert measured["2.15.0", 16, "native", SAMPLE]["attributes"]["GridSample"]["mode"] == "bilinear"


FUNCTION = """
import io, json, inspect, sys, os
import torch
class Log1(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.exp().log()
class Model(torch.nn.Module):
    def forward(self, x):
        return Log1.apply(x)
choice = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
answer = os.dup(1)
null = os.open(os.devnull, os.O_WRONLY)
os.dup2(null, 1); os.dup2(null, 2)
try:
    torch.onnx.export(Model(), (torch.ones(3),), io.BytesIO(), opset_version=11, **choice)
    outcome = "exported"
except Exception as error:
    outcome = type(error).__name__
os.write(answer, json.dumps(outcome).encode())
"""


@pytest.mark.parametrize(
    ("torch", "outcome"), [("1.8.0", "RuntimeError"), ("1.13.1", "exported"), ("2.15.0", "exported")]
)
def test_19_a_function_without_symbolic_is_inlined_from_1_13_on(
    in_environment: Callable[..., subprocess.CompletedProcess[str]], torch: str, outcome: str
) -> None:
    assert json.loads(in_environment(torch, FUNCTION).stdout) == outcome


@pytest.mark.parametrize(("torch", "dynamo"), [("1.8.0", None), ("1.13.1", None), ("2.15.0", False)])
def test_28_the_exporter_is_always_chosen_explicitly(
    in_environment: Callable[..., subprocess.CompletedProcess[str]], torch: str, dynamo: bool | None
) -> None:
    from matrix.catalog import ROOT

    script = """
import json, torch
from matrix.probe import export
from matrix.probe.cases import CASES
from matrix.probe.routes import ROUTES
seen = {}
def record(model, args, f=None, **options):
    seen.update(options)
torch.onnx.export = record
export.export(CASES["rotate-90"], ROUTES["native"], 14, None, ())
print(json.dumps(seen.get("dynamo")))
"""
    done = in_environment(torch, script, ROOT)
    assert json.loads(done.stdout) is dynamo, done.stderr
