"""Measures which PyTorch exports which operator to which ONNX opset, by which route, and whether it is right."""

__version__ = "0.1.0"
