"""A bucket: files by name in a store on the network, such as S3."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import obstore
from obstore.exceptions import BaseError, PermissionDeniedError, PreconditionError, UnauthenticatedError
from obstore.store import S3Store

from .errors import InsufficientStorage, StorageUnavailable, translate_disk_full

if TYPE_CHECKING:
    from obstore.store import RetryConfig

_PART_BYTES = 8 << 20  # each part of a large file is a request of its own, with its own time limit and tries
_PARTS_AT_ONCE = 4
_CONNECT_TIMEOUT = timedelta(seconds=3)
_REQUEST_TIMEOUT = timedelta(seconds=30)
_LOOK_TIMEOUT = timedelta(seconds=1.5)
_RETRIES: "RetryConfig" = {
    "max_retries": 5,
    "retry_timeout": timedelta(seconds=10),
    "backoff": {"init_backoff": timedelta(seconds=0.1), "max_backoff": timedelta(seconds=2), "base": 2},
}
_NO_FOLDER = "readiness"  # nothing is ever put there
_NAMES_AT_ONCE = 1000
_NO_ANSWER = "the object store does not answer; try again in a moment"
_NO_BUCKET = "the object store has no such bucket; the service's operator must create it, or name another"
_SIGNS_OF_A_FULL_STORE = ("507 ", "StorageFull", "QuotaExceeded")


BucketRefusal = (PermissionDeniedError, UnauthenticatedError)
"""What a bucket answers to those who may not read it."""


class BucketFile(NamedTuple):
    """A file of a bucket."""

    name: str
    size_bytes: int


class TaggedFile(NamedTuple):
    """A file of a bucket as it is now."""

    name: str
    size_bytes: int
    tag: str  # its entity tag, which changes with its bytes


class Bucket:
    """Files below ``s3://bucket/prefix``; endpoint, region and keys come from ``AWS_*`` in the environment.

    Nothing is opened before it is needed: what the library opens must not be carried across a fork. All methods try
    again for some ten seconds before they raise ``StorageUnavailable``.
    """

    def __init__(self, url: str) -> None:
        self._url = url

    def write(self, name: str, data: bytes | Path) -> None:
        """Let the file hold these bytes, or those of this local file: all of them, or what it held before."""
        with _failures_translated():
            obstore.put(self._store, name, data, chunk_size=_PART_BYTES, max_concurrency=_PARTS_AT_ONCE)

    def read(self, file: BucketFile, path: Path) -> None:
        """Write the file's bytes to this local file; raise ``FileNotFoundError`` when it is gone."""
        with _failures_translated(absence=FileNotFoundError), translate_disk_full(), path.open("wb") as target:
            for start in range(0, file.size_bytes, _PART_BYTES):
                length = min(_PART_BYTES, file.size_bytes - start)
                target.write(obstore.get_range(self._store, file.name, start=start, length=length))

    def files(self, prefix: str | None = None) -> Iterator[BucketFile]:
        """Yield the files in this folder, or all, in the order of their names."""
        with _failures_translated():
            for block in obstore.list(self._store, prefix, chunk_size=_NAMES_AT_ONCE):
                for entry in block:
                    yield BucketFile(entry["path"], entry["size"])

    def tagged_files(self, prefix: str | None = None) -> Iterator[TaggedFile]:
        """Yield the files in this folder and those below it, or all, in the order of their names."""
        with _failures_translated():
            for block in obstore.list(self._store, prefix, chunk_size=_NAMES_AT_ONCE):
                for entry in block:
                    yield TaggedFile(entry["path"], entry["size"], entry["e_tag"] or "")

    def stat(self, name: str) -> TaggedFile | None:
        """Return a file as it is now, or nothing where there is none."""
        try:
            with _failures_translated(absence=FileNotFoundError):
                entry = obstore.head(self._store, name)
        except FileNotFoundError:
            return None
        return TaggedFile(name, entry["size"], entry["e_tag"] or "")

    def read_tagged(self, name: str, size_bytes: int, tag: str, path: Path) -> bool:
        """Write a file's bytes to this local file; return whether it has this size and tag from first to last."""
        try:
            with _failures_translated(absence=FileNotFoundError), translate_disk_full(), path.open("wb") as target:
                for start in range(0, size_bytes, _PART_BYTES):
                    part = (start, min(start + _PART_BYTES, size_bytes))
                    answer = obstore.get(self._store, name, options={"if_match": tag, "range": part})
                    if answer.meta["size"] != size_bytes:
                        return False
                    target.write(answer.bytes())
        except (FileNotFoundError, PreconditionError):
            return False
        return size_bytes > 0 or self.stat(name) == TaggedFile(name, 0, tag)

    def delete(self, name: str) -> None:
        """Delete the file; one that is not there is no error."""
        with suppress(FileNotFoundError), _failures_translated(absence=FileNotFoundError):
            obstore.delete(self._store, name)

    def answers(self) -> bool:
        """Return within a second or two, without retries, whether the bucket exists and can be read."""
        try:
            next(iter(obstore.list(self._impatient_store, _NO_FOLDER, chunk_size=1)), None)
        except (BaseError, FileNotFoundError):
            return False
        return True

    @cached_property
    def _store(self) -> S3Store:
        return self._opened(_REQUEST_TIMEOUT, _RETRIES)

    @cached_property
    def _impatient_store(self) -> S3Store:
        return self._opened(_LOOK_TIMEOUT, {"max_retries": 0, "retry_timeout": _LOOK_TIMEOUT})

    def _opened(self, timeout: timedelta, retries: "RetryConfig") -> S3Store:
        endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL", "")
        return S3Store.from_url(
            self._url,
            client_options={
                "connect_timeout": min(_CONNECT_TIMEOUT, timeout),
                "timeout": timeout,
                "allow_http": endpoint.startswith("http://"),
            },
            retry_config=retries,
        )


@contextmanager
def _failures_translated(absence: type[Exception] = StorageUnavailable) -> Iterator[None]:
    try:
        yield
    except PreconditionError:
        raise
    except (BaseError, FileNotFoundError) as error:
        reason = str(error)
        if any(sign in reason for sign in _SIGNS_OF_A_FULL_STORE):
            raise InsufficientStorage from error
        if isinstance(error, FileNotFoundError) and absence is FileNotFoundError:
            raise
        raise StorageUnavailable(_NO_BUCKET if "NoSuchBucket" in reason else _NO_ANSWER) from error
