"""What has to be known about the PyTorch of this environment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import List, Optional, Tuple


@dataclass(frozen=True)
class Release:
    """One installed PyTorch."""

    version: str  # with its local part, 1.13.1+cu117
    number: Tuple[int, int]
    cuda: Optional[str]
    new_abi: bool
    folder: Path

    @property
    def name(self) -> str:
        """The version without its local part: 1.13.1."""
        return self.version.split("+")[0]

    @property
    def standard(self) -> str:
        """The C++ standard its headers want: c++14 to 1.13, c++17 to 2.11, c++20 from 2.12."""
        if self.number < (2, 0):
            return "c++14"
        return "c++17" if self.number < (2, 12) else "c++20"

    @property
    def cuda_major(self) -> Optional[int]:
        return int(self.cuda.split(".")[0]) if self.cuda else None

    def includes(self) -> List[str]:
        include = self.folder / "include"
        return ["-isystem", str(include), "-isystem", str(include / "torch" / "csrc" / "api" / "include")]

    def defines(self) -> List[str]:
        encoded = 100 * self.number[0] + self.number[1]
        return [f"-DONNXGRID_TORCH={encoded}", f"-D_GLIBCXX_USE_CXX11_ABI={int(self.new_abi)}"]

    def libraries(self) -> List[str]:
        lib = self.folder / "lib"
        names = ["-lc10", "-ltorch_cpu", "-ltorch"]
        if (lib / "libc10_cuda.so").exists():
            names.append("-lc10_cuda")
        # The OpenMP runtime that PyTorch itself uses: another copy would mean a second pool of threads.
        bundled = sorted(lib.glob("libgomp*.so*")) + sorted((self.folder.parent / "torch.libs").glob("libgomp*.so*"))
        names.append(str(bundled[0]) if bundled else "-fopenmp")
        return [f"-L{lib}", "-Wl,--no-as-needed", *names, f"-Wl,-rpath,{lib}"]


def installed() -> Release:
    """The PyTorch that ``import torch`` finds."""
    import torch

    major, minor = torch.__version__.split(".")[:2]
    return Release(
        version=torch.__version__,
        number=(int(major), int(minor)),
        cuda=torch.version.cuda,
        new_abi=bool(torch._C._GLIBCXX_USE_CXX11_ABI),
        folder=Path(torch.__file__).resolve().parent,
    )
