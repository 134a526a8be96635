"""Speed of the shim's graph in ONNX Runtime, beside mmcv's graph and the native operator.

    python kernels/bench/bench_shim.py [--json FILE] [--repeat 9] [--opset 16]

Run it where torch, onnx and onnxruntime are installed.  All candidates are in one process, take
turns, use one thread, and are timed by the CPU time of that thread; the medians are reported.
Where mmcv is installed its own function is exported; otherwise a stand-in with the same
structure is (pad by one, four GatherElements with int64 indices, clamping by where).
"""

import argparse
import importlib.util
import inspect
import io
import json
import math
import os
import platform
import sys
import time
import warnings

import torch
import torch.nn.functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import onnxgrid

_LOADED = {}
SHAPES = [(8, 3, 512, 512), (1, 32, 256, 256), (1, 64, 256, 256), (1, 256, 64, 64)]


class Sample(torch.nn.Module):
    def forward(self, image, grid):
        return F.grid_sample(image, grid, align_corners=False)


class MmcvSample(torch.nn.Module):
    """mmcv's ``bilinear_grid_sample``, or the stand-in."""

    def forward(self, image, grid):
        return _mmcv_function()(image, grid, align_corners=False)


def _mmcv_function():
    """Out of its own file: ``mmcv.ops`` imports a compiled part, which this function does not use."""
    if "mmcv" not in _LOADED:
        _LOADED["mmcv"] = _gather_sample
        spec = importlib.util.find_spec("mmcv")
        if spec is not None:
            path = os.path.join(os.path.dirname(spec.origin), "ops", "point_sample.py")
            named = importlib.util.spec_from_file_location("mmcv_point_sample", path)
            module = importlib.util.module_from_spec(named)
            named.loader.exec_module(module)
            _LOADED["mmcv"] = module.bilinear_grid_sample
    return _LOADED["mmcv"]


def _clamped(index, size):
    index = torch.where(index < 0, torch.tensor(0), index)
    return torch.where(index > size - 1, torch.tensor(size - 1), index)


def _gather_sample(image, grid, align_corners=False):  # noqa: ARG001 - mmcv's signature
    batch, channels, height, width = image.shape
    out_height, out_width = grid.shape[1], grid.shape[2]
    x = (((grid[..., 0] + 1) * width - 1) / 2).reshape(batch, -1)
    y = (((grid[..., 1] + 1) * height - 1) / 2).reshape(batch, -1)
    left, top = torch.floor(x).long(), torch.floor(y).long()
    right, bottom = left + 1, top + 1
    shares = {
        (0, 0): (right - x) * (bottom - y),
        (1, 0): (right - x) * (y - top),
        (0, 1): (x - left) * (bottom - y),
        (1, 1): (x - left) * (y - top),
    }
    padded = F.pad(image, [1, 1, 1, 1]).reshape(batch, channels, -1)
    columns = [_clamped(left + 1, width + 2), _clamped(right + 1, width + 2)]
    rows = [_clamped(top + 1, height + 2), _clamped(bottom + 1, height + 2)]
    total = 0
    for (row, column), share in shares.items():
        index = (rows[row] * (width + 2) + columns[column]).unsqueeze(1)
        pixels = torch.gather(padded, 2, index.expand(-1, channels, -1))
        total = total + pixels * share.unsqueeze(1)
    return total.reshape(batch, channels, out_height, out_width)


def _export(module, arguments, opset, route=None):
    options = {"opset_version": opset, "input_names": ["image", "grid"]}
    if "dynamo" in inspect.signature(torch.onnx.export).parameters:
        options["dynamo"] = False
    stream = io.BytesIO()
    if route is None:
        torch.onnx.export(module, arguments, stream, **options)
    else:
        with onnxgrid.exporting(route):
            torch.onnx.export(module, arguments, stream, **options)
    return stream.getvalue()


def _sessions(arguments, opset):
    import onnx
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    exports = {
        "shim": lambda: _export(Sample(), arguments, opset, "shim"),
        "mmcv": lambda: _export(MmcvSample(), arguments, opset),
        "native": lambda: _export(Sample(), arguments, max(opset, 16)),
    }
    expected = Sample()(*arguments)
    feed = {"image": arguments[0].numpy(), "grid": arguments[1].numpy()}
    for name, export in exports.items():
        try:
            data = export()
        except (RuntimeError, ValueError) as error:
            print("{}: not exported here ({})".format(name, str(error).splitlines()[0]))
            continue
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        difference = abs(torch.from_numpy(session.run(None, feed)[0]) - expected).max().item()
        if difference > 1e-3:
            sys.exit("{} differs from torch by {:.3g}".format(name, difference))
        yield name, session, len(onnx.load_from_string(data).graph.node), feed


def measure(shape, random_grid, repeat, opset):
    """Medians in milliseconds and node counts per candidate, for one shape."""
    batch, _, height, width = shape
    torch.manual_seed(0)
    image = torch.randn(*shape)
    if random_grid:
        grid = torch.rand(batch, height, width, 2) * 2 - 1
    else:
        theta = torch.tensor([[0.9, -0.3, 0.1], [0.3, 0.9, -0.1]]).repeat(batch, 1, 1)
        grid = F.affine_grid(theta, list(shape), align_corners=False)
    candidates = list(_sessions((image, grid), opset))
    times = {name: [] for name, _, _, _ in candidates}
    for _ in range(repeat):
        for name, session, _, feed in candidates:
            start = time.thread_time()
            session.run(None, feed)
            times[name].append(time.thread_time() - start)
    return {
        name: {"ms": round(1e3 * sorted(times[name])[repeat // 2], 2), "nodes": nodes}
        for name, _, nodes, _ in candidates
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", help="write the figures to this file")
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--opset", type=int, default=16)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    import onnxruntime

    real = "mmcv" if _mmcv_function() is not _gather_sample else "mmcv's structure"
    print(
        "torch {}, onnxruntime {}, {}, opset {}, one thread; compared with {}".format(
            torch.__version__, onnxruntime.__version__, platform.machine(), options.opset, real
        )
    )
    print("| shape | grid | shim ms (nodes) | mmcv ms (nodes) | native ms | shim over mmcv |")
    print("|---|---|---|---|---|---|")
    rows, ratios = [], []
    for shape in SHAPES:
        for random_grid in (False, True):
            result = measure(shape, random_grid, options.repeat, options.opset)
            ratio = result["mmcv"]["ms"] / result["shim"]["ms"]
            ratios.append(ratio)
            kind = "random" if random_grid else "affine"
            rows.append({"shape": shape, "grid": kind, "ratio": round(ratio, 2), **result})
            print(
                "| {} | {} | {ms} ({nodes}) | {} ({}) | {} | {:.2f}x |".format(
                    "x".join(map(str, shape)),
                    kind,
                    result["mmcv"]["ms"],
                    result["mmcv"]["nodes"],
                    result.get("native", {}).get("ms", "-"),
                    ratio,
                    **result["shim"],
                )
            )
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print("\ngeometric mean: {:.2f} times as fast as {}".format(mean, real))
    if options.json:
        with open(options.json, "w") as stream:
            json.dump({"rows": rows, "geometric_mean": mean, "compared_with": real}, stream)


if __name__ == "__main__":
    main()
