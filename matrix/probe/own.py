"""Cases of the user's own: a file declares them, every environment measures them like the built-in ones.

    import torch
    from matrix.probe.own import case

    @case(inputs=[((1, 3, 8, 8),), ((2, 3, 5, 9),)], dynamic_axes={"x": {0: "n", 2: "h", 3: "w"}})
    def unfold():
        return torch.nn.Unfold(3)

The file is executed inside each environment. The host only reads it (``matrix.own``), so the names and the
requirements must stand there as they are.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import traceback
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import torch

from matrix.probe import cell
from matrix.probe import data as case_data
from matrix.probe.cases import CASES, Case
from matrix.probe.modules import eager

#: What the ids of such cases begin with; also their group in the table.
PREFIX, GROUP = "own-", "own"

_DECLARED: Dict[str, "Declaration"] = {}


class CaseFileError(Exception):
    """Something in the user's file failed; the message begins with its line."""


class Declaration:
    """One decorated factory and what was said of it."""

    def __init__(self, factory: Callable[[], Any], inputs: Any, case_: Case) -> None:
        self.factory, self.inputs, self.case = factory, inputs, case_
        self.failure: Optional[CaseFileError] = None


def case(
    *,
    inputs: Any,
    dynamic_axes: Mapping[str, Mapping[int, str]],
    name: str = "",
    outputs: Sequence[str] = ("output",),
    atol: float = 1e-5,
    rtol: float = 1e-5,
    operators: Sequence[str] = (),
    rank: int = 4,
    requirements: Sequence[str] = (),  # noqa: ARG001 - read by the host
) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Declare a case: the decorated function makes the ``nn.Module``, in evaluation mode or not.

    ``inputs`` holds the inputs at the traced and at a second size: two tuples of shapes (standard normal float32), of
    tensors, or a function of 0 or 1 that returns tensors. ``dynamic_axes`` names every input in its order, with its
    dynamic axes, and may name the ``outputs``' axes. ``operators`` says which of ``grid_sample``, ``affine_grid`` and
    ``rot90`` the model calls, so that the routes that replace them are measured too; ``rank`` is that of the sampled
    input. ``requirements`` are installed beside PyTorch, into an environment of their own. The name defaults to the
    function's.
    """

    def declare(factory: Callable[[], Any]) -> Callable[[], Any]:
        id_ = PREFIX + (name or factory.__name__)
        axes = {key: dict(value) for key, value in dynamic_axes.items()}
        for output in outputs:
            axes.setdefault(output, {})
        declared = Case(
            id=id_, group=GROUP, operators=tuple(operators), rank=rank, module=GROUP, arguments={}, inputs=GROUP,
            dynamic_axes=axes, outputs=tuple(outputs), atol=atol, rtol=rtol,
        )  # fmt: skip
        _DECLARED[id_] = Declaration(factory, inputs, declared)
        return factory

    return declare


class OwnPrepared(cell.Prepared):
    """A declared case: its module with the weights that it has, its inputs, and what eager PyTorch makes of them."""

    def __init__(self, case: Case) -> None:
        declared = _DECLARED[case.id]
        if declared.failure is not None:
            raise declared.failure
        try:
            torch.manual_seed(0)
            self.case = declared.case
            self.module = declared.factory().eval()
            for parameter in self.module.parameters():
                parameter.requires_grad_(False)
            self.inputs = [_inputs(declared.inputs, size) for size in (0, 1)]
            self.expected = [eager(self.module, arguments) for arguments in self.inputs]
        except Exception as error:
            declared.failure = failure(error)
            raise declared.failure from error
        self.feeds = [
            {name: tensor.numpy() for name, tensor in zip(self.case.input_names, arguments)}
            for arguments in self.inputs
        ]
        self.data = case_data.name_of(self.feeds, self.expected)


def install(paths: Sequence[str]) -> Optional[CaseFileError]:
    """Execute the files and make their cases known to this process and its children; what failed first, or None."""
    for path in paths:
        sys.path.insert(0, os.path.dirname(path))  # noqa: PTH120 - what lies beside the file can be imported
        try:
            spec = importlib.util.spec_from_file_location("matrix_cases_" + str(len(_DECLARED)), path)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module
            spec.loader.exec_module(module)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever the user's file raises, sys.exit() included
            return failure(error)
    CASES.update({id_: declared.case for id_, declared in _DECLARED.items()})
    original = cell.Prepared
    cell.Prepared = lambda case: OwnPrepared(case) if case.id in _DECLARED else original(case)  # type: ignore[misc,assignment]
    return None


def failure(error: BaseException) -> CaseFileError:
    """The error with the last line of the user's own files that it came through."""
    places = [
        (frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__) if _is_own(frame.filename)
    ]
    if isinstance(error, SyntaxError) and error.filename and _is_own(error.filename):
        places.append((error.filename, error.lineno))
    where = "{}:{}: ".format(os.path.basename(places[-1][0]), places[-1][1]) if places else ""  # noqa: PTH119
    first = (str(error).strip().splitlines() or [""])[0]
    return CaseFileError("{}{}: {}".format(where, type(error).__name__, first))


def _is_own(path: str) -> bool:
    """Neither an installed package, nor the standard library, nor ours."""
    ours = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120
    others = [sys.prefix, sys.base_prefix, os.path.join(ours, "matrix"), os.path.join(ours, "kernels")]  # noqa: PTH118
    path = os.path.abspath(path)  # noqa: PTH100
    return os.path.isfile(path) and not any(path.startswith(folder + os.sep) for folder in others)  # noqa: PTH113


def _inputs(declared: Any, size: int) -> Tuple[Any, ...]:
    given = declared(size) if callable(declared) else declared[size]
    if isinstance(given, torch.Tensor):
        given = (given,)
    return tuple(item if isinstance(item, torch.Tensor) else torch.randn(*item) for item in given)


def broken(cells: List[Dict[str, Any]], error: CaseFileError) -> Dict[int, Dict[str, Any]]:
    """Records of the cells whose case could not be declared."""
    record = {"verdict": "error", "stage": "export", "error": {"type": "CaseFileError", "message": str(error)}}
    return {index: record for index, item in enumerate(cells) if item["case"].startswith(PREFIX)}
