"""Why a runtime refuses a file: its message -> one of a few kinds, and the one line of it that says something.

Kinds, with the remedy that each calls for: ``opset`` (a newer runtime, or an older opset), ``ir`` (a newer runtime, or
the same file with an older IR version), ``operator`` (another route), ``type`` (another dtype), ``shape-inference``
(another route), ``function`` (inline the functions). Every pattern names where its phrase was seen.
"""

from __future__ import annotations

import re
from typing import List, Optional, Tuple

_KINDS: List[Tuple[str, "re.Pattern[str]"]] = [
    (kind, re.compile(pattern))
    for kind, pattern in (
        # onnxruntime 1.7 - 1.32
        ("ir", r"[Uu]nsupported model IR version|Unknown model file format version"),
        ("opset", r"Opset \d+ is under development|ONNX Runtime only \*guarantees\* support"),
        # onnxruntime: a kernel is missing for the operator, mostly for its element type
        ("type", r"NOT_IMPLEMENTED|Could not find an implementation for"),
        ("type", r"Type Error: Type .* of input parameter|bound to different types|Invalid input type"),
        ("function", r"custom\.ops:.* is not a registered function/op"),
        (
            "operator",
            r"is not a registered function/op|No Op registered for|Unrecognized attribute",
        ),
        ("shape-inference", r"ShapeInferenceError|TypeInferenceError|Invalid rank for input"),
        # openvino 2023.3 - 2026.4
        ("operator", r"OpenVINO does not support the following ONNX operations|No conversion rule found"),
        ("operator", r"is not a member of enum|only supported for 4D|Conversion is failed for"),
        ("shape-inference", r"Shape inference input shapes|_shape_inference\.hpp"),
        # onnx reference evaluator 1.14 - 1.23
        (
            "operator",
            r"is unknown, known functions|No registered implementation|only supports nearest, linear, and cubic",
        ),
        # tract 0.23
        ("opset", r"Unsupported operator set for"),
        ("operator", r"Unimplemented\("),
        ("shape-inference", r"Failed analyse for node"),
        # opencv 4.14, 5.0
        ("operator", r"Can't create layer|parse error"),
        ("type", r"should have equal types"),
        ("shape-inference", r"getMemoryShapes|getLayerShapesRecursively"),
    )
]

#: Lines that introduce what is wrong without saying it: openvino, opencv, tract.
_INTRODUCTIONS = re.compile(
    r"Exception from |Check '|FrontEnd API failed|Model wasn't fully converted|Errors during ONNX translation|"
    r"While validating |Summary:|-- .* with a message:|OpenCV\(\d|Building node |Caused by:|Stack backtrace:|\d+: |at /"
)
#: Where onnxruntime's sources were when it was compiled, and the C++ function that complains.
_ORT_PLACE = re.compile(
    r"(Load model from \S+ failed:|Failed to load model with error: )?"
    r"/onnxruntime_src/\S+:\d+ [^(]*\([^)]*\)( const)? "
)


def kind_of(text: str) -> Optional[str]:
    """The first kind whose phrase is in the text; None when the runtime has said nothing that is known."""
    for kind, pattern in _KINDS:
        if pattern.search(text):
            return kind
    return None


def point_of(text: str) -> str:
    """The first line that says what is wrong, without where the runtime was compiled; '' for an empty text."""
    lines = [line.strip().lstrip("> ").strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    telling = [line for line in lines if not _INTRODUCTIONS.match(line)]
    return _ORT_PLACE.sub("", (telling or lines or [""])[0])
