"""Command line; see ``main``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .cache import Cache
from .core import build_ort_library
from .errors import BuildError
from .process import Spent


def main() -> int:
    """Build the ONNX Runtime library (``--ort``) and print its path."""
    parser = argparse.ArgumentParser(prog="python -m onnxgrid_build", description=__doc__)
    parser.add_argument("--ort", action="store_true", help="build the ONNX Runtime library and print its path")
    parser.add_argument("--cache", type=Path, help="where builds are kept")
    options = parser.parse_args()
    try:
        print(build_ort_library(Cache(options.cache), Spent()))
    except BuildError as error:
        print(f"{error}\n{error.hint}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
