"""SharedMemory: what the API processes of one host know together, in pages that all of them map.

The supervisor opens the memory and hands it to each process, so that it outlives any of them. Locks are those of POSIX
files: the kernel frees what a killed process held. They are between processes; threads of one need a lock of their own.
A process that is stopped while it holds one (SIGSTOP, a debugger) keeps others waiting for a moment only: then they go
on without it, and at worst a request is not counted, or a document is read as none.
"""

import fcntl
import json
import mmap
import os
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

BUCKETS = ("requests", "explanations", "refused")
"""Tables of token buckets."""

N_BUCKET_BYTES = 1 << 18  # of one table: 16,384 callers
_N_CODES_BYTES = 1 << 19  # a thousand codes of the page, with their keys
_N_COUNTS_BYTES = 1 << 22  # of one process: some thousand routes with their histograms
_N_DELETIONS_BYTES = 1 << 12  # a number, in a page of its own
_CODES_START = len(BUCKETS) * N_BUCKET_BYTES
_DELETIONS_START = _CODES_START + _N_CODES_BYTES
_N_HEAD_BYTES = _DELETIONS_START + _N_DELETIONS_BYTES
_LENGTH = struct.Struct("=Q")
_PATIENCE_SECONDS = 0.25  # for a lock, which is held for microseconds
_SECONDS_WITHOUT_PATIENCE = 10.0  # after a lock was not to be had
_SECONDS_BETWEEN_TRIES = 0.0002


def n_bytes_for(n_processes: int) -> int:
    """Return the size of the memory; pages that nobody writes to take no room."""
    return _N_HEAD_BYTES + n_processes * _N_COUNTS_BYTES


class SharedMemory:
    """The memory as one of the processes has it.

    Parameters
    ----------
    descriptor
        An open file of ``n_bytes_for(n_processes)`` bytes.
    index, n_processes
        Which of how many processes this is; one that is started in the place of another has its index.
    """

    def __init__(self, descriptor: int, index: int, n_processes: int) -> None:
        self.index = index
        self.n_processes = n_processes
        self._descriptor = descriptor
        self._pages = mmap.mmap(descriptor, n_bytes_for(n_processes))

    def buckets(self, table: str) -> "Region":
        """Return one of the tables that ``BUCKETS`` names."""
        return Region(self._descriptor, self._pages, BUCKETS.index(table) * N_BUCKET_BYTES, N_BUCKET_BYTES)

    def codes(self) -> "Region":
        """Return the region of the page's codes."""
        return Region(self._descriptor, self._pages, _CODES_START, _N_CODES_BYTES)

    def deletions(self) -> "Region":
        """Return the region of the number of datasets that were deleted."""
        return Region(self._descriptor, self._pages, _DELETIONS_START, _N_DELETIONS_BYTES)

    def counts(self, index: int) -> "Region":
        """Return the region in which a process writes what it has counted."""
        start = _N_HEAD_BYTES + index * _N_COUNTS_BYTES
        return Region(self._descriptor, self._pages, start, _N_COUNTS_BYTES)


class Region:
    """A part of the memory, which holds numbers at offsets, or one document."""

    __slots__ = ("_descriptor", "_impatient_until", "_n_bytes", "_pages", "_start", "_thread_lock")

    def __init__(self, descriptor: int, pages: mmap.mmap, start: int, n_bytes: int) -> None:
        self._descriptor = descriptor
        self._pages = pages
        self._start = start
        self._n_bytes = n_bytes
        self._thread_lock = threading.Lock()
        self._impatient_until = 0.0

    @contextmanager
    def locked(self, offset: int = 0, n_bytes: int | None = None) -> Iterator[None]:
        """Keep other processes, unless one stands still, and threads that use this very object out of these bytes."""
        start, length = self._start + offset, self._n_bytes if n_bytes is None else n_bytes
        with self._thread_lock:
            is_held = self._lock(start, length)
            try:
                yield
            finally:
                if is_held:
                    fcntl.lockf(self._descriptor, fcntl.LOCK_UN, length, start, os.SEEK_SET)

    def _lock(self, start: int, length: int) -> bool:
        """Return whether the lock could be had soon."""
        now = time.monotonic()
        is_patient, until = now >= self._impatient_until, now + _PATIENCE_SECONDS
        while True:
            try:
                fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, length, start, os.SEEK_SET)
            except (BlockingIOError, PermissionError):
                if not is_patient:
                    return False
                if time.monotonic() >= until:
                    self._impatient_until = time.monotonic() + _SECONDS_WITHOUT_PATIENCE
                    return False
                time.sleep(_SECONDS_BETWEEN_TRIES)
            else:
                return True

    def unpack(self, layout: struct.Struct, offset: int) -> tuple[Any, ...]:
        """Return the numbers at an offset."""
        return layout.unpack_from(self._pages, self._start + offset)

    def pack(self, layout: struct.Struct, offset: int, *numbers: float) -> None:
        """Write numbers at an offset."""
        layout.pack_into(self._pages, self._start + offset, *numbers)

    def document(self) -> Any:
        """Return the document that the region holds; None where it holds none or half of one. The caller locks it."""
        (length,) = self.unpack(_LENGTH, 0)
        first = self._start + _LENGTH.size
        with suppress(ValueError):  # without its lock, one may be read that is being written
            return json.loads(self._pages[first : first + length])
        return None

    def write_document(self, document: object) -> None:
        """Replace the document; one that is too large is not written. The caller has the lock.

        A process that is killed while it writes leaves none, never half of one.
        """
        text = json.dumps(document, separators=(",", ":")).encode()
        if len(text) + _LENGTH.size > self._n_bytes:
            return
        self.pack(_LENGTH, 0, 0)
        first = self._start + _LENGTH.size
        self._pages[first : first + len(text)] = text
        self.pack(_LENGTH, 0, len(text))
