"""Room on the disk: whether there is any, and a few MB of it set aside, so that a full disk can be cleared.

Even to delete rows takes room. A service sets the reserve aside when it starts; whoever deletes on a full disk takes
it, and sets it aside again.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NAME = "reserve"
_N_BYTES = 8 << 20  # more than rows' log ever takes between two of its checkpoints
_LEAST_BYTES = 1 << 20
_LITTLE_ROOM_BYTES = 4 << 20


def set_aside(directory: Path) -> None:
    """Set the reserve aside, unless it is; on a disk that has no room for all of it, as much as there is room for."""
    path = directory / _NAME
    if path.exists() and path.stat().st_size >= _N_BYTES:
        return
    n_bytes = _N_BYTES
    while n_bytes >= _LEAST_BYTES:
        try:
            path.write_bytes(bytes(n_bytes))
        except OSError:
            path.unlink(missing_ok=True)
            n_bytes //= 2
        else:
            return


@contextmanager
def released(directory: Path) -> Iterator[None]:
    """Hold while its room is to be used."""
    (directory / _NAME).unlink(missing_ok=True)
    try:
        yield
    finally:
        set_aside(directory)


def has_room(*directories: Path) -> bool:
    """Whether a few MB can be written in each of the directories; they are taken for a moment, as quotas count too."""
    try:
        for directory in directories:
            with tempfile.TemporaryFile(dir=directory) as file:
                os.posix_fallocate(file.fileno(), 0, _LITTLE_ROOM_BYTES)
    except OSError:
        return False
    return True
