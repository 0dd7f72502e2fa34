"""Arrays as one object: the same arrays give the same bytes, and nothing in them is ever executed."""

import errno
import io
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from storage.array_files import (
    create_array,
    map_file,
    open_array,
    read_archive,
    read_arrays,
    write_archive,
    write_arrays,
    write_mapped_file,
)
from storage.errors import InsufficientStorage

_ARRAYS: dict[str, NDArray[Any]] = {
    "leaves": np.arange(12, dtype=np.int32).reshape(3, 4),
    "weights": np.array([], dtype=np.int64),
    "low": np.array([-np.inf, 0.5]),
    "members": np.zeros((2, 0)),
}


def test_arrays_come_back_as_they_were() -> None:
    found = read_arrays(write_arrays(_ARRAYS))

    assert list(found) == list(_ARRAYS)
    for name, array in _ARRAYS.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array, strict=True)


def test_the_same_arrays_give_the_same_bytes_at_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = write_arrays(_ARRAYS)
    monkeypatch.setattr(time, "time", lambda: 2e9)

    assert write_arrays(_ARRAYS) == now


def test_objects_are_neither_written_nor_read() -> None:
    objects = np.array([{"a": 1}], dtype=object)
    with pytest.raises(ValueError, match="allow_pickle"):
        write_arrays({"objects": objects})

    archive = io.BytesIO()
    np.savez(archive, allow_pickle=True, objects=objects)
    with pytest.raises(ValueError, match="allow_pickle"):
        read_arrays(archive.getvalue())


def test_an_archive_in_a_file_has_the_same_bytes_and_arrays(tmp_path: Path) -> None:
    path = tmp_path / "outcome"
    write_archive(path, _ARRAYS)

    assert path.read_bytes() == write_arrays(_ARRAYS)
    for name, array in read_archive(path).items():
        np.testing.assert_array_equal(array, _ARRAYS[name], strict=True)


def test_a_file_that_is_an_array_is_filled_in_and_read_back_unchangeable(tmp_path: Path) -> None:
    codes = create_array(tmp_path / "codes", (3, 1000), np.uint8)
    assert not codes.any()
    codes[1, 10:20] = 7

    found = open_array(tmp_path / "codes")

    assert (found.shape, found.dtype.name, int(found.sum())) == ((3, 1000), "uint8", 70)
    with pytest.raises(ValueError, match="read-only"):
        found[0, 0] = 1


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="room on disk cannot be taken in advance here")
def test_the_room_of_an_array_is_taken_before_it_is_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create_array(tmp_path / "codes", (100, 10_000), np.uint8)
    assert (tmp_path / "codes").stat().st_blocks * 512 >= 1_000_000

    def refuse(_descriptor: int, _offset: int, _n_bytes: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    with pytest.raises(InsufficientStorage):
        create_array(tmp_path / "more codes", (100, 10_000), np.uint8)


def test_objects_in_a_file_are_not_read(tmp_path: Path) -> None:
    with (tmp_path / "codes").open("wb") as file:
        np.save(file, np.array([{"a": 1}], dtype=object), allow_pickle=True)

    with pytest.raises(ValueError, match="Python objects"):
        open_array(tmp_path / "codes")


def test_a_mapped_file_has_its_arrays_read_only_and_aligned_even_after_it_is_deleted(tmp_path: Path) -> None:
    records = np.array([(0.5, 3), (-1.0, 4)], dtype=np.dtype([("threshold", np.float64), ("up", np.int32)], align=True))
    blocks = [np.arange(6.0).reshape(3, 2), np.arange(6.0, 8.0).reshape(1, 2)]
    with write_mapped_file(tmp_path / "rows") as writer:
        for name, array in _ARRAYS.items():
            writer.add(name, array)
        writer.add("records", records)
        writer.add_blocks("blocks", (4, 2), np.dtype(np.float64), blocks)

    found = map_file(tmp_path / "rows")
    (tmp_path / "rows").unlink()

    expected = {**_ARRAYS, "blocks": np.arange(8.0).reshape(4, 2)}
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array, strict=True)
        assert found[name].flags.aligned
        assert not found[name].flags.writeable
    assert found["records"].view(records.dtype).tolist() == records.tolist()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_mapped_file_that_the_disk_has_no_room_for_says_so() -> None:
    with pytest.raises(InsufficientStorage), write_mapped_file(Path("/dev/full")) as writer:
        writer.add("rows", np.zeros(100_000))
