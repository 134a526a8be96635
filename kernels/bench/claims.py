"""What articles claim about grid_sample and affine_grid, tried; see docs/claims.md.

    python kernels/bench/claims.py [CLAIM ...]

Runs where torch, onnx and onnxruntime are installed, any release from 1.8 on, and prints one JSON
object per claim.  ``mmcv`` is looked for on the path and only its pure Python function is loaded:
``pip install --no-deps --target DIR mmcv-lite==2.1.0`` and PYTHONPATH are enough.  Times are
medians of CPU time on one thread, candidates in turn, in one process.
"""

import importlib.util
import inspect
import io
import json
import os
import sys
import time
import warnings

import numpy
import onnx
import onnxruntime
import torch
import torch.nn.functional as F
from torch import nn

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import onnxgrid
import onnxgrid.ort

CHOICE = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
SHAPES = [(8, 3, 256, 256), (1, 64, 128, 128)]


def mmcv_function():
    """mmcv's bilinear_grid_sample, without importing the rest of mmcv; None where it is not there."""
    for folder in sys.path:
        path = os.path.join(folder, "mmcv", "ops", "point_sample.py")
        if os.path.isfile(path):
            spec = importlib.util.spec_from_file_location("point_sample", path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module.bilinear_grid_sample
    return None


class Model(nn.Module):
    """A function as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *tensors):
        return self.function(*tensors)


def native(image, grid):
    return F.grid_sample(image, grid, align_corners=False)


def image_and_grid(shape=(2, 3, 9, 13), out=(7, 11), reach=1.2):
    generator = torch.Generator().manual_seed(0)
    grid = torch.rand((shape[0], *out, 2), generator=generator) * 2 * reach - reach
    return torch.randn(shape, generator=generator), grid


def affine_image(shape):
    theta = torch.eye(2, 3).unsqueeze(0).repeat(shape[0], 1, 1) * 0.9
    return torch.randn(shape), F.affine_grid(theta, list(shape), align_corners=False)


def exported(function, tensors, opset, names, **options):
    stream = io.BytesIO()
    axes = options.pop("dynamic_axes", None)
    torch.onnx.export(Model(function).eval(), tensors, stream, opset_version=opset, input_names=names,
                      dynamic_axes=axes, **options, **CHOICE)  # fmt: skip
    return stream.getvalue()


def session_of(data):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def runner(session, feeds):
    return lambda: session.run(None, feeds)


def outcome(call):
    """``ok``, or the exception's type and first line."""
    try:
        result = call()
    except Exception as error:  # noqa: BLE001 - whatever it raises is the outcome
        return "{}: {}".format(type(error).__name__, (str(error).strip().splitlines() or [""])[0][:160])
    return result if isinstance(result, str) else "ok"


def timed(candidates, repeat=9):
    """Median milliseconds of CPU time of this thread, by name; candidates take turns."""
    times = {name: [] for name in candidates}
    for turn in range(repeat + 2):
        for name, call in candidates.items():
            start = time.thread_time()
            call()
            if turn >= 2:
                times[name].append(1e3 * (time.thread_time() - start))
    return {name: round(float(numpy.median(values)), 3) for name, values in times.items()}


def claim_layout():
    """mmcv's function wants grid.permute(0, 3, 1, 2)."""
    sample, (image, grid) = mmcv_function(), image_and_grid()
    return {
        "as torch has it": outcome(lambda: str(float((sample(image, grid) - native(image, grid)).abs().max()))),
        "permuted": outcome(lambda: "shape {}".format(tuple(sample(image, grid.permute(0, 3, 1, 2)).shape))),
    }


def claim_padding():
    """mmcv's function pads with zeros only: largest difference from torch by padding mode."""
    sample, (image, grid) = mmcv_function(), image_and_grid()
    got = sample(image, grid)
    return {
        mode: float((got - F.grid_sample(image, grid, padding_mode=mode, align_corners=False)).abs().max())
        for mode in ("zeros", "border", "reflection")
    }


def claim_gradients():
    """The substitute needs gradients written by hand: largest difference of autograd's from torch's."""
    found = {}
    for name, sample in (("mmcv", mmcv_function()), ("onnxgrid", onnxgrid.grid_sample)):
        tensors = []
        for function in (native, lambda image, grid, sample=sample: sample(image, grid, align_corners=False)):
            image, grid = (tensor.double().requires_grad_() for tensor in image_and_grid())
            function(image, grid).pow(2).sum().backward()
            tensors.append((image.grad, grid.grad))
        found[name] = [float((a - b).abs().max()) for a, b in zip(*tensors)]  # noqa: B905 - Python 3.9
    return found


def claim_difference():
    """Its results differ by less than 0.3 %: largest difference over the largest value, in reach and far outside."""
    sample, found = mmcv_function(), {}
    for reach in (1.0, 1.6, 1e6):
        image, grid = image_and_grid(reach=reach)
        want = native(image, grid)
        error = (sample(image, grid) - want).abs().max() / want.abs().max().clamp(min=1e-6)
        found["grid up to {:g}".format(reach)] = float(error)
    return found


def claim_slower():
    """It is about 15 % slower than the native operator: ratio in eager mode, and in ONNX Runtime where both export."""
    sample, found = mmcv_function(), {}
    for shape in SHAPES:
        image, grid = affine_image(shape)
        eager = timed({"native": lambda i=image, g=grid: native(i, g), "mmcv": lambda i=image, g=grid: sample(i, g)})
        row = {"eager": round(eager["mmcv"] / eager["native"], 2), "native ms": eager["native"]}
        try:
            files = {name: exported(call, (image, grid), 16, ["image", "grid"])
                     for name, call in (("native", native), ("mmcv", sample))}  # fmt: skip
            feeds = {"image": image.numpy(), "grid": grid.numpy()}
            times = timed({name: runner(session_of(data), feeds) for name, data in files.items()})
            row["onnxruntime"] = round(times["mmcv"] / times["native"], 2)
        except Exception as error:  # noqa: BLE001 - no native operator in this release
            row["onnxruntime"] = type(error).__name__
        found["x".join(map(str, shape))] = row
    return found


def _variants(sample, shape):
    image, grid = affine_image(shape)
    last = image.contiguous(memory_format=torch.channels_last)
    calls = {"plain": lambda: sample(image, grid), "channels last": lambda: sample(last, grid)}
    scripted = []
    refused = outcome(lambda: scripted.append(torch.jit.script(sample)) or scripted[0](image, grid))
    if refused == "ok":
        calls["torch.jit.script"] = lambda: scripted[0](image, grid)
    if hasattr(torch, "autocast"):

        def amp():
            with torch.autocast("cpu", dtype=torch.bfloat16):
                return sample(image, grid)

        calls["AMP (bfloat16)"] = amp
    return calls, refused


def claim_faster():
    """Channels last, larger batches, torch.jit.script and AMP make it faster: time relative to plain, per image."""
    sample, found = mmcv_function(), {}
    for shape in SHAPES:
        calls, scripting = _variants(sample, shape)
        times = timed(calls)
        found["torch.jit.script"] = scripting
        found["x".join(map(str, shape))] = {name: round(value / times["plain"], 2) for name, value in times.items()}
    one, eight = affine_image((1, 3, 256, 256)), affine_image((8, 3, 256, 256))
    times = timed({"one": lambda: sample(*one), "eight": lambda: sample(*eight)})
    found["batch of 8, per image, relative to 1"] = round(times["eight"] / 8 / times["one"], 2)
    return found


def claim_fused():
    """Fusing affine_grid with grid_sample gives two to three times.

    ``upper limit``: both over grid_sample alone in eager mode, what would be won if the grid cost nothing.
    ``onnxruntime``: custom over fused, both as function bodies or, with the library, as native operators.
    """
    found = {}
    for shape in SHAPES:
        image = torch.randn(shape)
        theta = torch.eye(2, 3).unsqueeze(0).repeat(shape[0], 1, 1)
        grid = F.affine_grid(theta, list(shape), align_corners=False)

        def both(theta, image):
            return native(image, F.affine_grid(theta, image.size(), align_corners=False))

        calls = {"both": lambda: both(theta, image), "sample": lambda: native(image, grid)}  # noqa: B023
        times = timed(calls)
        row = {"upper limit": round(times["both"] / times["sample"], 2)}
        runs = {}
        for route in ("custom", "fused"):
            with onnxgrid.exporting(route):
                data = exported(both, (theta, image), 11, ["theta", "image"])
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads, options.log_severity_level = 1, 4
            if os.environ.get("ONNXGRID_ORT_LIBRARY"):
                onnxgrid.ort.register(options)
            session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
            runs[route] = runner(session, {"theta": theta.numpy(), "image": image.numpy()})
        times = timed(runs)
        row["onnxruntime"] = round(times["custom"] / times["fused"], 2)
        found["x".join(map(str, shape))] = row
    found["library"] = bool(os.environ.get("ONNXGRID_ORT_LIBRARY"))
    return found


class Unregistered(torch.autograd.Function):
    """An operator of an own domain without a function body."""

    @staticmethod
    def symbolic(g, x):
        return g.op("my.domain::Double", x)

    @staticmethod
    def forward(_, x):
        return x * 2


class Flagged(torch.autograd.Function):
    """An attribute with the suffix _b."""

    @staticmethod
    def symbolic(g, x):
        return g.op("my.domain::Double", x, flag_b=True)

    @staticmethod
    def forward(_, x):
        return x * 2


class FlaggedInt(torch.autograd.Function):
    """The same with _i."""

    @staticmethod
    def symbolic(g, x):
        return g.op("my.domain::Double", x, flag_i=True)

    @staticmethod
    def forward(_, x):
        return x * 2


def _own(function):
    extra = (
        {"autograd_inlining": False} if "autograd_inlining" in inspect.signature(torch.onnx.export).parameters else {}
    )
    return exported(function, (torch.ones(3),), 11, ["x"], custom_opsets={"my.domain": 1}, **extra)


def claim_custom_operator():
    """ONNX Runtime cannot run a file with a custom operator: without a body, and with onnxgrid's."""

    def with_body():
        with onnxgrid.exporting("custom"):
            data = exported(native, image_and_grid(), 11, ["image", "grid"])
        image, grid = image_and_grid()
        got = session_of(data).run(None, {"image": image.numpy(), "grid": grid.numpy()})[0]
        return "runs, difference {:.1e}".format(float(numpy.abs(got - native(image, grid).numpy()).max()))

    bare = outcome(lambda: session_of(_own(Unregistered.apply)) and "loads")
    return {"without a body": bare, "with a body": outcome(with_body)}


def claim_fallthrough():
    """ONNX_FALLTHROUGH lets unregistered operators pass: the export, and what a runtime says of the file."""
    kind = torch.onnx.OperatorExportTypes.ONNX_FALLTHROUGH
    if "operator_export_type" not in inspect.signature(torch.onnx.export).parameters:
        return {"export": "the argument does not exist"}
    try:
        data = exported(native, image_and_grid(), 11, ["image", "grid"], operator_export_type=kind)
    except Exception as error:  # noqa: BLE001
        return {"export": "{}: {}".format(type(error).__name__, str(error).splitlines()[0][:160])}
    model = onnx.load_model_from_string(data)
    names = sorted(
        {"{}::{}".format(node.domain, node.op_type) for node in model.graph.node if node.op_type != "Constant"}
    )
    return {"export": "ok", "operators": names, "load": outcome(lambda: session_of(data) and "ok")}


def claim_suffix():
    """Booleans take the attribute suffix _b."""
    return {"_b": outcome(lambda: _own(Flagged.apply) and "ok"), "_i": outcome(lambda: _own(FlaggedInt.apply) and "ok")}


def claim_size_tensor():
    """Passing the size as a tensor solves dynamic shapes: traced at (4, 5), asked for (6, 3)."""

    def grid_of(theta, size):
        return F.affine_grid(theta, size, align_corners=False)

    def grid_of_list(theta, size):
        return F.affine_grid(theta, [size[0], size[1], size[2], size[3]], align_corners=False)

    def grid_of_image(theta, image):
        return F.affine_grid(theta, image.size(), align_corners=False)

    theta, size = torch.eye(2, 3).unsqueeze(0), torch.tensor([1, 1, 4, 5])
    found = {}
    for name, function, second, other in (
        ("a tensor", grid_of, size, numpy.array([1, 1, 6, 3])),
        ("a list of its elements", grid_of_list, size, numpy.array([1, 1, 6, 3])),
        ("image.size()", grid_of_image, torch.zeros(1, 1, 4, 5), numpy.zeros((1, 1, 6, 3), "float32")),
    ):

        def tried(function=function, second=second, other=other):
            axes = {"second": {2: "h", 3: "w"}} if second.dim() == 4 else None
            with onnxgrid.exporting("shim"):
                data = exported(function, (theta, second), 11, ["theta", "second"], dynamic_axes=axes)
            session = session_of(data)
            known = {item.name for item in session.get_inputs()}
            feeds = {"theta": theta.numpy(), "second": other}
            got = session.run(None, {key: value for key, value in feeds.items() if key in known})[0]
            return "shape {}".format(got.shape)

        found[name] = outcome(tried)
    return found


CLAIMS = {name[len("claim_") :]: value for name, value in sorted(globals().items()) if name.startswith("claim_")}


def main(names):
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for name in names or CLAIMS:
        needs_mmcv = "mmcv_function" in inspect.getsource(CLAIMS[name])
        result = "mmcv is not on the path" if needs_mmcv and mmcv_function() is None else CLAIMS[name]()
        versions = {"torch": torch.__version__, "onnxruntime": onnxruntime.__version__}
        print(json.dumps({"claim": name, **versions, "result": result}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
