"""Builds the halves of the PyTorch extension, or the ONNX Runtime library; see docs/kernels.md."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import List, Optional

from . import binding, check, cuda, release, textbook
from .cache import Cache
from .core import build_ort_library
from .errors import BuildError
from .process import Spent
from .verdict import Verdict

STRATEGIES = ("auto", *cuda.LADDER, "textbook")


def cpp_half(found: release.Release, cache: Cache, strategy: str) -> Verdict:
    verdict = Verdict(found.name, "cpp", "textbook" if strategy == "textbook" else "shared-core")
    try:
        if strategy == "textbook":
            textbook.build_cpp(found, cache, verdict)
        else:
            library = binding.build(found, cache, verdict)
            check.load(verdict, str(library))
    except BuildError as error:
        verdict.fail(error)
    return verdict


def cuda_half(found: release.Release, cache: Cache, strategy: str, cpp: Optional[Verdict]) -> Verdict:
    """The CUDA half by one strategy, or by the first of the ladder that this environment allows."""
    verdict = Verdict(found.name, "cuda", strategy)
    refused: List[str] = []
    for step in cuda.LADDER if strategy == "auto" else (strategy,):
        verdict = Verdict(found.name, "cuda", step)
        try:
            if step == "textbook":
                textbook.build_cuda(found, cache, verdict)
                break
            library = cuda.build(found, cache, step, verdict)
            # Linked is as far as this half gets without the C++ half that calls it.
            verdict.verdict = "pass"
            if cpp is not None and cpp.library and cpp.verdict == "pass":
                check.load(verdict, cpp.library, str(library))
            break
        except BuildError as error:
            verdict.fail(error)
            refused.append(f"{step}: {error}")
            if found.cuda is None or not error.unavailable:
                break
    if verdict.error is not None and len(refused) > 1:
        verdict.error["message"] = "; ".join(refused)
    return verdict


def main() -> int:
    """Print one JSON line per half; exit status 0 unless a half has the verdict ``error``."""
    parser = argparse.ArgumentParser(prog="python -m onnxgrid_build", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one line of JSON per half (the default output)")
    parser.add_argument("--half", choices=("cpp", "cuda", "both"), default="both")
    parser.add_argument("--strategy", choices=STRATEGIES, default="auto", help="for the CUDA half; textbook: for both")
    parser.add_argument("--cache", type=Path, help="where builds are kept (ONNXGRID_BUILD_CACHE)")
    parser.add_argument("--ort", action="store_true", help="build the ONNX Runtime library instead and print its path")
    options = parser.parse_args()
    cache = Cache(options.cache)
    if options.ort:
        try:
            print(build_ort_library(cache, Spent()))
        except BuildError as error:
            print(f"{error}\n{error.hint}", file=sys.stderr)
            return 1
        return 0
    found = release.installed()
    failed = False
    # The CUDA half is loaded by the C++ half, so that one is built first even when nobody asked for its verdict.
    cpp = (
        None if options.strategy == "textbook" and options.half == "cuda" else cpp_half(found, cache, options.strategy)
    )
    if cpp is not None and options.half != "cuda":
        print(cpp.line(), flush=True)
        failed = cpp.verdict == "error"
    if options.half != "cpp":
        second = cuda_half(found, cache, options.strategy, cpp)
        print(second.line(), flush=True)
        failed = failed or second.verdict == "error"
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
