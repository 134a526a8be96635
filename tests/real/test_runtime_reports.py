"""What users reported about runtimes, on real ones: files of a single operator, numbers of eager PyTorch.

The files are made by hand and the expected values written down, so neither PyTorch nor an export is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy
import pytest
from onnx import TensorProto, helper

from matrix import environment, machine, probe_process, runtimes
from matrix.probe import data

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ELEMENT = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE}
IR = {16: 8, 18: 8, 20: 9, 22: 10}


def sampler(opset: int, rank: int = 4, dtype: str = "float32", domain: str = "", **attributes: Any) -> bytes:
    """A file that holds one GridSample of that opset, or of another domain."""
    node = helper.make_node("GridSample", ["x", "grid"], ["y"], name="sample", domain=domain, **attributes)
    values = [helper.make_tensor_value_info(name, ELEMENT[dtype], [None] * rank) for name in ("x", "grid", "y")]
    graph = helper.make_graph([node], "g", values[:2], values[2:])
    opsets = [helper.make_opsetid("", opset)] + ([helper.make_opsetid(domain, 1)] if domain else [])
    return helper.make_model(graph, opset_imports=opsets, ir_version=IR[opset]).SerializeToString()


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """The record of one runtime about a file with these inputs and expected outputs, the same at both sizes."""

    def judge(runtime: str, model: bytes, x: Any, grid: Any, y: Any, **options: Any) -> dict[str, Any]:
        path = tmp_path / "model.onnx"
        path.write_bytes(model)
        feeds, outputs = [{"x": x, "grid": grid}] * 2, [(y,)] * 2
        name = data.name_of(feeds, outputs)
        data.store(str(tmp_path), name, feeds, outputs)
        catalog = runtimes.load()
        chosen = catalog.runtime(runtime)
        made = environment.ensure(catalog, chosen, environment.Source())
        question = {
            "model": str(path), "data": [str(tmp_path / f"{name}.npz")], "atol": 1e-5, "rtol": 1e-5, "change": "",
            "options": options, "group": "",
        }  # fmt: skip
        config = {
            "engine": chosen.module, "cells": [question], "timeout": 60, "memory_mb": 0, "workers": 1, "group": 1,
            "isolate": False, "models": "",
        }  # fmt: skip
        messages = probe_process.messages(made.python, config, module="matrix.probe.runtime")
        (record,) = (message["record"] for message in messages if message["event"] == "cell")
        return dict(record)

    return judge


def identity(shape: tuple[int, ...], dtype: str = "float32") -> Any:
    """The grid that samples every pixel of the shape (spatial axes) where it is, with align_corners."""
    axes = numpy.meshgrid(*(numpy.linspace(-1, 1, extent) for extent in shape), indexing="ij")
    return numpy.stack(axes[::-1], axis=-1)[None].astype(dtype)


RAMP = numpy.arange(16, dtype="float32").reshape(1, 1, 4, 4)
VOLUME = numpy.arange(2 * 3 * 4 * 5, dtype="float32").reshape(1, 2, 3, 4, 5)


def points(*pairs: tuple[float, float]) -> Any:
    return numpy.array(pairs, dtype="float32").reshape(1, 1, -1, 2)


def row(*numbers: float) -> Any:
    return numpy.array(numbers, dtype="float32").reshape(1, 1, 1, -1)


@pytest.mark.parametrize(("runtime", "verdict"), [("ort-1.15.1", "unloadable"), ("ort-1.17.3", "pass")])
def test_4_a_volume_at_opset_16_is_refused_up_to_1_16_and_runs_from_1_17(ask: Any, runtime: str, verdict: str) -> None:
    model = sampler(16, rank=5, mode="bilinear", padding_mode="zeros", align_corners=1)
    record = ask(runtime, model, VOLUME, identity((3, 4, 5)), VOLUME)
    assert record["verdict"] == verdict
    assert record.get("refusal") == ("shape-inference" if verdict == "unloadable" else None)


def test_6_a_node_that_ran_elsewhere_than_asked_is_a_pass_by_fallback(ask: Any) -> None:
    """onnxruntime without CUDA, asked for CUDA, takes the CPU; so does CUDA for what it has no kernel for."""
    model = sampler(20, rank=5, mode="linear", padding_mode="zeros", align_corners=1)
    record = ask("ort-1.32.0", model, VOLUME, identity((3, 4, 5)), VOLUME, device="cuda")
    assert (record["verdict"], record["placement"]) == ("pass-fallback", "GridSample on CPUExecutionProvider")


@pytest.mark.parametrize(
    ("runtime", "at_18", "at_20"),
    [
        ("ort-1.17.3", "pass", "pass"),
        ("openvino-2025.4.1", "pass", "unloadable"),
        ("openvino-2026.4.1", "pass", "pass"),
    ],
)
def test_7_old_consumers_know_only_the_spelling_before_opset_20(ask: Any, runtime: str, at_18: str, at_20: str) -> None:
    for opset, mode, verdict in ((18, "bilinear", at_18), (20, "linear", at_20)):
        model = sampler(opset, mode=mode, padding_mode="zeros", align_corners=1)
        record = ask(runtime, model, RAMP, identity((4, 4)), RAMP)
        assert record["verdict"] == verdict
        if verdict == "unloadable":
            assert record["refusal"] == "operator"
            assert "linear" in record["error"]["message"]


@pytest.mark.parametrize(("runtime", "verdict"), [("ort-1.16.3", "mismatch"), ("ort-1.17.3", "pass")])
def test_8_bicubic_with_border_is_wrong_up_to_1_16(ask: Any, runtime: str, verdict: str) -> None:
    model = sampler(16, mode="bicubic", padding_mode="border", align_corners=0)
    grid = points((-1.2, -1.2), (1.2, -1.2), (-1.2, 1.2), (1.05, 0.3))
    record = ask(runtime, model, RAMP, grid, row(-0.0337505, 2.9797499, 12.0202522, 11.6429949))
    assert record["verdict"] == verdict
    if verdict == "mismatch":
        assert record["max_abs_error"] == pytest.approx(0.072, abs=0.001)


def test_9_values_out_of_range_are_right_where_pytorch_gives_them_too(ask: Any) -> None:
    model = sampler(16, mode="bicubic", padding_mode="border", align_corners=0)
    grid = points((-0.95, -0.95), (0.95, -0.95), (-0.95, 0.95), (0.95, 0.95))
    record = ask("ort-1.17.3", model, RAMP, grid, row(-0.54, 2.6759984, 12.3239946, 15.5399933))
    assert record["verdict"] == "pass"


@pytest.mark.parametrize("runtime", ["ort-1.16.3", "ort-1.17.3"])
def test_12_the_operator_of_either_domain_gives_the_same_numbers(ask: Any, runtime: str) -> None:
    for domain in ("", "com.microsoft"):
        model = sampler(16, domain=domain, mode="bilinear", padding_mode="zeros", align_corners=1)
        assert ask(runtime, model, RAMP, identity((4, 4)), RAMP)["verdict"] == "pass"


@pytest.mark.parametrize(
    ("runtime", "opset", "verdict"),
    [
        ("ort-1.14.1", 16, "unloadable"),
        ("ort-1.32.0", 16, "unloadable"),
        ("ort-1.17.3", 20, "pass"),
        ("ort-1.32.0", 20, "pass"),
    ],
)
def test_13_double_precision_has_no_kernel_at_opset_16(ask: Any, runtime: str, opset: int, verdict: str) -> None:
    mode = "linear" if opset >= 20 else "bilinear"
    model = sampler(opset, dtype="float64", mode=mode, padding_mode="zeros", align_corners=1)
    record = ask(runtime, model, RAMP.astype("float64"), identity((4, 4), "float64"), RAMP.astype("float64"))
    assert record["verdict"] == verdict
    if verdict == "unloadable":
        assert record["refusal"] == "type"
        assert "GridSample(16)" in record["error"]["message"]


@pytest.mark.gpu
@pytest.mark.parametrize("domain", ["", "com.microsoft"])
def test_12_cuda_takes_one_domain_and_leaves_the_other(ask: Any, domain: str) -> None:
    if not machine.has_device("cuda"):
        pytest.skip("this machine has no cuda device")
    model = sampler(16, domain=domain, mode="bilinear", padding_mode="zeros", align_corners=1)
    record = ask("ort-gpu-1.20.2", model, RAMP, identity((4, 4)), RAMP, device="cuda")
    assert record["verdict"] == ("pass" if domain else "pass-fallback")
