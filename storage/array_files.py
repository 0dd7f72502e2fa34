"""Arrays as objects: NumPy's own formats, never with pickled objects inside.

Several small arrays go into one archive (``.npz``); one that is too large to be held is a file that is mapped
(``.npy``); several of these are one mapped file, of the arrays' bytes and a directory in JSON at its end.
"""

import io
import json
import mmap
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .errors import translate_disk_full

_ALIGNMENT = 64  # a line of the processor's caches
_LENGTH_BYTES = 8  # of the directory's length, which ends the file


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


class MappedFileWriter:
    """Writes arrays into one file, one after the other, so that none but the one being written need be in memory."""

    def __init__(self, file: io.BufferedWriter) -> None:
        self._file = file
        self._directory: dict[str, dict[str, Any]] = {}

    def add(self, name: str, array: NDArray[Any]) -> None:
        """Write an array."""
        self.add_blocks(name, array.shape, array.dtype, [array])

    def add_blocks(
        self, name: str, shape: tuple[int, ...], dtype: np.dtype[Any], blocks: Iterable[NDArray[Any]]
    ) -> None:
        """Write an array that arrives in blocks of consecutive lines, one after the other."""
        self._file.write(b"\0" * (-self._file.tell() % _ALIGNMENT))
        descr = np.lib.format.dtype_to_descr(dtype)
        self._directory[name] = {"start": self._file.tell(), "shape": shape, "dtype": descr}
        for block in blocks:
            self._file.write(np.ascontiguousarray(block, dtype=dtype).data)

    def finish(self) -> None:
        """Write the directory."""
        text = json.dumps(self._directory).encode()
        self._file.write(text + len(text).to_bytes(_LENGTH_BYTES, "little"))


@contextmanager
def write_mapped_file(path: Path) -> Iterator[MappedFileWriter]:
    """Yield a writer of a file that ``map_file`` reads; raise ``InsufficientStorage`` on a full disk."""
    with translate_disk_full(), path.open("wb") as file:
        writer = MappedFileWriter(file)
        yield writer
        writer.finish()


def map_file(path: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file that ``write_mapped_file`` wrote, mapped read-only: only what is used takes memory.

    The mapping lasts as long as any of them does, even where the file is deleted meanwhile.
    """
    with path.open("rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    end = len(content) - _LENGTH_BYTES
    directory = json.loads(content[end - int.from_bytes(content[end:], "little") : end])
    return {name: _mapped(content, entry) for name, entry in directory.items()}


def _mapped(content: mmap.mmap, entry: Mapping[str, Any]) -> NDArray[Any]:
    descr = entry["dtype"]
    dtype = np.dtype(descr if isinstance(descr, str) else [tuple(field) for field in descr])
    count = int(np.prod(entry["shape"], dtype=np.int64))
    values: NDArray[Any] = np.frombuffer(content, dtype, count, entry["start"]).reshape(entry["shape"])
    return values


def _members(source: Path | io.BytesIO, names: Collection[str] = ()) -> dict[str, NDArray[Any]]:
    with np.load(source, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files if not names or name in names}
