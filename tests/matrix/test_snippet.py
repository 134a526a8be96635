"""Every script that advise prints runs as it is printed: here against stand-ins, in tests/real against PyTorch."""

from __future__ import annotations

import contextlib
import sys
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Self

import pytest

from matrix.advise.snippet import snippet
from matrix.probe.cases import CASES
from matrix.probe.routes import DYNAMO, ROUTES

if TYPE_CHECKING:
    from collections.abc import Iterator

PAIRS = [(route.name, case.id) for route in ROUTES.values() for case in CASES.values() if route.serves(case)]

#: Parameters that torch.onnx.export has had since 1.8; and those that the dynamo exporter brought.
SINCE_1_8 = {"opset_version", "input_names", "output_names", "dynamic_axes"}
SINCE_2_5 = {"opset_version", "input_names", "output_names", "dynamic_shapes", "dynamo"}


class Number:
    """Stands for a tensor and for an array."""

    def _same(self, *_: Any) -> Self:
        return self

    __add__ = __radd__ = __sub__ = __mul__ = __rmul__ = __abs__ = numpy = max = _same


class Model:
    def eval(self) -> Self:
        return self

    def __call__(self, *_: Any) -> Number:
        return Number()


class Session:
    def __init__(self, path: str, **_: Any) -> None:
        assert path == "model.onnx"

    def run(self, _: None, feeds: dict[str, Any]) -> list[Number]:
        self.fed = feeds
        return [Number()]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """What the script did, with modules that only write down what they are asked."""
    seen: list[tuple[str, Any]] = []

    def export(model: Any, arguments: Any, path: str | None = None, **options: Any) -> SimpleNamespace:
        seen.append(("export", (len(arguments), path, options)))
        return SimpleNamespace(save=lambda name: seen.append(("save", name)))

    @contextlib.contextmanager
    def exporting(route: str) -> Iterator[None]:
        seen.append(("enter", route))
        yield
        seen.append(("leave", route))

    number = {name: lambda *_, **__: Number() for name in ("randn", "rand", "eye")}
    nn = {"Module": Model, "functional": SimpleNamespace(), "Conv2d": lambda *_, **__: None, "Linear": lambda *_: None}
    torch: dict[str, Any] = {
        "Tensor": Number, "nn": SimpleNamespace(**nn), "no_grad": contextlib.nullcontext,
        "onnx": SimpleNamespace(export=export),
        "export": SimpleNamespace(Dim=lambda name: name), **number,
    }  # fmt: skip
    modules: dict[str, dict[str, Any]] = {
        "torch": torch, "torch.nn": nn,
        "onnxgrid": {"exporting": exporting}, "onnxruntime": {"InferenceSession": Session},
    }  # fmt: skip
    for name, content in modules.items():
        module = ModuleType(name)
        module.__dict__.update(content)
        monkeypatch.setitem(sys.modules, name, module)
    return seen


@pytest.mark.parametrize(("route", "case"), PAIRS)
def test_the_script_exports_the_measured_class_by_the_route(
    route: str, case: str, calls: list[tuple[str, Any]]
) -> None:
    two = ROUTES[route].exporter == DYNAMO
    script = snippet(route, case, 17, two_exporters=two)
    assert script is not None
    exec(compile(script, "printed", "exec"), {"__name__": "__main__", "print": lambda *_: None})
    happened = [name for name, _ in calls]
    plain = ["export", "save"] if two else ["export"]
    assert happened == (["enter", *plain, "leave"] if ROUTES[route].helper else plain)
    if ROUTES[route].helper:
        assert calls[0] == ("enter", ROUTES[route].helper)
    count, path, options = next(value for name, value in calls if name == "export")
    assert options["opset_version"] == 17
    assert count == len(options["input_names"]) == len(CASES[case].input_names)
    assert set(options) == (SINCE_2_5 if two else SINCE_1_8)
    assert path == (None if two else "model.onnx")
    if two:
        assert len(options["dynamic_shapes"]) == count
    else:
        assert options["dynamic_axes"] == CASES[case].dynamic_axes


def test_a_release_with_two_exporters_is_told_which(calls: list[tuple[str, Any]]) -> None:
    script = snippet("shim", "affine_grid-2d", 11, two_exporters=True)
    assert script is not None
    exec(script, {"__name__": "__main__", "print": lambda *_: None})
    assert next(value for name, value in calls if name == "export")[2]["dynamo"] is False


def test_a_case_of_ones_own_has_no_script() -> None:
    assert snippet("shim", "my_model", 11, two_exporters=False) is None
