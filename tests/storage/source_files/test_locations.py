"""Files of folders: what is listed and opened lies below the root, and is what it was."""

import os
from pathlib import Path

import pytest

from storage.errors import DatasetChanged, StorageError
from storage.source_files.locations import FolderLocation, ListedFile, open_location
from storage.source_files.roots import Pattern, SourceRoots


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    folder = tmp_path / "lake"
    (folder / "2025").mkdir(parents=True)
    (folder / "2026").mkdir()
    for name in ("2025/b.parquet", "2025/a.parquet", "2026/a.parquet", "2026/a.csv"):
        (folder / name).write_text(name)
    return folder


def _place(lake: Path, files: str) -> tuple[FolderLocation, Pattern]:
    pattern = SourceRoots([f"file://{lake}"]).pattern(f"file://{lake}/{files}")
    location = open_location(pattern.root)
    assert isinstance(location, FolderLocation)
    return location, pattern


def _names(lake: Path, files: str) -> list[str]:
    location, pattern = _place(lake, files)
    return [file.name for file in location.files(pattern)]


def test_stars_name_files_in_folders(lake: Path) -> None:
    assert sorted(_names(lake, "*/*.parquet")) == ["2025/a.parquet", "2025/b.parquet", "2026/a.parquet"]
    assert _names(lake, "2026/a.csv") == ["2026/a.csv"]
    assert _names(lake, "2024/*.parquet") == []
    assert _names(lake, "2026") == []


def test_links_are_followed_below_the_root_and_refused_beyond(lake: Path) -> None:
    (lake / "latest").symlink_to("2026")
    assert _names(lake, "latest/*.parquet") == ["latest/a.parquet"]

    (lake / "2026/z.parquet").symlink_to("/etc/hostname")
    with pytest.raises(StorageError) as refusal:
        _names(lake, "2026/*.parquet")
    assert refusal.value.code == "source_not_allowed"

    (lake.parent / "lake-evil").mkdir()
    (lake / "other").symlink_to(lake.parent / "lake-evil")
    with pytest.raises(StorageError):
        _names(lake, "other/*.parquet")


def _found(lake: Path) -> tuple[FolderLocation, ListedFile]:
    location, pattern = _place(lake, "2026/a.parquet")
    (file,) = location.files(pattern)
    return location, file


def test_a_file_that_became_a_link_after_it_was_listed_is_not_opened(lake: Path, tmp_path: Path) -> None:
    location, file = _found(lake)
    (lake / "2026/a.parquet").unlink()
    (lake / "2026/a.parquet").symlink_to("/etc/hostname")

    with pytest.raises(StorageError) as refusal:
        location.fetch(file, tmp_path / "copy")
    assert refusal.value.code == "source_not_allowed"
    assert not (tmp_path / "copy").exists()


def test_a_pipe_is_not_waited_for(lake: Path) -> None:
    location, _ = _found(lake)
    (lake / "2026/a.parquet").unlink()
    os.mkfifo(lake / "2026/a.parquet")

    with pytest.raises(StorageError) as refusal:
        location.stat("2026/a.parquet")
    assert refusal.value.code == "source_not_allowed"
    assert _names(lake, "2026/*.parquet") == []


def test_a_file_that_is_gone_or_another_is_named(lake: Path, tmp_path: Path) -> None:
    location, file = _found(lake)
    location.fetch(file, tmp_path / "copy")
    assert (tmp_path / "copy").read_text() == "2026/a.parquet"

    (lake / "2026/a.parquet").write_text("2026/b.parquet")
    os.utime(lake / "2026/a.parquet", ns=(1, 1))
    with pytest.raises(DatasetChanged, match=r"2026/a\.parquet' has changed"):
        location.fetch(file, tmp_path / "copy")

    (lake / "2026/a.parquet").unlink()
    with pytest.raises(DatasetChanged, match=r"2026/a\.parquet' is gone"):
        location.stat("2026/a.parquet")
