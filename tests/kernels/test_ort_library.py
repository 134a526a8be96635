"""One library for every ONNX Runtime: the operators' values, and errors that are errors.

Runs in the environment's own onnxruntime, and in every interpreter listed in ``ONNXGRID_ORT_PYTHONS``
(separated by ``:``), each of which has another version.
"""

from __future__ import annotations

import itertools
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
np = pytest.importorskip("numpy")
F = torch.nn.functional

from . import onnx_file  # noqa: E402

WORKER = Path(__file__).with_name("ort_worker.py")
ELEMENTS = {"float32": 1, "float16": 10, "float64": 11}
TOLERANCE = {"float32": 3e-5, "float16": 4e-3, "float64": 1e-9}
EXTRA = [path for path in os.environ.get("ONNXGRID_ORT_PYTHONS", "").split(":") if path]
SHAPES = [((2, 3, 5, 7), (4, 6)), ((2, 3, 4, 5, 6), (3, 4, 5)), ((1, 2, 1, 5), (3, 4)), ((0, 2, 4, 5), (3, 4)),
          ((2, 0, 4, 5), (3, 4)), ((2, 2, 4, 5), (0, 4)), ((1, 70, 40, 40), (50, 60))]  # fmt: skip


def version_of(python: str) -> tuple[int, int]:
    text = subprocess.run(
        [python, "-c", "import onnxruntime; print(onnxruntime.__version__)"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    if not text:
        pytest.skip(f"{python} has no onnxruntime")
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


def run(python: str, library: Path, jobs: list, folder: Path, element: int = 1) -> list:
    """The results of all jobs in another process: a crash fails the test instead of ending it."""
    source, target = folder / "jobs.pickle", folder / "results.pickle"
    plain = [(model, {name: value.numpy() for name, value in feeds.items()}) for _, model, feeds, _ in jobs]
    source.write_bytes(pickle.dumps(plain, protocol=4))
    target.unlink(missing_ok=True)
    done = subprocess.run(
        [python, str(WORKER), str(library), str(source), str(target), str(element)],
        capture_output=True,
        text=True,
        check=False,
    )
    last = done.stderr.strip().rsplit("job ", 1)[-1].split()[:1]
    assert done.returncode == 0, (
        f"the runtime died on {jobs[int(last[0])][0] if last else 'start'}: {done.stderr[-500:]}"
    )
    return pickle.loads(target.read_bytes())


def sampled(x, grid, mode, padding, align):
    wide = x.float() if x.dtype == torch.float16 else x
    if 0 in x.shape or 0 in grid.shape:
        return torch.empty([*x.shape[:2], *grid.shape[1:-1]])
    return F.grid_sample(wide, grid.to(wide.dtype), mode, padding, align_corners=align)


def grid_sample_jobs(dtype: str) -> list:
    torch.manual_seed(0)
    jobs, t = [], getattr(torch, dtype)
    for (shape, out), mode, padding, align in itertools.product(
        SHAPES, ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection"), (0, 1)
    ):
        if len(shape) == 5 and mode == "bicubic":
            continue
        x, grid = torch.randn(shape).to(t), (torch.rand(shape[0], *out, len(out)) * 2.6 - 1.3).to(t)
        model = onnx_file.model(
            "GridSample",
            {"X": (dtype, len(shape)), "grid": (dtype, len(shape))},
            (dtype, len(shape)),
            {"mode": mode, "padding_mode": padding, "align_corners": align},
        )
        want = sampled(x, grid, mode, padding, bool(align))
        jobs.append((f"GridSample {shape} {mode} {padding} {align}", model, {"X": x, "grid": grid}, want))
    return jobs


def affine_jobs(dtype: str) -> list:
    torch.manual_seed(0)
    jobs, t = [], getattr(torch, dtype)
    for rank, align, grid_align in itertools.product((2, 3), (0, 1), (0, 1)):
        size = torch.tensor([2, 3, 4, 5] if rank == 2 else [2, 3, 3, 2, 5])
        theta = torch.randn(2, rank, rank + 1).to(t)
        x = torch.randn(2, 3, *([6, 7] if rank == 2 else [4, 6, 7])).to(t)
        wide = theta.float() if dtype == "float16" else theta
        grid = F.affine_grid(wide, size.tolist(), align_corners=bool(grid_align))
        model = onnx_file.model(
            "AffineGrid", {"theta": (dtype, 3), "size": ("int64", 1)}, (dtype, rank + 2), {"align_corners": grid_align}
        )
        jobs.append((f"AffineGrid {rank} {grid_align}", model, {"theta": theta, "size": size}, grid))
        model = onnx_file.model(
            "AffineGridSample",
            {"X": (dtype, rank + 2), "theta": (dtype, 3), "size": ("int64", 1)},
            (dtype, rank + 2),
            {"mode": "bilinear", "padding_mode": "zeros", "align_corners": align, "grid_align_corners": grid_align},
        )
        want = sampled(x, grid, "bilinear", "zeros", bool(align))
        jobs.append(
            (f"AffineGridSample {rank} {align} {grid_align}", model, {"X": x, "theta": theta, "size": size}, want)
        )
    return jobs


def rotate_jobs() -> list:
    jobs = []
    for k, dims, dtype in itertools.product(
        range(4), ((0, 1), (1, 0), (2, 3), (-1, 1)), ("float32", "int64", "bool", "uint8", "float16")
    ):
        x = torch.randint(0, 100, (2, 3, 4, 5)).to(getattr(torch, dtype))
        model = onnx_file.model("Rotate", {"X": (dtype, 4)}, (dtype, 4), {"k": k, "dims": dims})
        jobs.append((f"Rotate {k} {dims} {dtype}", model, {"X": x}, torch.rot90(x, k, dims)))
    return jobs


def error_jobs() -> list:
    """Models that load or run into a complaint; the last entry is a word of ours that it must hold."""
    f, x, grid = "float32", torch.randn(1, 2, 4, 5), torch.zeros(1, 3, 4, 2)

    def sample(attributes, image=x, points=grid, dtype=f):
        inputs = {"X": (dtype, None), "grid": (f, None)}
        return onnx_file.model("GridSample", inputs, (dtype, None), attributes), {"X": image, "grid": points}

    rotate = onnx_file.model("Rotate", {"X": (f, None)}, (f, None), {"k": 1, "dims": (1, 9)}), {"X": x}
    inputs = {"theta": (f, None), "size": ("int64", None)}
    affine = onnx_file.model("AffineGrid", inputs, (f, None), {}), {"theta": x, "size": torch.tensor([1, 1, 2, 2])}
    size = (
        onnx_file.model("AffineGrid", inputs, (f, None), {}),
        {"theta": torch.zeros(1, 2, 3), "size": torch.tensor([3, 4])},
    )
    return [
        ("rank", *sample({}, x[0], x[0]), "4-D"),
        ("scalar", *sample({}, torch.tensor(1.0), torch.tensor(1.0)), "4-D"),
        ("grid", *sample({}, x, x), "grid must be"),
        ("batch", *sample({}, x, grid.expand(2, -1, -1, -1)), "grid must be"),
        ("mode", *sample({"mode": "lanczos"}), "lanczos"),
        ("padding", *sample({"padding_mode": "wrap"}), "wrap"),
        ("empty", *sample({}, x[:, :, :0]), "non-empty"),
        ("dims", *rotate, "dims"),
        ("theta", *affine, "theta must be"),
        ("size", *size, "size must be"),
    ]


def mismatches(jobs: list, results: list) -> list[str]:
    bad = []
    for (name, _, feeds, want), got in zip(jobs, results, strict=True):
        if isinstance(got, str):
            bad.append(f"{name}: {got[:200]}")
            continue
        tolerance = TOLERANCE.get(str(next(iter(feeds.values())).dtype)[6:], 0)
        for number, value in enumerate(got):  # a defect of some runtimes appears in the second run
            same = value.shape == tuple(want.shape) and np.allclose(
                value.astype("float64"), want.double().numpy(), rtol=tolerance, atol=tolerance
            )
            if not same:
                bad.append(f"{name}: run {number} differs")
                break
    return bad


def check_values(python: str, library: Path, folder: Path) -> None:
    version = version_of(python)
    for dtype in ("float32", "float64", "float16"):
        jobs = grid_sample_jobs(dtype) + affine_jobs(dtype)
        # Up to 1.14 the dtype of grid and theta is chosen before registration; later ones must not need it.
        element = ELEMENTS[dtype] if version < (1, 15) else 1
        assert not mismatches(jobs, run(python, library, jobs, folder, element)), (version, dtype)
    jobs = rotate_jobs()
    results = run(python, library, jobs, folder)
    if version < (1, 8):
        assert all("1.8" in result for result in results), "1.7 cannot read dims and must say so"
    else:
        assert not mismatches(jobs, results), version


def check_errors(python: str, library: Path, folder: Path) -> None:
    version, jobs = version_of(python), error_jobs()
    for (name, _, _, words), result in zip(jobs, run(python, library, jobs, folder), strict=True):
        assert isinstance(result, str), (version, name, "no error")
        assert ("1.8" if name == "dims" and version < (1, 8) else words) in result, (version, name, result)


def test_values(ort_library, tmp_path):
    pytest.importorskip("onnxruntime")
    check_values(sys.executable, ort_library, tmp_path)


def test_errors_are_errors(ort_library, tmp_path):
    pytest.importorskip("onnxruntime")
    check_errors(sys.executable, ort_library, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("python", EXTRA)
def test_values_on_other_runtimes(ort_library, tmp_path, python):
    check_values(python, ort_library, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("python", EXTRA)
def test_errors_on_other_runtimes(ort_library, tmp_path, python):
    check_errors(python, ort_library, tmp_path)


def test_a_body_in_the_file_gives_way_to_the_library(ort_library, tmp_path):
    """A body that would return X unchanged: the registered operator must run instead."""
    pytest.importorskip("onnxruntime")
    _, _, feeds, want = grid_sample_jobs("float32")[0]
    attributes = {"mode": "bilinear", "padding_mode": "zeros", "align_corners": 0}
    body = onnx_file.function(
        "GridSample", ["X", "grid"], ["Y"], list(attributes), [onnx_file.node("Identity", ["X"], ["Y"], "", {})]
    )
    inputs = {"X": ("float32", 4), "grid": ("float32", 4)}
    model = onnx_file.model("GridSample", inputs, ("float32", 4), attributes, ir_version=8, functions=[body])
    jobs = [("with a body", model, feeds, want)]
    assert not mismatches(jobs, run(sys.executable, ort_library, jobs, tmp_path))


def test_numbered_names_are_the_same_operators(ort_library, tmp_path):
    """An export that uses an operator with several attribute sets numbers them."""
    pytest.importorskip("onnxruntime")
    _, _, feeds, want = grid_sample_jobs("float32")[0]
    attributes = {"mode": "bilinear", "padding_mode": "zeros", "align_corners": 0}
    inputs = {"X": ("float32", 4), "grid": ("float32", 4)}
    model = onnx_file.model("GridSample_2", inputs, ("float32", 4), attributes)
    jobs = [("GridSample_2", model, feeds, want)]
    assert not mismatches(jobs, run(sys.executable, ort_library, jobs, tmp_path))
