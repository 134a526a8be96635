"""grid_sample, affine_grid and rot90 that export to ONNX from every PyTorch since 1.8."""

import importlib

from ._version import __version__

# What is public, and the module it comes from.  Imported when first asked for: a machine that runs the exported
# file has ``onnxgrid.ort`` and no PyTorch.
_HOMES = {
    "Verification": "._verify",
    "affine_grid": "._api",
    "bilinear_grid_sample": "._mmcv",
    "exporting": "._exporting",
    "grid_sample": "._api",
    "inline": "._inline",
    "ops": ".ops",
    "rot90": "._api",
    "rotate": "._api",
    "verify": "._verify",
}

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


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(_HOMES[name], __name__)
    value = module if name == "ops" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_HOMES})
