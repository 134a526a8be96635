"""What exporters say, and what it means. The messages are those of the releases named."""

import pytest

from matrix.probe.failures import NotApplicableError, UnavailableError, describe, export_verdict


class ExporterError(Exception):
    pass


MESSAGES = {
    "Unsupported ONNX opset version: 21": ("unsupported-opset", None),  # 1.8 - 2.14
    "Unsupported onnx_opset_version: 24": ("unsupported-opset", None),  # 2.15
    # 1.8 - 1.11
    """Exporting the operator grid_sampler to ONNX opset version 11 is not supported. Please feel free to request
    support or submit a pull request on PyTorch GitHub.""": ("unsupported-op", None),
    # 1.12
    """Exporting the operator ::grid_sampler to ONNX opset version 15 is not supported. Support for this operator
    was added in version 16, try exporting with this version.""": ("unsupported-op", "needs opset 16"),
    # 1.13 and later
    """Exporting the operator 'aten::affine_grid_generator' to ONNX opset version 11 is not supported. Support for
    this operator was added in version 20, try exporting with this version.""": ("unsupported-op", "needs opset 20"),
    # 2.0 and later
    "Unsupported: ONNX export of operator GridSample with 5D volumetric input. Please feel free to request support": (
        "unsupported-op",
        "5-D sampling needs opset 20",
    ),
    "ONNX export failed on arange, which is not implemented for opset 7. Try exporting": ("unsupported-op", None),
    "Unrecognized attribute: axes for operator ReduceMean": ("error", None),
    "": ("error", None),
}


@pytest.mark.parametrize("message", MESSAGES)
def test_known_phrases_are_classified(message: str) -> None:
    error = ExporterError(message)
    assert (export_verdict(error), describe(error).get("hint")) == MESSAGES[message]


def test_the_cause_counts_too() -> None:
    outer = ExporterError("Failed to convert the exported program to an ONNX model.")
    outer.__cause__ = ExporterError(
        "No ONNX function found for <OpOverload(op='aten.grid_sampler_3d', overload='default')>"
    )
    assert export_verdict(outer) == "unsupported-op"


def test_only_the_first_line_is_kept_and_cut() -> None:
    record = describe(ExporterError("\n  first line\n" + "graph(%x)\n" * 5000))
    assert record["message"] == "first line"
    assert len(describe(ExporterError("x" * 10_000))["message"]) == 400


def test_an_exception_that_cannot_be_printed_is_still_described() -> None:
    class UnprintableError(Exception):
        def __str__(self) -> str:
            raise ValueError("no")

    record = describe(UnprintableError())
    assert record["type"].endswith("UnprintableError")
    assert "str() raised ValueError" in record["message"]


def test_a_chain_that_bites_its_tail_ends() -> None:
    first, second = ExporterError("a"), ExporterError("b")
    first.__cause__, second.__cause__ = second, first
    assert export_verdict(first) == "error"


def test_dynamo_s_colours_are_left_out_and_the_innermost_cause_is_told() -> None:
    outer = ExporterError("Failed to export. \x1b[96mThis is step 1/3\x1b[0m of exporting the model.\n\nmore")
    outer.__cause__ = ExporterError("Could not guard on data-dependent expression u0\nmore")
    record = describe(outer)
    assert record["message"] == "Failed to export. This is step 1/3 of exporting the model."
    assert record["cause"] == "ExporterError: Could not guard on data-dependent expression u0"
    assert "cause" not in describe(ExporterError("alone"))


def test_what_is_not_there_is_no_failure_of_pytorch() -> None:
    assert export_verdict(UnavailableError("mmcv is not installed")) == "unavailable"
    assert export_verdict(NotApplicableError("no operator_export_type")) == "not-applicable"
