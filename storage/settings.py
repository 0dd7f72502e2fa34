"""Where rows and objects are kept, and how long processes wait for them."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

CACHE_BYTES = 20 << 30
_CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")


@dataclass(frozen=True, slots=True)
class StorageSettings:
    """Where rows and objects are kept."""

    database_url: str | URL  # sqlite:///… or postgresql+psycopg://…
    objects_dir: Path  # objects by hash, or copies of those in the bucket; and what is written before it is kept
    bucket_url: str | None = None  # s3://bucket/prefix; without it, objects are in the folder alone
    cache_bytes: int = CACHE_BYTES  # of copies in the folder
    sources: tuple[str, ...] = ()  # roots below which datasets by reference may lie
    source_cache_dir: Path | None = None  # of the normalised forms of their files; default: beside the objects
    source_cache_bytes: int = CACHE_BYTES
    source_patience_seconds: float | None = None  # how long a thread waits for files that others read; None: always

    def with_sources(self, roots: tuple[str, ...], data_dir: Path, cache_bytes: int) -> "StorageSettings":
        """Return the same for a process that may read files below these roots."""
        return replace(self, sources=roots, source_cache_dir=data_dir / "source-cache", source_cache_bytes=cache_bytes)


def embedded(
    data_dir: Path,
    database_url: str | None = None,
    object_store_url: str | None = None,
    cache_bytes: int = CACHE_BYTES,
) -> StorageSettings:
    """Return the settings that keep everything below ``data_dir``, but for what is to be kept elsewhere.

    Raises
    ------
    ValueError
        If a URL is none that can be used; what it says does not show the URL, which may hold a password.
    """
    _check_database_url(database_url)
    # Not as text: a path may hold characters that mean something in a URL.
    rows = database_url or URL.create("sqlite", database=str(data_dir / "leafspace.db"))
    if object_store_url is None:
        return StorageSettings(rows, data_dir / "objects")
    parts = urlsplit(object_store_url)
    if parts.scheme == "s3" and parts.netloc:
        # Not where local objects are: copies are removed, objects are not.
        return StorageSettings(rows, data_dir / "object-cache", object_store_url, cache_bytes)
    if parts.scheme == "file" and parts.netloc in {"", "localhost"} and parts.path not in {"", "/"}:
        return StorageSettings(rows, Path(url2pathname(parts.path)))
    message = "LEAFSPACE_OBJECT_STORE_URL must be file:///some/folder or s3://bucket/prefix"
    raise ValueError(message)


def _check_database_url(database_url: str | None) -> None:
    try:
        is_usable = database_url is None or make_url(database_url).get_backend_name() in {"sqlite", "postgresql"}
    except (ArgumentError, ValueError):
        is_usable = False
    if not is_usable:
        message = (
            "LEAFSPACE_DATABASE_URL must be sqlite:////some/file or postgresql+psycopg://user:password@host:port/name; "
            "write %40 for @, %2F for / and %23 for # in a password"
        )
        raise ValueError(message)


def memory_bytes() -> int:
    """Return how much memory there is: what a job may use unless that is set, here and in the API, which estimates."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(physical, int(_CONTAINER_LIMIT.read_text()))
    except (OSError, ValueError):  # no container, or one without a limit
        return physical


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds that a process waits for its database before it reports that it is unavailable.

    After a call waited in vain, others are refused at once for ``rest_seconds``; for a lock of SQLite's, only after
    several calls, one after the other, waited in vain.
    """

    lock_seconds: float = 10  # until others release a row, or of SQLite's file
    answer_seconds: float = 60  # PostgreSQL's, to one statement
    connection_seconds: int = 3  # until PostgreSQL lets us in
    pool_seconds: float = 2  # until another thread gives its connection back
    rest_seconds: float = 0


WORKERS = Timeouts()
REQUESTS = Timeouts(lock_seconds=3, answer_seconds=5, rest_seconds=1)
"""Callers of the API wait: an early "try again" is better than a late one."""
