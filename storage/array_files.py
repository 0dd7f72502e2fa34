"""Arrays as objects: NumPy's own formats, never with pickled objects inside.

Several small arrays go into one archive (``.npz``); one that is too large to be held is a file that is mapped
(``.npy``).
"""

import io
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .errors import translate_disk_full


def write_arrays(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the bytes of an archive of these arrays; the same arrays give the same bytes."""
    target = io.BytesIO()
    np.savez(target, allow_pickle=False, **arrays)  # members carry a fixed date, not the time of writing
    return target.getvalue()


def read_arrays(data: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of an archive."""
    return _members(io.BytesIO(data))


def write_archive(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write the archive that ``write_arrays`` returns to a file, without holding it in memory."""
    with translate_disk_full(), path.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def read_archive(path: Path, *names: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of an archive in a file, or those of these names that it has; the others are not read."""
    return _members(path, names)


def create_array(path: Path, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Return an array of zeros that is a new file, mapped: it need not fit into memory, and lies there already.

    Raises
    ------
    InsufficientStorage
        If the disk has no room for it. The room is taken now: a disk that is full when a mapped array is written to
        would end the process.
    """
    with translate_disk_full():
        array: NDArray[Any] = np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=shape)
        if hasattr(os, "posix_fallocate"):
            with path.open("r+b") as file:
                os.posix_fallocate(file.fileno(), 0, path.stat().st_size)
    return array


def open_array(path: Path) -> NDArray[Any]:
    """Return the array of a file, mapped read-only."""
    array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    return array


def _members(source: Path | io.BytesIO, names: Collection[str] = ()) -> dict[str, NDArray[Any]]:
    with np.load(source, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files if not names or name in names}
