"""onnxgrid.ort: finding the library, and refusing files that are not it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

from onnxgrid import ort as onnxgrid_ort


class Options:
    """Stands in for onnxruntime.SessionOptions."""

    def __init__(self):
        self.registered = []

    def register_custom_ops_library(self, path):
        self.registered.append(path)


def test_register_hands_the_library_to_the_session_options(ort_library):
    options = Options()
    onnxgrid_ort.register(options, str(ort_library))
    assert options.registered == [str(ort_library)]


def test_the_environment_variable_names_the_library(ort_library, monkeypatch):
    monkeypatch.setenv("ONNXGRID_ORT_LIBRARY", str(ort_library))
    assert onnxgrid_ort.library_path() == str(ort_library)


def test_a_missing_library_says_how_to_get_it(monkeypatch):
    monkeypatch.setenv("ONNXGRID_ORT_LIBRARY", "/nowhere/lib.so")
    with pytest.raises(onnxgrid_ort.LibraryNotFoundError, match="onnxgrid_build --ort"):
        onnxgrid_ort.library_path()


def test_the_pytorch_extension_is_refused_by_name(tmp_path):
    """onnxruntime-extensions#127: "Failed to get symbol RegisterCustomOps" explains nothing."""
    extension = tmp_path / "extension.so"
    extension.write_bytes(b"\x7fELF...onnxgrid_torch_extension...")
    options = Options()
    with pytest.raises(onnxgrid_ort.WrongLibraryError, match="PyTorch extension"):
        onnxgrid_ort.register(options, str(extension))
    assert not options.registered


def test_other_files_are_refused(tmp_path):
    other = tmp_path / "other.so"
    other.write_bytes(b"\x7fELF")
    with pytest.raises(onnxgrid_ort.WrongLibraryError, match="not the ONNX Runtime library"):
        onnxgrid_ort.register(Options(), str(other))


def test_a_dtype_that_no_operator_has_is_refused(ort_library):
    with pytest.raises(ValueError, match="float32"):
        onnxgrid_ort.register(Options(), str(ort_library), dtype="int8")


def test_a_machine_without_pytorch_has_onnxgrid_ort():
    folder = str(Path(onnxgrid_ort.__file__).parent.parent)
    code = f"""import sys
sys.path.insert(0, {folder!r})
sys.modules["torch"] = sys.modules["numpy"] = None
import onnxgrid.ort
print(onnxgrid.ort.LIBRARY_NAME)"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == onnxgrid_ort.LIBRARY_NAME, done.stderr
