"""envs/torch.toml and what is derived from it."""

import pytest

from matrix import catalog as catalogs
from matrix import locks
from matrix.catalog import Catalog
from matrix.errors import CatalogError, UnknownNameError

RELEASES = (
    "1.8.0 1.9.1 1.10.2 1.11.0 1.12.1 1.13.1 2.0.1 2.1.2 2.2.2 2.3.1 2.4.1 2.5.1 2.6.0 2.7.1 2.8.0 2.9.1 2.10.0 "
    "2.11.0 2.12.0 2.13.0 2.14.1 2.15.0"
).split()


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return catalogs.load()


def test_the_catalog_lists_the_releases_from_old_to_new(catalog: Catalog) -> None:
    assert [release.version for release in catalog.releases] == RELEASES


def test_every_release_has_a_lock_that_pins_it_with_hashes_and_no_index(catalog: Catalog) -> None:
    for release in catalog.releases:
        text = locks.read(release)
        assert text is not None
        assert f"\ntorch=={release.version} \\\n    --hash=sha256:" in text
        assert "http" not in text
        assert (locks.download_bytes(release) or 0) > 500e6


def test_locks_are_made_from_the_requirements_of_the_catalog(catalog: Catalog) -> None:
    for release in catalog.releases:
        text = locks.read(release) or ""
        required = [line.removeprefix("# requires: ") for line in text.splitlines() if line.startswith("# requires: ")]
        assert required == catalog.requirements_of(release)


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("1.8.0", {"numpy<2", "setuptools<81"}),
        ("2.2.2", {"numpy<2"}),
        ("2.3.1", set()),
        ("2.1.9", {"numpy<2", "setuptools<81"}),
    ],
)
def test_pins_hold_for_a_range_of_releases(catalog: Catalog, version: str, expected: set[str]) -> None:
    requirements = catalog.requirements_of(catalog.release(version))
    assert {requirement for requirement in requirements if "<" in requirement} == expected


def test_only_releases_with_the_dynamo_exporter_get_onnxscript(catalog: Catalog) -> None:
    with_dynamo = [r.version for r in catalog.releases if "onnxscript" in catalog.requirements_of(r)]
    assert with_dynamo == RELEASES[RELEASES.index("2.5.1") :]


@pytest.mark.parametrize(
    ("version", "base"), [("1.8.1", "1.8.0"), ("2.0.0", "2.0.1"), ("2.10.3", "2.10.0"), ("2.16.0", "2.15.0")]
)
def test_another_patch_release_is_derived_from_its_neighbour(catalog: Catalog, version: str, base: str) -> None:
    release = catalog.release(version)
    assert (release.version, release.derived_from) == (version, base)
    assert (release.python, release.exporters) == (catalog.release(base).python, catalog.release(base).exporters)


def test_another_spelling_of_a_release_is_that_release(catalog: Catalog) -> None:
    assert catalog.release("1.8.00") is catalog.release("1.8.0")
    assert catalog.release("newest") is catalog.releases[-1]


@pytest.mark.parametrize("version", ["1.7.0", "abc", "", "2.13", "2.13.0+cpu", "-1"])
def test_what_cannot_be_derived_is_refused(catalog: Catalog, version: str) -> None:
    with pytest.raises(UnknownNameError):
        catalog.release(version)


def test_a_mistyped_release_is_answered_with_close_ones(catalog: Catalog) -> None:
    with pytest.raises(UnknownNameError, match=r"Perhaps you meant .*2\.13\.0"):
        catalog.release("2.13.")


def test_a_broken_catalog_names_the_file(tmp_path: catalogs.Path) -> None:
    path = tmp_path / "torch.toml"
    path.write_text("[rule]\n")
    with pytest.raises(CatalogError, match=r"torch\.toml"):
        catalogs.load(path)
