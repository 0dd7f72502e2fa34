"""Where things are kept follows from few settings, and what cannot be meant is refused."""

from pathlib import Path

import pytest

from storage.local_objects import LocalObjects
from storage.remote_objects import RemoteObjects, open_objects
from storage.settings import embedded


def test_without_further_settings_everything_is_in_the_data_directory(tmp_path: Path) -> None:
    settings = embedded(tmp_path)

    assert (settings.objects_dir, settings.bucket_url) == (tmp_path / "objects", None)
    assert isinstance(open_objects(settings), LocalObjects)


def test_objects_may_be_in_any_folder(tmp_path: Path) -> None:
    folder = tmp_path / "100% odd näme"

    settings = embedded(tmp_path / "data", object_store_url=folder.as_uri())

    sha256 = open_objects(settings).put(b"some rows")
    assert (folder / sha256[:2] / sha256).read_bytes() == b"some rows"


def test_copies_of_what_is_in_a_bucket_are_never_where_local_objects_are(tmp_path: Path) -> None:
    settings = embedded(tmp_path, object_store_url="s3://bucket/some/prefix", cache_bytes=5)

    assert isinstance(open_objects(settings), RemoteObjects)
    assert (settings.bucket_url, settings.cache_bytes) == ("s3://bucket/some/prefix", 5)
    assert settings.objects_dir != embedded(tmp_path).objects_dir


@pytest.mark.parametrize(
    "url", ["", "/var/objects", "file://", "file:///", "file://elsewhere/objects", "s3://", "s3:bucket", "ftp://host/a"]
)
def test_what_is_no_url_of_a_store_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(ValueError, match="LEAFSPACE_OBJECT_STORE_URL must be"):
        embedded(tmp_path, object_store_url=url)
