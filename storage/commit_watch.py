"""CommitWatch: what is read again and again is read only where something was committed since."""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import make_url

from .database import Database


class CommitWatch:
    """Runs a reading unless nothing was committed since the one before and nobody needs it anyway.

    Each reading has a watch of its own.

    SQLite counts for a connection the commits of all others: looking at that number takes some microseconds, where a
    reading would keep the interpreter from the event loop for most of a millisecond. Other databases are read each
    time, and so is one that cannot be looked at: the reading raises what is wrong. One thread may call it at a time.
    """

    def __init__(self, database: Database) -> None:
        url = make_url(database.url)
        self._path = url.database if url.get_backend_name() == "sqlite" else None
        self._connection: sqlite3.Connection | None = None
        self._seen: int | None = None  # by the last reading that succeeded

    def run(self, read: Callable[[], None], *, anyway: bool = False) -> None:
        """Read where there may be something new, or ``anyway``; raises what ``read`` raises."""
        version = self._version()  # before the reading, which then has all that this number counts
        if anyway or version is None or version != self._seen:
            self._seen = None
            read()
            self._seen = version

    def close(self) -> None:
        """Close the connection; a later reading opens another one."""
        connection, self._connection, self._seen = self._connection, None, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()

    def _version(self) -> int | None:
        """Return a number that differs after each commit of others; ``None`` where there is none."""
        if self._path is None:
            return None
        try:
            if self._connection is None:
                address = f"file:{quote(str(Path(self._path)))}?mode=rw"  # which never makes the file
                self._connection = sqlite3.connect(address, 0, isolation_level=None, check_same_thread=False, uri=True)
            version: int = self._connection.execute("PRAGMA data_version").fetchone()[0]
        except sqlite3.Error:
            self.close()
            return None
        return version
