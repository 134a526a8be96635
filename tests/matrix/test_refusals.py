"""What runtimes say when they refuse a file, as they said it."""

import pytest

from matrix.probe.refusals import kind_of, point_of

ORT_IR = (
    "[ONNXRuntimeError] : 2 : INVALID_ARGUMENT : Failed to load model with error: /onnxruntime_src/onnxruntime/core/"
    "graph/model.cc:149 onnxruntime::Model::Model(onnx::ModelProto&&, const IOnnxRuntimeOpSchemaRegistryList*) "
    "Unsupported model IR version: 10, max supported IR version: 9\n"
)
ORT_OPSET = (
    "[ONNXRuntimeError] : 1 : FAIL : /onnxruntime_src/onnxruntime/core/graph/model_load_utils.h:46 void onnxruntime::"
    "model_load_utils::ValidateOpsetForDomain(const std::unordered_map<std::basic_string<char>, int>&, int) "
    "ONNX Runtime only *guarantees* support for models stamped with official released onnx opset versions. "
    "Opset 20 is under development and support for this is limited."
)
OPENVINO_2026 = """Exception from src/inference/src/cpp/core.cpp:84:
Check 'false' failed at src/frontends/common_translators/src/unconverted_ops_report.cpp:151:
FrontEnd API failed with OpConversionFailure:
Model wasn't fully converted. Failed operations detailed log:
-- GridSample-20 with a message:
Check '(data_rank.is_dynamic() || data_rank.get_length() == 4)' failed at src/frontends/onnx/grid_sample.cpp:23:
While validating ONNX node '<Node(GridSample): output>':
GridSample is only supported for 4D input tensors. Got rank: 5

Summary:
-- Conversion is failed for: GridSample-20
"""
OPENVINO_2023 = """Exception from src/inference/src/core.cpp:85:
Check 'error_message.empty()' failed at src/frontends/onnx/frontend/src/frontend.cpp:124:
Errors during ONNX translation:
While validating ONNX node '<Node(GridSample): /GridSample>':
Check 'false' failed at src/core/include/openvino/core/enum_names.hpp:33:
"linear" is not a member of enum op::v9::GridSample::InterpolationMode
"""
TRACT = """Building node GridSample_0 (GridSample)

Caused by:
    Unsupported operator set for GridSample operator (11)

Stack backtrace:
   0: <anyhow::Error>::msg::<alloc::string::String>
"""
OPENCV = """OpenCV(5.0.0) /io/opencv/modules/dnn/src/layers/nary_eltwise.cpp:433: error: (-2) in function 'getTypes'
> All inputs should have equal types (expected: 'inputs[0] == input'), where
>     'inputs[0]' is 11 (CV_64SC1)
"""


@pytest.mark.parametrize(
    ("text", "kind", "point"),
    [
        (ORT_IR, "ir", "Unsupported model IR version: 10, max supported IR version: 9"),
        (ORT_OPSET, "opset", "ONNX Runtime only *guarantees* support"),
        ("[ONNXRuntimeError] : 1 : FAIL : Fatal error: GridSample is not a registered function/op", "operator", "FAIL"),
        ("[ONNXRuntimeError] : 1 : FAIL : Fatal error: custom.ops:GridSample(-1) is not a registered function/op",
         "function", "custom.ops:GridSample(-1)"),
        ("[ONNXRuntimeError] : 9 : NOT_IMPLEMENTED : Could not find an implementation for GridSample(16) node", "type",
         "GridSample(16)"),
        ("Node () Op (GridSample) [ShapeInferenceError] Input 0 expected to have rank 4 but has rank 5",
         "shape-inference", "rank 5"),
        (OPENVINO_2026, "operator", "GridSample is only supported for 4D input tensors. Got rank: 5"),
        (OPENVINO_2023, "operator", '"linear" is not a member of enum op::v9::GridSample::InterpolationMode'),
        ("Node type 'GridSample' from domain 'com.microsoft' is unknown, known functions: [].", "operator", "Node"),
        (TRACT, "opset", "Unsupported operator set for GridSample operator (11)"),
        (OPENCV, "type", "All inputs should have equal types"),
        ("something else", None, "something else"),
        ("", None, ""),
    ],
)  # fmt: skip
def test_the_kind_and_the_point_of_a_refusal(text: str, kind: str | None, point: str) -> None:
    assert kind_of(text) == kind
    assert point in point_of(text)
    assert "/onnxruntime_src" not in point_of(text)


def test_a_text_of_introductions_alone_keeps_its_first_line() -> None:
    assert point_of("Exception from src/core.cpp:84:\nSummary:\n") == "Exception from src/core.cpp:84:"
