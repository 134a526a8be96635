"""Builds the native parts of onnxgrid: needs the standard library, and PyTorch for the PyTorch extension.

Runs inside the environment it builds for (Python 3.8 or later): ``python -m onnxgrid_build --json``.
"""
