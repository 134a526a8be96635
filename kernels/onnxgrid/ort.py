"""The operators of the domain ``custom.ops`` for ONNX Runtime, versions 1.7 to 1.32, from one library.

    options = onnxruntime.SessionOptions()
    onnxgrid.ort.register(options)
    session = onnxruntime.InferenceSession("model.onnx", options)

Where the library is: ``ONNXGRID_ORT_LIBRARY``, else inside the installed package.
"""

import ctypes
import mmap
import os

LIBRARY_NAME = "libonnxgrid_ort.so"
# ONNX element types of the floating-point dtypes.
ELEMENTS = {"float32": 1, "float16": 10, "float64": 11, "bfloat16": 16}

_loaded = {}  # path -> ctypes library; a library stays loaded as long as the runtimes that use it


class LibraryNotFoundError(RuntimeError):
    """The compiled library is not part of this installation."""


class WrongLibraryError(RuntimeError):
    """The file is a library, but not one for ONNX Runtime."""


def library_path():
    """Path of the ONNX Runtime library.

    Raises ``LibraryNotFoundError``, with the way to get it, when there is none.
    """
    named = os.environ.get("ONNXGRID_ORT_LIBRARY")
    packaged = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_native", LIBRARY_NAME)
    path = named or packaged
    if os.path.isfile(path):
        return path
    raise LibraryNotFoundError(
        f"there is no {LIBRARY_NAME} at {path}. Install onnxgrid from a wheel, or build it with a C++ compiler: "
        "python -m onnxgrid_build --ort (see docs/kernels.md), and set ONNXGRID_ORT_LIBRARY "
        "to the file."
    )


def register(session_options, path=None, dtype="float32"):
    """Make the operators known to the sessions created with ``session_options``.

    ``dtype`` is that of ``grid`` and ``theta`` (float32, float64, float16 or bfloat16) and matters to
    ONNX Runtime up to 1.14 only: it takes a single declaration per operator.  Later ones run every dtype.

    Raises ``LibraryNotFoundError``, ``WrongLibraryError`` (another library, such as the PyTorch extension) or
    ``ValueError`` (a dtype that is not a floating-point one).
    """
    path = path or library_path()
    if dtype not in ELEMENTS:
        raise ValueError(f"dtype is {dtype!r}; it must be one of {', '.join(ELEMENTS)}")
    _check(path)
    if path not in _loaded:
        _loaded[path] = ctypes.CDLL(path)
    _loaded[path].onnxgrid_ort_choose(ELEMENTS[dtype])
    session_options.register_custom_ops_library(path)


def _check(path):
    """Refuse files that ONNX Runtime would refuse with a message about a missing symbol."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        if content.find(b"onnxgrid_ort_choose") >= 0:
            return
        is_extension = content.find(b"onnxgrid_torch_extension") >= 0
    if is_extension:
        raise WrongLibraryError(
            f"{path} is the PyTorch extension of onnxgrid: PyTorch loads it, ONNX Runtime needs the other "
            "library. Call onnxgrid.ort.register(options) without a path."
        )
    raise WrongLibraryError(f"{path} is not the ONNX Runtime library of onnxgrid")
