"""Adds the native parts to the wheel: the ONNX Runtime library, where a C++ compiler is found, and the sources.

The rest of the metadata is in pyproject.toml.  ``ONNXGRID_WITHOUT_NATIVE=1`` builds the pure-Python package.
The PyTorch extension is not in the wheel: it belongs to one PyTorch release, so it is built where that is
installed, from the sources that the wheel carries (``python -m onnxgrid_build --json``).
"""

import os
import shutil
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "build_tools"))


def native_library():
    """Path of the built library; None without a compiler, which only costs the package its speed."""
    if os.environ.get("ONNXGRID_WITHOUT_NATIVE"):
        return None
    from onnxgrid_build.cache import Cache
    from onnxgrid_build.core import build_ort_library
    from onnxgrid_build.errors import BuildError
    from onnxgrid_build.process import Spent

    try:
        return build_ort_library(Cache(HERE / "build" / "native"), Spent())
    except BuildError as error:
        sys.stderr.write(f"onnxgrid: no native library in this package: {error}; {error.hint}\n")
        return None


LIBRARY = native_library() if {"build", "bdist_wheel", "build_py", "install"} & set(sys.argv) else None


class BuildWithLibrary(build_py):
    """Copies the library into ``onnxgrid/_native``, the build front-end and the C++ sources beside the package."""

    def run(self):
        super().run()
        ignore = shutil.ignore_patterns("__pycache__")
        tools = Path(self.build_lib) / "onnxgrid_build"
        shutil.copytree(HERE / "build_tools" / "onnxgrid_build", tools, dirs_exist_ok=True, ignore=ignore)
        shutil.copytree(HERE / "csrc", tools / "csrc", dirs_exist_ok=True, ignore=ignore)
        if LIBRARY is not None:
            folder = Path(self.build_lib) / "onnxgrid" / "_native"
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy2(LIBRARY, folder / LIBRARY.name)


class PlatformDistribution(Distribution):
    """Tells that the wheel is for one platform, although no module is compiled."""

    def has_ext_modules(self):
        return LIBRARY is not None


def tag_without_python():
    """Wheels for every Python 3 of the platform: the library does not know Python."""
    try:
        from setuptools.command.bdist_wheel import bdist_wheel
    except ImportError:  # setuptools < 70.1
        from wheel.bdist_wheel import bdist_wheel

    class AnyPython(bdist_wheel):
        def get_tag(self):
            _, _, platform = super().get_tag()
            return "py3", "none", platform

    return AnyPython


setup(
    distclass=PlatformDistribution,
    cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": tag_without_python()},
)
