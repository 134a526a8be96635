"""CPU speed of the sampling kernels against PyTorch and ONNX Runtime: one process, alternating, one thread, medians.

    python kernels/bench/bench_kernels.py [--rounds 15] [--markdown FILE] [--json FILE] [--quick]

Needs torch, onnxruntime and the library (``ONNXGRID_ORT_LIBRARY`` or an installed onnxgrid); a torch extension that
is installed or named in ``ONNXGRID_TORCH_LIBRARY`` is measured beside it.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import statistics
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Callable

import numpy as np
import onnxruntime as ort
import torch
from torch.nn import functional as F

sys.path[:0] = [
    str(Path(__file__).resolve().parents[1]),
    str(Path(__file__).resolve().parents[2] / "tests" / "kernels"),
]

import onnx_file  # noqa: E402
from onnxgrid import _extension  # noqa: E402
from onnxgrid import ort as onnxgrid_ort  # noqa: E402

SHAPES = [(1, 64, 256, 256), (8, 3, 512, 512), (4, 32, 64, 64), (1, 256, 64, 64), (1, 8, 32, 64, 64)]
MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")


@dataclass
class Row:
    """One problem: median milliseconds per competitor."""

    shape: tuple[int, ...]
    grid: str
    mode: str
    padding: str
    milliseconds: dict[str, float] = field(default_factory=dict)

    def ratio(self, competitor: str, ours: str) -> float:
        if competitor not in self.milliseconds or ours not in self.milliseconds:
            return math.nan
        return self.milliseconds[competitor] / self.milliseconds[ours]


def theta_for(shape: tuple[int, ...]) -> torch.Tensor:
    """A turn by 0.3 rad (4-D) or a mild shear (5-D), shifted by a few pixels."""
    if len(shape) == 4:
        c, s = math.cos(0.3), math.sin(0.3)
        one = torch.tensor([[c, -s, 0.05], [s, c, -0.05]])
    else:
        one = torch.tensor([[0.9, -0.2, 0.1, 0.05], [0.2, 0.9, 0.0, -0.05], [0.1, 0.0, 0.95, 0.0]])
    return one[None].repeat(shape[0], 1, 1)


def grid_for(shape: tuple[int, ...], kind: str) -> torch.Tensor:
    if kind == "affine":
        return F.affine_grid(theta_for(shape), [shape[0], 1, *shape[2:]], align_corners=False)
    return torch.rand(shape[0], *shape[2:], len(shape) - 2) * 2 - 1


def session(model: bytes, feeds: dict[str, np.ndarray], shape: tuple[int, ...]) -> Callable[[], object]:
    """A call that runs ``model`` on bound inputs into a bound output."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    onnxgrid_ort.register(options)
    made = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    binding = made.io_binding()
    for name, value in feeds.items():
        binding.bind_cpu_input(name, value)
    out = np.empty(shape, np.float32)
    binding.bind_output("Y", "cpu", 0, np.float32, shape, out.ctypes.data)

    def call(_keep: object = (out, feeds)) -> object:
        made.run_with_iobinding(binding)
        return out

    return call


def competitors(shape: tuple[int, ...], kind: str, mode: str, padding: str) -> dict[str, Callable[[], object]]:
    rank = len(shape)
    x, grid = torch.randn(shape), grid_for(shape, kind)
    feeds = {"X": x.numpy(), "grid": grid.numpy()}
    inputs = {"X": ("float32", rank), "grid": ("float32", rank)}
    attributes: dict[str, int | str] = {"mode": mode, "padding_mode": padding, "align_corners": 0}
    spelled = {**attributes, "mode": {"bilinear": "linear", "bicubic": "cubic"}.get(mode, mode)}
    native = onnx_file.model("GridSample", inputs, ("float32", rank), spelled, domain="", opset=20, ir_version=9)
    ours = onnx_file.model("GridSample", inputs, ("float32", rank), attributes)
    calls = {
        "torch": lambda: F.grid_sample(x, grid, mode, padding, align_corners=False),
        "onnxruntime": session(native, feeds, shape),
        "onnxgrid (ort)": session(ours, feeds, shape),
    }
    if hasattr(torch.ops.onnxgrid, "grid_sample"):
        m, p = MODES.index(mode), PADDINGS.index(padding)
        calls["onnxgrid (torch)"] = lambda: torch.ops.onnxgrid.grid_sample(x, grid, m, p, False)
    return calls


