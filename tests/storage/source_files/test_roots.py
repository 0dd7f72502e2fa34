"""Addresses are below a root, or they are refused, however they are written."""

import time

import pytest

from storage.errors import StorageError
from storage.source_files.roots import Address, Pattern, SourceRoots, read_roots

_ROOTS = SourceRoots(["s3://lake/scored/", "file:///data/lake", "s3://lake/scored/2026"])


@pytest.mark.parametrize(
    ("files", "root", "segments"),
    [
        ("s3://lake/scored/2025/*.parquet", "s3://lake/scored", ("2025", "*.parquet")),
        ("s3://lake/scored/2026/a.parquet", "s3://lake/scored/2026", ("a.parquet",)),
        ("file:///data/lake/a/*/part-*.parquet", "file:///data/lake", ("a", "*", "part-*.parquet")),
        ("/data/lake/a b.parquet", "file:///data/lake", ("a b.parquet",)),
    ],
)
def test_files_below_a_root_are_found_from_the_narrowest(files: str, root: str, segments: tuple[str, ...]) -> None:
    pattern = _ROOTS.pattern(files)

    assert (pattern.root.url, pattern.segments) == (root, segments)


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ("s3://lake-evil/scored/a.parquet", "source_not_allowed"),
        ("s3://lake/scored-evil/a.parquet", "source_not_allowed"),
        ("s3://lake/a.parquet", "source_not_allowed"),
        ("s3://lake/scored", "source_not_allowed"),  # the root itself
        ("s3://lake/*/a.parquet", "source_not_allowed"),
        ("file:///data/lake2/a.parquet", "source_not_allowed"),
        ("file:///etc/passwd", "source_not_allowed"),
        ("file:///data/lake/../secrets/a.parquet", "validation_failed"),
        ("s3://lake/scored/../private/a.parquet", "validation_failed"),
        ("s3://lake/scored/./a.parquet", "validation_failed"),
        ("s3://lake/scored//a.parquet", "validation_failed"),
        ("s3://lake/scored/%2e%2e/a.parquet", "validation_failed"),
        ("s3://lake/scored/a.parquet?versionId=1", "validation_failed"),
        ("s3://key:secret@lake/scored/a.parquet", "validation_failed"),
        ("s3://lake/scored/a\x00.parquet", "validation_failed"),
        ("file://elsewhere/data/lake/a.parquet", "validation_failed"),
        ("http://169.254.169.254/latest/meta-data", "validation_failed"),
        ("data/lake/a.parquet", "validation_failed"),
        ("S3://lake/scored/a.parquet", "validation_failed"),
        ("s3://lake/scored/" + "a" * 1100, "validation_failed"),
    ],
)
def test_everything_else_is_refused(files: str, code: str) -> None:
    with pytest.raises(StorageError) as refusal:
        _ROOTS.pattern(files)

    assert (refusal.value.code, refusal.value.pointer) == (code, "/source/files")


def test_nothing_is_allowed_unless_the_operator_names_it() -> None:
    with pytest.raises(StorageError, match="LEAFSPACE_DATASET_SOURCES"):
        SourceRoots([]).pattern("s3://lake/scored/a.parquet")


@pytest.mark.parametrize(
    "root", ["lake", "s3://", "s3://lake/*", "file:///", "/", "https://lake.example", "s3://a/../b"]
)
def test_a_root_that_is_none_stops_the_start(root: str) -> None:
    with pytest.raises(ValueError, match="is not a root for datasets"):
        read_roots(f"s3://lake, {root}")


def test_roots_are_separated_by_commas() -> None:
    assert read_roots(" s3://lake/, file:///data/lake/ ,,/srv/a b") == (
        "s3://lake",
        "file:///data/lake",
        "file:///srv/a b",
    )
    assert read_roots("") == ()


def test_a_star_stands_for_characters_of_one_segment() -> None:
    pattern = _ROOTS.pattern("file:///data/lake/2026-*/[a].parq*et")

    assert pattern.matches(("2026-01", "[a].parquet"))
    assert not pattern.matches(("2026-01", "a.parquet"))
    assert not pattern.matches(("2026-01", "deeper", "[a].parquet"))
    assert pattern.matches(("2026-",))
    assert pattern.folder == ()


def test_patterns_of_many_stars_take_no_time() -> None:
    segment = "part-" + "0" * 200

    started = time.process_time()
    assert not _ROOTS.pattern(f"file:///data/lake/{'*0' * 100}x").matches((segment,))
    assert _ROOTS.pattern(f"file:///data/lake/{'*0' * 100}*").matches((segment,))
    assert time.process_time() - started < 1  # a regular expression takes longer than anybody lives


@pytest.mark.parametrize(
    ("pattern", "segment", "matches"),
    [
        ("a*", "a", True),
        ("*a", "ba", True),
        ("a*a", "a", False),
        ("a*b*a", "aba", True),
        ("a*b*ba", "aba", False),
        ("*b*b*", "ab", False),
        ("**", "", True),
        ("*.csv", "a\n.csv", True),
    ],
)
def test_no_character_is_matched_twice(pattern: str, segment: str, *, matches: bool) -> None:
    found = Pattern(Address("file", "", ()), (pattern,))

    assert found.matches((segment,)) is matches


def test_a_manifest_is_not_read_once_its_root_is_no_longer_allowed() -> None:
    assert _ROOTS.root("s3://lake/scored/2024").segments == ("scored", "2024")
    with pytest.raises(StorageError) as refusal:
        _ROOTS.root("s3://lake")
    assert refusal.value.code == "source_not_allowed"
