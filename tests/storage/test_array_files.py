"""Arrays as one object: the same arrays give the same bytes, and nothing in them is ever executed."""

import io
import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from storage.array_files import read_arrays, write_arrays

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
