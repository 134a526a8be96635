"""Build verdicts: what fails is named with its remedy, and public reports of failing builds stay solved."""

from __future__ import annotations

import json

import pytest
from onnxgrid_build import cache as store
from onnxgrid_build import cuda, process, toolchain
from onnxgrid_build.errors import (
    CompilerError,
    HeaderMissingError,
    ToolchainMismatchError,
    ToolchainMissingError,
)
from onnxgrid_build.release import Release
from onnxgrid_build.verdict import Verdict

from . import conftest  # noqa: F401 - puts the build tools on the path


def release(tmp_path, version="1.13.1+cu117", cuda_version="11.7"):
    number = tuple(int(part) for part in version.split("+")[0].split(".")[:2])
    return Release(version, number, cuda_version, False, tmp_path)


def verdict():
    return Verdict("1.13.1", "cuda", "toolkit")


def test_a_removed_header_is_explained():
    """pytorch#73520: THC/THC.h left with PyTorch 1.11."""
    output = "ext.cu:3:10: fatal error: THC/THC.h: No such file or directory\ncompilation terminated."
    error = process.explain(["nvcc"], output)
    assert isinstance(error, HeaderMissingError)
    assert "THC/THC.h" in str(error)
    assert "1.11" in error.hint


def test_our_sources_include_no_thc_and_dispatch_on_scalar_type():
    """pytorch#73520 and RwkvCompress#9: two habits that break with newer PyTorch."""
    texts = [path.read_text(encoding="utf-8") for path in store.sources("core", "torch", "cuda", "ort")]
    dispatches = [text for text in texts if "AT_DISPATCH" in text]
    assert not any("THC" in text for text in texts)
    assert dispatches
    assert all(".scalar_type()" in text and ".type()" not in text for text in dispatches)


@pytest.mark.slow
def test_a_source_with_thc_fails_with_that_verdict(tmp_path):
    source = tmp_path / "old.cpp"
    source.write_text("#include <THC/THC.h>\n", encoding="utf-8")
    with pytest.raises(HeaderMissingError, match=r"THC/THC\.h"):
        process.run([toolchain.cxx().path, "-c", str(source), "-o", str(tmp_path / "old.o")], process.Spent())


def test_another_cuda_major_version_is_blocked_with_both_versions():
    """OpenPCDet#1275: "detected CUDA version mismatches"."""
    with pytest.raises(ToolchainMismatchError, match=r"nvcc 13\.0\.88.*CUDA 11\.7") as caught:
        cuda.check_versions("13.0.88", "11.7", "toolkit", verdict())
    assert "CUDA 11.7 toolkit" in caught.value.hint
    assert caught.value.unavailable, "a missing toolkit is not PyTorch's fault"


def test_another_cuda_minor_version_is_a_warning():
    made = verdict()
    cuda.check_versions("11.8.89", "11.7", "toolkit", made)
    assert "11.8" in made.warning
    assert "11.7" in made.warning


def test_the_same_cuda_version_needs_no_words():
    made = verdict()
    cuda.check_versions("11.7.99", "11.7", "toolkit", made)
    assert made.warning is None


def test_a_host_compiler_that_is_too_new_is_a_mismatch():
    output = (
        "host_config.h:132:2: error: #error -- unsupported GNU version! gcc versions later than 11 are not supported!"
    )
    error = process.explain(["nvcc"], output)
    assert isinstance(error, ToolchainMismatchError)
    assert "NVCC_CCBIN" in error.hint


def test_other_compiler_errors_are_ours():
    error = process.explain(["/usr/bin/g++"], "a.cpp: In function f:\na.cpp:1:2: error: expected ';'\n")
    assert isinstance(error, CompilerError)
    assert "expected ';'" in str(error)
    assert not error.unavailable


def test_a_pytorch_without_cuda_is_unavailable(tmp_path):
    with pytest.raises(ToolchainMismatchError, match="without CUDA"):
        cuda.build(release(tmp_path, "2.4.1+cpu", None), store.Cache(tmp_path), "split", verdict())


def test_no_nvcc_names_the_toolkit_and_the_way_without(tmp_path, monkeypatch):
    monkeypatch.setattr(toolchain, "system_nvcc", lambda: None)
    with pytest.raises(ToolchainMissingError) as caught:
        cuda.find_nvcc(release(tmp_path), "split", verdict())
    assert "11.7" in caught.value.hint
    assert "nvrtc" in caught.value.hint


def test_wheels_of_cuda_13_fit_cuda_13_only(tmp_path):
    with pytest.raises(ToolchainMismatchError, match=r"CUDA 11\.7"):
        cuda.wheel_nvcc(release(tmp_path))
    with pytest.raises(ToolchainMissingError) as caught:
        cuda.wheel_nvcc(release(tmp_path / "site" / "torch", "2.11.0+cu130", "13.0"))
    assert "nvidia-cuda-nvcc" in caught.value.hint


@pytest.mark.parametrize(("number", "standard"), [("1.8.0", "c++14"), ("2.0.1", "c++17"), ("2.12.0", "c++20")])
def test_the_cxx_standard_is_the_one_the_headers_want(tmp_path, number, standard):
    assert release(tmp_path, number).standard == standard


def test_architectures_follow_the_environment(monkeypatch):
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "8.6;9.0+PTX")
    assert cuda.architectures() == ["8.6", "9.0+PTX"]
    assert cuda.arch_flags(["9.0+PTX"]) == ["-gencode", "arch=compute_90,code=compute_90"]


def test_a_failed_build_leaves_nothing_behind(tmp_path):
    cache = store.Cache(tmp_path)

    def fail(folder):
        (folder / "half.o").write_bytes(b"")
        raise CompilerError("no", "")

    with pytest.raises(CompilerError):
        cache.get("kind", "key", fail)
    assert not list(tmp_path.iterdir())


def test_a_build_is_made_once(tmp_path):
    cache, made = store.Cache(tmp_path), []
    for _ in range(2):
        folder, cached = cache.get("kind", "key", made.append)
    assert cached
    assert len(made) == 1
    assert folder == tmp_path / "kind-key"


def test_the_key_changes_with_every_ingredient(tmp_path):
    source = tmp_path / "a.h"
    source.write_text("one", encoding="utf-8")
    first = store.digest(["g++", "-O2"], [source])
    assert store.digest(["g++", "-O3"], [source]) != first
    source.write_text("two", encoding="utf-8")
    assert store.digest(["g++", "-O2"], [source]) != first


def test_the_line_holds_what_the_table_needs():
    made = Verdict("1.8.0", "cuda", "split")
    made.fail(ToolchainMissingError("no nvcc", "install one"))
    record = json.loads(made.line())
    assert record["kind"] == "build"
    assert record["verdict"] == "unavailable"
    assert record["error"] == {"type": "ToolchainMissingError", "message": "no nvcc", "hint": "install one"}
    assert {"reached", "compiler", "flags", "architectures", "seconds", "cpu_seconds", "library"} <= set(record)
