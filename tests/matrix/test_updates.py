"""The catalog learns of new releases from the index."""

from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from matrix import catalog as catalogs
from matrix import locks, updates
from matrix.catalog import ENVS, Catalog, Release


@pytest.fixture
def toml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the catalog, with locks made beside it without an index."""

    def make(catalog: Catalog, release: Release) -> Path:
        path = tmp_path / f"{release.name}.txt"
        path.write_text(f"cuda-toolkit==13.4.1\ntorch=={release.version}\n")
        return path

    monkeypatch.setattr(locks, "make", make)
    path = tmp_path / "torch.toml"
    path.write_text((ENVS / "torch.toml").read_text())
    return path


def index(**versions: list[str]) -> object:
    def ask(requirement: str, python: str) -> Version | None:
        wanted = Requirement(requirement)
        found = [Version(v) for v in versions.get(wanted.name, []) if v in wanted.specifier]
        return max(found, default=None)

    return ask


def test_every_new_minor_is_added_with_its_newest_patch_and_its_cuda(toml: Path) -> None:
    ask = index(torch=["2.14.1", "2.15.0", "2.16.0", "2.16.1", "2.17.0"], onnx=["1.0"], onnxruntime=["1.0"])
    said = updates.update(path=toml, ask=ask)  # type: ignore[arg-type]
    catalog = catalogs.load(toml)
    assert [release.version for release in catalog.releases][-3:] == ["2.15.0", "2.16.1", "2.17.0"]
    assert (catalog.newest.cuda, catalog.newest.exporters) == ("13.4", ("torchscript", "dynamo"))
    assert [line.split(",")[0] for line in said] == ["added PyTorch 2.16.1", "added PyTorch 2.17.0"]


def test_newer_runtimes_are_pointed_out(toml: Path) -> None:
    ask = index(torch=["2.15.0"], onnx=["9.0"], onnxruntime=["9.1"])
    said = updates.update(path=toml, ask=ask)  # type: ignore[arg-type]
    assert [line.split(" is newer")[0] for line in said] == ["onnx 9.0", "onnxruntime 9.1"]


def test_nothing_new_leaves_the_catalog_as_it_is(toml: Path) -> None:
    before = toml.read_bytes()
    ask = index(torch=["2.15.0"], onnx=["1.0"], onnxruntime=["1.0"])
    assert "nothing new" in updates.update(path=toml, ask=ask)[0]  # type: ignore[arg-type]
    assert toml.read_bytes() == before
