"""Room on the disk: whether there is any, and a few MB of it set aside, so that a full disk can be cleared.

Even to delete rows takes room. A service sets the reserve aside when it starts; whoever deletes on a full disk takes
it, and sets it aside again.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_NAME = "reserve"
_N_BYTES = 8 << 20  # more than rows' log ever takes between two of its checkpoints
_LEAST_BYTES = 1 << 20
_LITTLE_ROOM_BYTES = 4 << 20


def set_aside(directory: Path) -> None:
    """Set the reserve aside, unless it is; on a disk that has no room for all of it, as much as there is room for."""
    with suppress(OSError), (directory / _NAME).open("ab") as file:
        n_bytes = _N_BYTES
        while os.fstat(file.fileno()).st_size < n_bytes >= _LEAST_BYTES:
            with suppress(OSError):
                os.posix_fallocate(file.fileno(), 0, n_bytes)
            n_bytes //= 2


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
