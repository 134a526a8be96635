"""What runs inside an environment: Python 3.8 or later, torch, numpy, onnx and onnxruntime; nothing else of matrix."""
