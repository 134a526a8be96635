"""grid_sample, affine_grid and rot90 that export to ONNX from every PyTorch since 1.8."""

from . import ops
from ._api import affine_grid, grid_sample, rot90, rotate
from ._exporting import exporting
from ._inline import inline
from ._mmcv import bilinear_grid_sample
from ._verify import Verification, verify
from ._version import __version__

__all__ = [
    "Verification",
    "__version__",
    "affine_grid",
    "bilinear_grid_sample",
    "exporting",
    "grid_sample",
    "inline",
    "ops",
    "rot90",
    "rotate",
    "verify",
]
