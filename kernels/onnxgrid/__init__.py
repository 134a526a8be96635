"""grid_sample, affine_grid and rot90 that export to ONNX from every PyTorch since 1.8."""

from ._exporting import exporting

from ._version import __version__

__all__ = ["__version__", "exporting"]
