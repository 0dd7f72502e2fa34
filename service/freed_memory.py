"""Freed memory: allocators keep what was freed, in each process and for each thread that freed it."""

import ctypes
from contextlib import suppress

import pyarrow as pa


def return_freed_memory() -> None:
    """Return freed memory to the system; takes some milliseconds, in which other threads run."""
    pa.default_memory_pool().release_unused()
    with suppress(AttributeError, OSError):  # glibc alone has it
        ctypes.CDLL(None).malloc_trim(0)
