"""The data of a case is kept once per distinct content, and compared as the environments compare."""

from pathlib import Path
from typing import Any

import numpy

from matrix.probe import data
from matrix.probe.comparison import compare, worse_of

FEEDS = [{"input": numpy.arange(6.0, dtype="float32").reshape(2, 3), "grid.x": numpy.zeros((1, 2))} for _ in range(2)]
OUTPUTS = [(numpy.ones(3, dtype="float32"), numpy.zeros((), dtype="int64")) for _ in range(2)]


def test_what_was_stored_is_loaded_with_names_order_and_dtypes(tmp_path: Path) -> None:
    data.store(str(tmp_path), "x", FEEDS, OUTPUTS)
    feeds, outputs = data.load(str(tmp_path / "x.npz"))
    assert [list(size) for size in feeds] == [["input", "grid.x"]] * 2
    for got, want in zip(feeds, FEEDS, strict=True):
        for name, array in want.items():
            numpy.testing.assert_array_equal(got[name], array, strict=True)
    for got_outputs, want_outputs in zip(outputs, OUTPUTS, strict=True):
        for array, want_array in zip(got_outputs, want_outputs, strict=True):
            numpy.testing.assert_array_equal(array, want_array, strict=True)


def test_a_file_that_is_there_is_not_written_again(tmp_path: Path) -> None:
    (tmp_path / "x.npz").write_bytes(b"there")
    data.store(str(tmp_path), "x", FEEDS, OUTPUTS)
    assert (tmp_path / "x.npz").read_bytes() == b"there"
    data.store("", "x", FEEDS, OUTPUTS)


def test_names_agree_in_their_first_part_where_only_the_outputs_differ() -> None:
    other: list[Any] = [(numpy.nextafter(numpy.ones(3, "float32"), 2), *size[1:]) for size in OUTPUTS]
    first, second = data.name_of(FEEDS, OUTPUTS), data.name_of(FEEDS, other)
    assert first != second
    assert data.inputs_part(first) == data.inputs_part(second)
    assert data.name_of(FEEDS, OUTPUTS) == first


def test_names_differ_for_the_same_bytes_of_another_shape_dtype_or_input() -> None:
    flat = [{**size, "input": size["input"].reshape(-1)} for size in FEEDS]
    recast = [{**size, "input": size["input"].view("int32")} for size in FEEDS]
    renamed = [{"image": size["input"], "grid.x": size["grid.x"]} for size in FEEDS]
    names = {data.inputs_part(data.name_of(feeds, OUTPUTS)) for feeds in (FEEDS, flat, recast, renamed)}
    assert len(names) == 4


def test_the_worst_of_all_runs_counts_and_nothing_finite_is_as_bad_as_another_shape() -> None:
    want = [numpy.zeros(2)]
    right, errors = compare([[numpy.zeros(2)], [numpy.array([0.0, 0.5])]], want, 1e-5, 1e-5)
    assert not right
    assert errors["max_abs_error"] == 0.5
    other, infinite = compare([[numpy.zeros(3)]], want, 1e-5, 1e-5)
    assert not other
    assert worse_of(errors, infinite)["max_abs_error"] is None
    assert worse_of(errors, {"max_abs_error": 0.25, "max_rel_error": 9e9})["max_abs_error"] == 0.5