def fused_competitors(shape: tuple[int, ...]) -> dict[str, Callable[[], object]]:
    """affine_grid + grid_sample: as a pair in torch and ONNX Runtime, as one operator here."""
    rank, theta, x = len(shape), theta_for(shape), torch.randn(shape)
    size = [shape[0], shape[1], *shape[2:]]
    feeds = {"X": x.numpy(), "theta": theta.numpy(), "size": np.array(size, np.int64)}
    inputs = {"X": ("float32", rank), "theta": ("float32", 3), "size": ("int64", 1)}
    ours: dict[str, int | str] = {
        "mode": "bilinear",
        "padding_mode": "zeros",
        "align_corners": 0,
        "grid_align_corners": 0,
    }
    native: dict[str, int | str] = {"mode": "linear", "padding_mode": "zeros", "align_corners": 0}
    nodes = [
        onnx_file.node("AffineGrid", ["theta", "size"], ["grid"], "", {"align_corners": 0}),
        onnx_file.node("GridSample", ["X", "grid"], ["Y"], "", native),
    ]
    pair = onnx_file.graph_model(nodes, inputs, ("float32", rank), opset=20, ir_version=9)
    fused = onnx_file.model("AffineGridSample", inputs, ("float32", rank), ours)
    calls = {
        "torch": lambda: F.grid_sample(x, F.affine_grid(theta, size, align_corners=False), align_corners=False),
        "onnxruntime": session(pair, feeds, shape),
        "onnxgrid (ort)": session(fused, feeds, shape),
    }
    if hasattr(torch.ops.onnxgrid, "affine_grid_sample"):
        calls["onnxgrid (torch)"] = lambda: torch.ops.onnxgrid.affine_grid_sample(x, theta, size, 0, 0, False, False)
    return calls


def measure(calls: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Median milliseconds; the competitors take turns so that a slow moment of the machine meets them all."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) * 1e3 for name, values in times.items()}


def all_rows(rounds: int, quick: bool) -> list[Row]:
    rows = []
    for shape in SHAPES[2:3] if quick else SHAPES:
        for kind in ("affine", "random"):
            for mode in MODES[: 2 if len(shape) == 5 else 3]:
                for padding in PADDINGS:
                    row = Row(shape, kind, mode, padding)
                    row.milliseconds = measure(competitors(shape, kind, mode, padding), rounds)
                    rows.append(row)
                    print(line(row), file=sys.stderr, flush=True)
    for shape in SHAPES[2:3] if quick else [*SHAPES, (1, 3, 256, 256)]:
        row = Row(shape, "theta", "fused", "zeros", measure(fused_competitors(shape), rounds))
        rows.append(row)
        print(line(row), file=sys.stderr, flush=True)
    return rows


def line(row: Row) -> str:
    times = " | ".join(f"{name} {value:.2f}" for name, value in row.milliseconds.items())
    return f"{'×'.join(map(str, row.shape))} {row.grid} {row.mode} {row.padding}: {times}"


def geometric_mean(values: list[float]) -> float:
    kept = [value for value in values if not math.isnan(value)]
    return math.exp(statistics.fmean(map(math.log, kept))) if kept else math.nan


def processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine()
    return next((row.split(":", 1)[1].strip() for row in text.splitlines() if row.startswith("model name")), "unknown")


def markdown(rows: list[Row], rounds: int) -> str:
    ours = "onnxgrid (ort)"
    names = list(rows[0].milliseconds)
    head = ["shape", "grid", "mode", "padding", *(f"{name}, ms" for name in names), "torch ÷ ours", "ORT ÷ ours"]
    out = [
        (
            f"Processor: {processor()}. torch {torch.__version__}, onnxruntime {ort.__version__}, one thread, "
            f"median of {rounds} alternating runs in one process."
        ),
        "",
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(head),
    ]
    for row in rows:
        cells = ["×".join(map(str, row.shape)), row.grid, row.mode, row.padding]
        cells += [f"{row.milliseconds.get(name, math.nan):.2f}" for name in names]
        cells += [f"{row.ratio('torch', ours):.2f}", f"{row.ratio('onnxruntime', ours):.2f}"]
        out.append("| " + " | ".join(cells) + " |")
    plain = [row for row in rows if row.mode != "fused"]
    means = {name: geometric_mean([row.ratio(name, ours) for row in plain]) for name in ("torch", "onnxruntime")}
    slower = [row for row in plain if min(row.ratio("torch", ours), row.ratio("onnxruntime", ours)) < 1]
    out += [
        "",
        (
            f"Geometric means over {len(plain)} problems: {means['torch']:.2f} times torch, "
            f"{means['onnxruntime']:.2f} times ONNX Runtime; slower than the faster of the two in {len(slower)}."
        ),
    ]
    return "\n".join(out) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--quick", action="store_true", help="one small shape only")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    _extension.available()
    with torch.no_grad():
        rows = all_rows(options.rounds, options.quick)
    text = markdown(rows, options.rounds)
    print(text)
    if options.markdown:
        options.markdown.write_text(text, encoding="utf-8")
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
