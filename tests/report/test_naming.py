"""File names, ranges, letters and commands."""

from __future__ import annotations

import shlex

import pytest

from matrix.report.naming import command, letters, ranges, slug


@pytest.mark.parametrize(
    ("opsets", "text"),
    [
        ([], ""),
        ([9], "9"),
        ([9, 10, 11], "9–11"),
        ([7, 9, 10, 13], "7, 9–10, 13"),
        ([11, 7, 9, 8, 10], "7–11"),
    ],
)
def test_opsets_are_written_as_people_write_them(opsets: list[int], text: str) -> None:
    assert ranges(opsets, range(7, 26)) == text


def test_neighbours_on_the_axis_are_joined_even_when_numbers_are_missing_between_them() -> None:
    assert ranges([11, 15, 16], [11, 15, 16, 20]) == "11–16"


def test_a_harmless_name_is_its_own_file_name() -> None:
    assert slug("grid_sample-bilinear-zeros-4d") == "grid_sample-bilinear-zeros-4d"
    assert slug("1.8.0") == "1.8.0"


@pytest.mark.parametrize("name", ["../../etc/passwd", "<img src=x>", "", "A", ".hidden", "x" * 500, "a/b", "网格"])
def test_any_other_name_becomes_a_harmless_one_of_its_own(name: str) -> None:
    assert all(character in "abcdefghijklmnopqrstuvwxyz0123456789_.-" for character in slug(name))
    assert slug(name)[0].isalnum()
    assert len(slug(name)) <= 121
    assert slug(name) != slug(name + " ")


def test_every_route_has_a_letter_of_its_own() -> None:
    routes = ["native", "dynamo", "shim", "contrib", "custom", "fused", "mmcv", "shim@dynamo", "custom@dynamo"]
    given = letters(routes)
    assert list(given.values()) == ["n", "d", "s", "c", "u", "f", "m", "S", "C"]


@pytest.mark.parametrize("case", ["grid_sample-bilinear-zeros-4d", "it's; rm -rf $HOME"])
def test_the_command_names_exactly_the_cell_to_a_shell(case: str) -> None:
    cell = f"torch-1.8.0/opset-11/shim/{case}"
    assert shlex.split(command(cell)) == ["nox", "-s", "matrix", "--", "--cell", cell, "--again"]
