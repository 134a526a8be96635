"""Bad input raises what ``torch.nn.functional`` raises, and names the argument."""

import warnings

import onnxgrid
import pytest
import torch
import torch.nn.functional as F

RELEASE = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])
IMAGE, GRID = torch.zeros(2, 3, 4, 5), torch.zeros(2, 6, 7, 2)
VOLUME, VOLUME_GRID = torch.zeros(1, 1, 2, 3, 4), torch.zeros(1, 2, 2, 2, 3)

BAD_SAMPLES = {
    "mode": (IMAGE, GRID, "bilinea", "zeros"),
    "padding_mode": (IMAGE, GRID, "bilinear", "zero"),
    "input.*3-D|input must be": (IMAGE[0], GRID, "bilinear", "zeros"),
    "grid must have": (IMAGE, GRID[0], "bilinear", "zeros"),
    "batch": (IMAGE, GRID[:1], "bilinear", "zeros"),
    "last axis of grid": (IMAGE, torch.zeros(2, 6, 7, 3), "bilinear", "zeros"),
    "dtype": (IMAGE, GRID.double(), "bilinear", "zeros"),
    "floating": (IMAGE.long(), GRID.long(), "bilinear", "zeros"),
    "empty": (torch.zeros(2, 3, 0, 5), GRID, "bilinear", "zeros"),
    "bicubic": (VOLUME, VOLUME_GRID, "bicubic", "zeros"),
}


@pytest.mark.parametrize("name", sorted(BAD_SAMPLES))
def test_bad_samplings(name):
    arguments = (*BAD_SAMPLES[name], False)
    with pytest.raises((ValueError, RuntimeError), match=name) as ours:
        onnxgrid.grid_sample(*arguments)
    if name == "bicubic" and RELEASE >= (2, 15):
        # PyTorch samples volumes bicubically from 2.15 on; the shim does not and says so.
        assert F.grid_sample(*arguments).shape == (1, 1, 2, 2, 2)
        return
    with pytest.raises((ValueError, RuntimeError)) as theirs:
        F.grid_sample(*arguments)
    assert isinstance(theirs.value, type(ours.value))


BAD_GRIDS = {
    "floating": (torch.zeros(1, 2, 3, dtype=torch.int64), [1, 1, 4, 4]),
    "shape": (torch.zeros(1, 3, 3), [1, 1, 4, 4]),
    "length": (torch.zeros(1, 2, 3), [1, 4, 4]),
    "positive": (torch.zeros(1, 2, 3), [1, 1, 0, 4]),
    "batch": (torch.zeros(2, 2, 3), [1, 1, 4, 4]),
}


@pytest.mark.parametrize("name", sorted(BAD_GRIDS))
def test_bad_affine_grids(name):
    theta, size = BAD_GRIDS[name]
    kinds = (ValueError, RuntimeError, NotImplementedError)
    with pytest.raises(kinds) as theirs:
        F.affine_grid(theta, size, align_corners=False)
    with pytest.raises(kinds, match=name) as ours:
        onnxgrid.affine_grid(theta, size, align_corners=False)
    assert isinstance(theirs.value, type(ours.value))


@pytest.mark.parametrize(("k", "dims"), [(1, [0]), (1, [0, 0]), (1, [0, 4])])
def test_bad_rotations(k, dims):
    with pytest.raises((RuntimeError, IndexError)):
        torch.rot90(IMAGE, k, dims)
    with pytest.raises((RuntimeError, IndexError), match="dims"):
        onnxgrid.rot90(IMAGE, k, dims)


def test_an_open_align_corners_warns_as_torch_does():
    for call in (
        lambda module: module.grid_sample(IMAGE, GRID),
        lambda module: module.affine_grid(torch.zeros(1, 2, 3), [1, 1, 4, 4]),
        lambda module: module.affine_grid(torch.zeros(1, 2, 3), [1, 1, 1, 4], align_corners=True),
    ):
        for module in (F, onnxgrid):
            with pytest.warns(UserWarning, match="align_corners"):
                call(module)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            onnxgrid.grid_sample(IMAGE, GRID, align_corners=False)


def test_tensors_on_different_devices_are_refused():
    if not hasattr(torch, "empty_strided") or tuple(map(int, torch.__version__.split(".")[:2])) < (1, 9):
        pytest.skip("no meta device")
    with pytest.raises(RuntimeError, match="is on"):
        onnxgrid.grid_sample(IMAGE, torch.empty(2, 6, 7, 2, device="meta"), align_corners=False)
