"""Reserve: a few MB of the data directory's disk, set aside so that a full disk can be cleared.

Even to delete rows takes room. A service sets it aside when it starts; whoever clears takes it, and sets it aside
again.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NAME = "reserve"
_N_BYTES = 8 << 20  # more than rows' log ever takes between two of its checkpoints


def set_aside(directory: Path) -> None:
    """Set the reserve aside, unless it is; on a disk that has no room for it, do without."""
    path = directory / _NAME
    if path.exists():
        return
    try:
        path.write_bytes(bytes(_N_BYTES))
    except OSError:
        path.unlink(missing_ok=True)


@contextmanager
def released(directory: Path) -> Iterator[None]:
    """Hold while its room is to be used."""
    (directory / _NAME).unlink(missing_ok=True)
    try:
        yield
    finally:
        set_aside(directory)
