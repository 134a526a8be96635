"""CUDA kernels against PyTorch's own: times by events, and the fraction of the memory bandwidth reached.

    python kernels/bench/bench_cuda.py [--json FILE] [--strategy auto]

Needs one GPU and about two minutes, the build of the two halves (cached) apart.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import Callable

import torch
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "build_tools"))

from onnxgrid_build import __main__ as front
from onnxgrid_build import release
from onnxgrid_build.cache import Cache

SHAPES = [(1, 64, 256, 256), (8, 3, 512, 512), (8, 3, 1080, 1920), (4, 32, 64, 64), (1, 256, 64, 64)]


def milliseconds(call: Callable[[], object], rounds: int = 30) -> float:
    """Median over ``rounds``, each timed by its own pair of events after a warm-up."""
    for _ in range(5):
        call()
    torch.cuda.synchronize()
    times = []
    for _ in range(rounds):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        stop.record()
        stop.synchronize()
        times.append(start.elapsed_time(stop))
    return statistics.median(times)


def bandwidth() -> float:
    """Bytes per second of a large copy on this device, read and write together."""
    source = torch.empty(1 << 28, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    return 2 * source.numel() / (milliseconds(lambda: target.copy_(source)) * 1e-3)


def load(strategy: str) -> dict[str, str]:
    found, cache = release.installed(), Cache()
    cpp = front.cpp_half(found, cache, "auto")
    cuda = front.cuda_half(found, cache, strategy, cpp)
    if cpp.verdict != "pass" or cuda.verdict != "pass":
        raise SystemExit(f"not built: {cpp.error or cuda.error}")
    torch.ops.load_library(cpp.library)
    torch.ops.onnxgrid.load_cuda(cuda.library)
    return {"strategy": cuda.strategy, "reached": str(cuda.reached)}


def rows(peak: float) -> list[dict[str, object]]:
    ops, out = torch.ops.onnxgrid, []
    for shape in SHAPES:
        for dtype in (torch.float32, torch.float16):
            for layout in (torch.contiguous_format, torch.channels_last):
                x = torch.randn(shape, device="cuda").to(dtype).to(memory_format=layout)
                theta = torch.tensor([[0.955, -0.296, 0.05], [0.296, 0.955, -0.05]], device="cuda")
                theta = theta[None].repeat(shape[0], 1, 1).to(dtype)
                size = list(shape)
                grid = F.affine_grid(theta, size, align_corners=False)
                y = torch.empty_like(x)
                pair = milliseconds(
                    lambda: F.grid_sample(x, F.affine_grid(theta, size, align_corners=False), align_corners=False)  # noqa: B023
                )
                alone = milliseconds(lambda: F.grid_sample(x, grid, align_corners=False))  # noqa: B023
                ours = milliseconds(lambda: ops.grid_sample_out(x, grid, 0, 0, False, y))  # noqa: B023
                fused = milliseconds(lambda: ops.affine_grid_sample_out(x, theta, size, 0, 0, False, False, y))  # noqa: B023
                moved = 2 * x.numel() * x.element_size()
                out.append(
                    {
                        "shape": shape,
                        "dtype": str(dtype)[6:],
                        "layout": str(layout)[6:],
                        "torch_pair_ms": pair,
                        "torch_ms": alone,
                        "ours_ms": ours,
                        "fused_ms": fused,
                        "fused_speedup": pair / fused,
                        "fraction_of_bandwidth": moved / (fused * 1e-3) / peak,
                    }
                )
                print(json.dumps(out[-1]), flush=True)
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--strategy", default="auto", choices=front.STRATEGIES[:-1])
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("no CUDA device: built, not run")
        return 0
    built = load(options.strategy)
    peak = bandwidth()
    head = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "bandwidth": peak, **built}
    print(json.dumps(head), flush=True)
    result = {**head, "rows": rows(peak)}
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
