"""The data directory: where everything is kept, private to its owner, used by one service at a time."""

import fcntl
import logging
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import CannotServe

_LOCK = "leafspace.lock"  # holds the process that serves; empty after one that ended by itself
_log = logging.getLogger(__name__)


def default_data_dir() -> Path:
    """Return the default data directory: below the user's own data, as XDG has it."""
    base = os.environ.get("XDG_DATA_HOME", "")
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".local" / "share") / "leafspace"


def was_killed(path: Path) -> bool:
    """Return whether the last service that used the directory could not say that it ended, or has not ended yet."""
    with suppress(OSError):
        return (path.expanduser() / _LOCK).stat().st_size > 0
    return False


@contextmanager
def opened(path: Path) -> Iterator[Path]:
    """Yield the directory's absolute path, made if need be; nobody else can serve from it meanwhile.

    Raises
    ------
    CannotServe
        If it cannot be made or written to, or somebody serves from it.
    """
    directory = _made(path.expanduser().absolute())
    _warn_if_open_to_others(directory)
    lock = _open_lock(directory)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(lock, 20, 0).decode() or "unknown"
        message = (
            f"another `leafspace serve` (process {holder}) uses the data directory {directory}; "
            "stop that one first, or choose another with --data-dir"
        )
        os.close(lock)
        raise CannotServe(message) from None
    os.truncate(lock, 0)
    os.write(lock, str(os.getpid()).encode())
    try:
        yield directory
    finally:
        os.truncate(lock, 0)
        # The kernel lets go of the lock when the process ends, however it ends.
        os.close(lock)


def _made(directory: Path) -> Path:
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        message = f"cannot make the data directory {directory}: {error.strerror}; choose another with --data-dir"
        raise CannotServe(message) from error
    return directory


def _warn_if_open_to_others(directory: Path) -> None:
    if stat.S_IMODE(directory.stat().st_mode) & 0o077:
        _log.warning("others on this machine can look into the data directory: chmod -R go= %s", directory)


def _open_lock(directory: Path) -> int:
    try:
        return os.open(directory / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        message = f"cannot write to the data directory {directory}: {error.strerror}; choose another with --data-dir"
        raise CannotServe(message) from error
