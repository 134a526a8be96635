"""envs/runtimes.toml and what is derived from it."""

from pathlib import Path

import pytest

from matrix import locks, runtimes
from matrix.errors import CatalogError, UnknownNameError
from matrix.runtimes import RuntimeCatalog


@pytest.fixture(scope="module")
def catalog() -> RuntimeCatalog:
    return runtimes.load()


def test_every_minor_version_of_onnx_runtime_from_1_7_to_1_32_is_there(catalog: RuntimeCatalog) -> None:
    minors = [runtime.version.split(".")[1] for runtime in catalog.runtimes if runtime.engine == "ort"]
    assert minors == [str(minor) for minor in range(7, 33)]


def test_other_engines_are_there(catalog: RuntimeCatalog) -> None:
    engines = {runtime.engine for runtime in catalog.runtimes}
    assert engines == {"ort", "ort-gpu", "openvino", "reference", "tract", "opencv"}


def test_every_runtime_has_a_lock_with_hashes_made_from_its_requirements(catalog: RuntimeCatalog) -> None:
    for runtime in catalog.runtimes:
        text = locks.read(runtime) or ""
        required = [line.removeprefix("# requires: ") for line in text.splitlines() if line.startswith("# requires: ")]
        assert required == catalog.requirements_of(runtime)
        assert "--hash=sha256:" in text
        assert "http" not in text


def test_every_engine_has_its_plug_in(catalog: RuntimeCatalog) -> None:
    folder = Path(runtimes.__file__).parent / "probe" / "engines"
    assert {runtime.module for runtime in catalog.runtimes} <= {path.stem for path in folder.glob("*.py")}


def test_the_default_is_six_and_none_is_none(catalog: RuntimeCatalog) -> None:
    assert len(catalog.chosen(())) == 6
    assert catalog.chosen(["none"]) == []
    assert catalog.chosen((), everything=True) == list(catalog.runtimes)
    assert [runtime.name for runtime in catalog.chosen(["ort-1.1?.*", "ort-1.16.3"])][:2] == [
        "ort-1.10.0",
        "ort-1.11.1",
    ]


def test_another_patch_release_takes_the_line_of_its_minor_version(catalog: RuntimeCatalog) -> None:
    derived = catalog.runtime("ort-1.16.2")
    assert (derived.version, derived.python) == ("1.16.2", "3.11")
    assert catalog.requirements_of(derived) == ["onnxruntime==1.16.2", "numpy", "numpy<2"]
    assert catalog.runtime("ort-1.40.0").requirements == ("onnxruntime==1.40.0", "numpy")


@pytest.mark.parametrize("name", ["ort-1.16", "ort", "tensorrt-8.6.1", "ort-one", "ort-9*"])
def test_what_is_no_runtime_is_refused_with_a_suggestion(catalog: RuntimeCatalog, name: str) -> None:
    with pytest.raises(UnknownNameError, match="no runtime matches"):
        catalog.chosen([name])


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "runtimes.toml"
    path.write_text('default = ["x-1.0.0"]\npin = []\n[engine]\n')
    with pytest.raises((CatalogError, UnknownNameError)):
        runtimes.load(path)
