"""What a case is about, as arrays in one file: inputs at both sizes, and what eager PyTorch makes of them.

A further runtime judges an exported file by this alone; it needs neither PyTorch nor the case's module. The name of
the file is made from its content, inputs first: ``<inputs>-<outputs>``. Inputs are the same for every release, eager
outputs differ where releases round differently.
"""

from __future__ import annotations

import hashlib
import os
from typing import Any, Dict, List, Mapping, Sequence, Tuple

import numpy

Feeds = Dict[str, Any]
Arrays = Tuple[Any, ...]


def name_of(feeds: Sequence[Mapping[str, Any]], expected: Sequence[Sequence[Any]]) -> str:
    """The name, without ending, of the file that holds these arrays (one mapping and one sequence per size)."""
    inputs = [(key, array) for size in feeds for key, array in size.items()]
    outputs = [("", array) for size in expected for array in size]
    return "{}-{}".format(_digest(inputs), _digest(outputs))


def inputs_part(name: str) -> str:
    """What two names have in common when their inputs are the same."""
    return name.split("-", 1)[0]


def store(folder: str, name: str, feeds: Sequence[Mapping[str, Any]], expected: Sequence[Sequence[Any]]) -> None:
    """Write ``folder/name.npz`` unless it exists; nothing without a folder."""
    path = os.path.join(folder, name + ".npz")  # noqa: PTH118
    if not folder or os.path.exists(path):  # noqa: PTH110
        return
    arrays: Dict[str, Any] = {}
    for size, (inputs, outputs) in enumerate(zip(feeds, expected)):
        for key, array in inputs.items():
            arrays["{}.input.{}".format(size, key)] = array
        for position, array in enumerate(outputs):
            arrays["{}.output.{}".format(size, position)] = array
    temporary = "{}.{}".format(path, os.getpid())
    with open(temporary, "wb") as stream:  # noqa: PTH123
        numpy.savez_compressed(stream, **arrays)
    os.replace(temporary, path)  # noqa: PTH105


def load(path: str) -> Tuple[List[Feeds], List[Arrays]]:
    """The inputs by name and the expected outputs in their order, one item per size."""
    feeds: List[Feeds] = []
    outputs: List[List[Any]] = []
    with numpy.load(path) as stored:
        for key in stored.files:  # in the order in which they were stored
            size, kind, name = key.split(".", 2)
            while len(feeds) <= int(size):
                feeds.append({})
                outputs.append([])
            if kind == "input":
                feeds[int(size)][name] = stored[key]
            else:
                outputs[int(size)].append(stored[key])
    return feeds, [tuple(arrays) for arrays in outputs]


def _digest(arrays: Sequence[Tuple[str, Any]]) -> str:
    total = hashlib.sha256()
    for key, array in arrays:
        total.update("{} {} {}\n".format(key, array.dtype.str, array.shape).encode())
        total.update(numpy.ascontiguousarray(array).tobytes())
    return total.hexdigest()[:12]
