"""Files of a bucket are fetched as they were registered, from a real S3 server."""

from pathlib import Path
from secrets import token_hex

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from storage.bucket import Bucket
from storage.dataset_files import DatasetFile
from storage.errors import DatasetChanged, StorageError
from storage.manifests import Manifest
from storage.source_files.locations import ListedFile, open_location
from storage.source_files.part_facts import Agreement
from storage.source_files.registering import ManifestParts, make_manifest
from storage.source_files.roots import SourceRoots
from storage.source_files.sources import SourceFiles, SourceSettings
from tests.support.storage_servers import S3Server


@pytest.fixture
def lake(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the address of an empty prefix."""
    for name, value in s3_server.environment.items():
        monkeypatch.setenv(name, value)
    return f"s3://objects/{token_hex(8)}"


def _put(lake: str, name: str, start: int, folder: Path) -> None:
    pq.write_table(pa.table({"x": np.arange(start, start + 3), "kind": ["a", "b", str(start)]}), folder / "file")
    Bucket(lake).write(name, folder / "file")


def _register(sources: SourceFiles, files: str, folder: Path) -> Manifest:
    return make_manifest(sources, files, Agreement(None, None, None), lambda _share, _stage: None, folder)


def test_files_of_a_bucket_are_one_dataset_until_one_changes(lake: str, tmp_path: Path) -> None:
    for name, start in (("lake/2026/b.parquet", 3), ("lake/2026/a.parquet", 0), ("lake-evil/a.parquet", 6)):
        _put(lake, name, start, tmp_path)
    Bucket(lake).write("lake/2026/notes.txt", b"none")
    sources = SourceFiles(SourceSettings((f"{lake}/lake",), tmp_path / "cache"))

    manifest = _register(sources, f"{lake}/lake/*/*.parquet", tmp_path)

    assert [file.name for file in manifest.files] == ["2026/a.parquet", "2026/b.parquet"]
    other_host = SourceFiles(SourceSettings((lake,), tmp_path / "other"))
    with DatasetFile(ManifestParts(manifest, other_host)) as file:
        assert file.read_columns(["x"], 2, 5)[0].tolist() == [2, 3, 4]
        assert file.take([5])[0]["values"] == [{"name": "x", "value": 5.0}, {"name": "kind", "value": "3"}]
    one = _register(sources, f"{lake}/lake/2026/a.parquet", tmp_path)
    assert [file.name for file in one.files] == ["2026/a.parquet"]
    with pytest.raises(StorageError, match="no file has an address such as"):
        _register(sources, f"{lake}/lake/2026/c.parquet", tmp_path)

    _put(lake, "lake/2026/b.parquet", 4, tmp_path)
    for reader in (sources, other_host):
        with (
            DatasetFile(ManifestParts(manifest, reader)) as file,
            pytest.raises(DatasetChanged, match=r"2026/b\.parquet' has changed"),
        ):
            file.read_columns(["x"])
    Bucket(lake).delete("lake/2026/b.parquet")
    with DatasetFile(ManifestParts(manifest, sources)) as file, pytest.raises(DatasetChanged, match="is gone"):
        file.read_columns(["x"])


def test_a_file_is_fetched_with_its_entity_tag_or_not_at_all(lake: str, tmp_path: Path) -> None:
    data = np.random.default_rng(0).bytes((8 << 20) + 5)  # fetched in two requests
    Bucket(lake).write("a", data)
    location = open_location(SourceRoots([lake]).pattern(f"{lake}/a").root)
    found = location.stat("a")

    assert location.fetch(found, tmp_path / "copy") == found.version
    assert (tmp_path / "copy").read_bytes() == data
    with pytest.raises(DatasetChanged):
        location.fetch(ListedFile("a", len(data), '"another"'), tmp_path / "copy")
    Bucket(lake).write("a", data[:-1] + b"x")
    with pytest.raises(DatasetChanged):
        location.fetch(found, tmp_path / "copy")


def test_a_bucket_that_there_is_not_is_a_refusal(lake: str, tmp_path: Path) -> None:
    assert lake.startswith("s3://")
    sources = SourceFiles(SourceSettings(("s3://there-is-none",), tmp_path / "cache"))

    with pytest.raises(StorageError, match="does not let this service read") as refusal:
        _register(sources, "s3://there-is-none/*.parquet", tmp_path)
    assert refusal.value.code == "source_not_allowed"
