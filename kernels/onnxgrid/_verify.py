"""``verify``: does the exported file compute what the model computes?"""

import contextlib
import copy
import os

import torch

from . import _eager
from ._formula import MODES, PADDING_MODES


class Verification:
    """The outcome of ``verify``: true if everything agreed.

    ``differences`` maps what was compared to the largest absolute difference; ``problems`` lists
    what disagreed or could not be run; ``skipped`` what there was no means to compare.
    """

    def __init__(self, atol):
        self.atol = atol
        self.differences = {}
        self.problems = []
        self.skipped = []

    def __bool__(self):
        return not self.problems

    @property
    def largest_difference(self):
        return max(self.differences.values()) if self.differences else float("nan")

    def compare(self, what, expected, actual, atol=None):
        atol = self.atol if atol is None else atol
        worst = 0.0
        for want, got in zip(expected, actual):
            if want.shape != got.shape:
                self.problems.append(
                    "{}: shape {} instead of {}".format(what, list(got.shape), list(want.shape))
                )
                return
            if not torch.allclose(want.double(), got.double(), atol=atol, rtol=1e-4, equal_nan=True):
                self.problems.append("{}: values differ".format(what))
            if want.numel():
                gap = (want.double() - got.double()).abs()
                worst = max(worst, gap[~torch.isnan(gap)].max().item() if gap.numel() else 0.0)
        self.differences[what] = worst

    def __str__(self):
        lines = ["verified" if self else "NOT verified"]
        lines += ["  {}: largest difference {:.3g}".format(*item) for item in self.differences.items()]
        lines += ["  problem: " + problem for problem in self.problems]
        lines += ["  not compared: " + reason for reason in self.skipped]
        return "\n".join(lines)

    __repr__ = __str__


def verify(model, args, path, other_args=None, atol=1e-5):
    """Compare ``model(*args)`` with the file at ``path``, in onnxruntime.

    Compares values on ``args`` in two consecutive runs; on a second size (``other_args``, or
    tensors made by enlarging every dynamic axis of the file by one); the gradients of the model
    with PyTorch's sampling against those with ours; and, where there is a GPU, the model and the
    file on CUDA.  ``args`` is a tensor or a tuple of tensors, ``atol`` the largest absolute
    difference allowed (with 1e-4 relative).  Returns a ``Verification``, which is true if all
    agreed and prints as a summary.

    Raises ImportError without onnxruntime, FileNotFoundError without the file.
    """
    args = args if isinstance(args, (tuple, list)) else (args,)
    path = os.fspath(path)
    if not os.path.exists(path):
        raise FileNotFoundError("verify: there is no file {!r}; export the model first".format(path))
    result = Verification(atol)
    was_training = isinstance(model, torch.nn.Module) and model.training
    if was_training:
        model.eval()
    try:
        _verify(result, model, tuple(args), path, other_args)
    finally:
        if was_training:
            model.train()
    return result


def _verify(result, model, args, path, other_args):
    session = _session(path, ["CPUExecutionProvider"])
    for number in (1, 2):
        result.compare("values, run {}".format(number), _call(model, args), _run(session, args))
    if other_args is None:
        other_args = _enlarged(session, args)
    if other_args is None:
        result.skipped.append("a second size: the file has no dynamic axis")
    else:
        try:
            actual = _run(session, other_args)
        except Exception as error:  # noqa: BLE001 - onnxruntime has exception types of its own
            result.problems.append("second size: {}".format(str(error).strip().splitlines()[0]))
        else:
            result.compare("values, second size", _call(model, other_args), actual)
    _verify_gradients(result, model, args)
    _verify_cuda(result, model, args, path)


def _session(path, providers):
    try:
        import onnxruntime
    except ImportError as error:
        raise ImportError("verify needs onnxruntime: pip install onnxruntime") from error
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options, providers=providers)


def _call(model, args):
    with torch.no_grad():
        return _tensors(model(*args))


def _tensors(output):
    if isinstance(output, torch.Tensor):
        return [output.detach().cpu()]
    return [tensor for item in output for tensor in _tensors(item)]


def _run(session, args):
    feed = {node.name: arg.detach().cpu().numpy() for node, arg in zip(session.get_inputs(), args)}
    return [torch.from_numpy(value) for value in session.run(None, feed)]


def _enlarged(session, args):
    """``args`` with each dynamic axis one longer, values drawn from the same range; or None."""
    longer, changed = [], False
    for node, arg in zip(session.get_inputs(), args):
        shape = [
            extent if isinstance(known, int) else extent + 1
            for extent, known in zip(arg.shape, node.shape)
        ]
        changed = changed or shape != list(arg.shape)
        if shape == list(arg.shape) or not arg.is_floating_point():
            longer.append(arg)
            continue
        low, high = arg.min().item(), arg.max().item()
        longer.append((torch.rand(shape, dtype=torch.float64) * (high - low) + low).to(arg.dtype))
    return tuple(longer) if changed else None


def _gradients(model, args):
    leaves = [
        arg.detach().clone().requires_grad_(True) if arg.is_floating_point() else arg
        for arg in args
    ]
    outputs = model(*leaves)
    outputs = [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)
    total = sum((out * torch.linspace(0.5, 1.5, out.numel()).view_as(out)).sum() for out in outputs)
    wanted = [leaf for leaf in leaves if leaf.requires_grad]
    grads = torch.autograd.grad(total, wanted, allow_unused=True)
    return [torch.zeros_like(x) if g is None else g.detach() for x, g in zip(wanted, grads)]


@contextlib.contextmanager
def _ours():
    """PyTorch's sampling functions replaced by ours, as far as they are called through torch."""

    def grid_sampler(image, grid, mode, padding_mode, align_corners):
        return _eager.grid_sample(image, grid, MODES[mode], PADDING_MODES[padding_mode], align_corners)

    saved = torch.grid_sampler, torch.affine_grid_generator
    torch.grid_sampler, torch.affine_grid_generator = grid_sampler, _eager.affine_grid
    try:
        yield
    finally:
        torch.grid_sampler, torch.affine_grid_generator = saved


def _verify_gradients(result, model, args):
    try:
        expected = _gradients(model, args)
    except RuntimeError as error:
        result.skipped.append("gradients: {}".format(str(error).splitlines()[0]))
        return
    with _ours():
        actual = _gradients(model, args)
    scale = max([1.0] + [g.abs().max().item() for g in expected if g.numel()])
    result.compare("gradients", expected, actual, result.atol * 10 * scale)


def _verify_cuda(result, model, args, path):
    if not torch.cuda.is_available():
        result.skipped.append("CUDA: no device")
        return
    on_gpu = copy.deepcopy(model).cuda() if isinstance(model, torch.nn.Module) else model
    expected = _call(model, args)
    result.compare(
        "model on CUDA", expected, _call(on_gpu, tuple(arg.cuda() for arg in args)), result.atol * 10
    )
    import onnxruntime

    if "CUDAExecutionProvider" not in onnxruntime.get_available_providers():
        result.skipped.append("the file on CUDA: onnxruntime has no CUDA provider")
        return
    session = _session(path, ["CUDAExecutionProvider", "CPUExecutionProvider"])
    result.compare("file on CUDA", expected, _run(session, args), result.atol * 10)
