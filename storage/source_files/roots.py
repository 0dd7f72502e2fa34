"""Roots: the folders and prefixes below which files may be read, and the patterns that name files below them.

Both are compared segment by segment after they are taken apart: ``s3://lake`` does not allow ``s3://lake-evil``, and no
segment is ``..``. Where symbolic links lead is checked when files are listed and again when they are opened.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

from ..dataset_files.layout import shown
from ..errors import StorageError

_SCHEMES = ("s3", "file")
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f\\?#%]")
_MAX_CHARACTERS = 1024


def read_roots(text: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return the roots of a comma-separated list.

    Raises
    ------
    ValueError
        If one is none.
    """
    parts = text.split(",") if isinstance(text, str) else text
    return tuple(_parsed_root(part.strip()).url for part in parts if part.strip())


@dataclass(frozen=True, slots=True)
class Address:
    """A place in a bucket or a folder, taken apart."""

    scheme: str
    bucket: str  # empty of folders
    segments: tuple[str, ...]

    @property
    def url(self) -> str:
        """The address as text, without a slash at its end."""
        return "/".join((f"{self.scheme}://{self.bucket}", *self.segments))

    def below(self, other: "Address") -> tuple[str, ...] | None:
        """Return the segments that lead here from the other address, or nothing where it is not above."""
        n_above = len(other.segments)
        is_above = (self.scheme, self.bucket) == (other.scheme, other.bucket)
        is_above = is_above and self.segments[:n_above] == other.segments
        return self.segments[n_above:] if is_above else None


@dataclass(frozen=True, slots=True)
class Pattern:
    """Files below a root: a star matches any characters of one segment."""

    root: Address
    segments: tuple[str, ...]

    @property
    def folder(self) -> tuple[str, ...]:
        """The segments before the first one with a star, which all files share; never the file's own."""
        n_plain = next((i for i, segment in enumerate(self.segments) if "*" in segment), len(self.segments))
        return self.segments[: min(n_plain, len(self.segments) - 1)]

    def matches(self, segments: tuple[str, ...]) -> bool:
        """Return whether a file below the root, or a folder on the way to one, is meant."""
        pairs = zip(self.segments, segments, strict=False)
        return len(segments) <= len(self.segments) and all(_matches(pattern, segment) for pattern, segment in pairs)


def _matches(pattern: str, segment: str) -> bool:
    # Not by a regular expression: a pattern of many stars would take it hours.
    first, *others = pattern.split("*")
    if not others:
        return pattern == segment
    *middle, last = others
    start, end = len(first), len(segment) - len(last)
    if end < start or not (segment.startswith(first) and segment.endswith(last)):
        return False
    for part in middle:
        start = segment.find(part, start, end) + len(part)
        if start < len(part):
            return False
    return True


class SourceRoots:
    """The roots that the operator allows; none by default."""

    def __init__(self, urls: Iterable[str]) -> None:
        self.allowed = tuple(_parsed_root(url) for url in urls)

    def pattern(self, files: str) -> Pattern:
        """Return the files that a caller names.

        Raises
        ------
        StorageError
            ``source_not_allowed`` unless they are below a root; ``validation_failed`` where the text is no address.
        """
        if (address := _parsed(files)) is None:
            detail = (
                f"{shown(files)} names no files; write s3://bucket/folder/*.parquet or file:///folder/*.parquet, "
                "without `.`, `..`, empty segments, `%`, `?`, `#` and backslashes"
            )
            raise StorageError("validation_failed", detail, "/source/files")
        # The narrowest root, so that nothing is listed above it.
        for root in sorted(self.allowed, key=lambda root: -len(root.segments)):
            if below := address.below(root):
                return Pattern(root, below)
        return _refuse(files, "/source/files")

    def root(self, url: str) -> Address:
        """Return the root of a manifest; refuse one that the operator does not allow any more."""
        address = _parsed(url)
        if address is not None and any(address.below(root) is not None for root in self.allowed):
            return address
        return _refuse(url, None)


def _refuse(url: str, pointer: str | None) -> NoReturn:
    detail = (
        f"{shown(url)} is not below a folder or bucket that this service may read; its operator names those in "
        "LEAFSPACE_DATASET_SOURCES"
    )
    raise StorageError("source_not_allowed", detail, pointer)


def _parsed_root(url: str) -> Address:
    address = _parsed(url)
    if address is None or any("*" in segment for segment in address.segments) or address == Address("file", "", ()):
        message = f"{url!r} is not a root for datasets such as s3://bucket/prefix or file:///some/folder"
        raise ValueError(message)
    return address


def _parsed(url: str) -> Address | None:
    """Return an address taken apart, or nothing where it is not written in the one way there is."""
    scheme, separator, rest = url.partition("://")
    if url.startswith("/"):  # a path of this host
        scheme, separator, rest = "file", "://", url
    if scheme not in _SCHEMES or not separator or len(url) > _MAX_CHARACTERS or _FORBIDDEN.search(url):
        return None
    bucket, _, path = rest.partition("/")
    segments = tuple(path.rstrip("/").split("/")) if path.rstrip("/") else ()
    is_bucket = _BUCKET.fullmatch(bucket) is not None if scheme == "s3" else not bucket
    is_plain = all(segment not in {"", ".", ".."} for segment in segments)
    return Address(scheme, bucket, segments) if is_bucket and is_plain else None
