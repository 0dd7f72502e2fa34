"""What storage refuses or cannot do, each with a stable code and a sentence that the caller can act on."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Not loaded with this module: the child that reads uploads has no use for pydantic, and little memory.
    from schemas.problems import FieldProblem


class StorageError(Exception):
    """Base of all: ``code`` is one of the API contract's problem codes, ``detail`` is for the caller's eyes.

    ``pointer`` is a JSON Pointer to the field of the request that is at fault, where it is a single one.
    """

    def __init__(self, code: str, detail: str, pointer: str | None = None) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.pointer = pointer


class NotFound(StorageError):
    """Nothing is kept under this id, or name."""

    def __init__(self, noun: str, identifier: str, advice: str | None = None, known_by: str = "id") -> None:
        advice = advice or f"list the {noun}s to see those that exist"
        super().__init__("not_found", f"no {noun} has the {known_by} {identifier!r}; {advice}")


class InUse(StorageError):
    """The thing cannot be deleted while others are built on it."""

    def __init__(self, detail: str) -> None:
        super().__init__("in_use", detail)


class Conflict(StorageError):
    """The request contradicts what is stored."""


class PreconditionFailed(StorageError):
    """The thing is no longer, or not yet, in the state that the caller expects."""

    def __init__(self, detail: str) -> None:
        super().__init__("precondition_failed", detail)


class DatasetRefused(StorageError):
    """The bytes offered as a dataset cannot be read as one; codes ``dataset_*`` and ``unsupported_media_type``.

    Of several tables also ``relational_*`` and ``too_many_rows``.
    """


class DatasetChanged(StorageError):
    """A file that holds rows of a dataset by reference is no longer what it was when the dataset was registered."""

    def __init__(self, name: str, fault: str = "has changed") -> None:
        detail = f"the file {name[:300]!a} {fault} since the dataset was registered; register the files as they are now"
        super().__init__("dataset_changed", detail)


class TooManyRows(DatasetRefused):
    """There are more rows than are read."""


class EveryRowFailed(StorageError):
    """None of a request's rows could be used; ``errors`` has the problem of each, in their order."""

    def __init__(self, errors: "list[FieldProblem]") -> None:
        first = errors[0].detail
        none = f"none of the {len(errors)} rows could be explained; of the first: {first}"
        detail = none if len(errors) > 1 else f"the row could not be explained: {first}"
        super().__init__("every_row_failed", detail)
        self.errors = errors


class StorageUnavailable(StorageError):
    """The database or the disk does not answer; trying again later may help."""

    thing = "storage"  # that is waited for

    def __init__(self, detail: str) -> None:
        super().__init__("unavailable", detail)


class DatabaseUnusable(StorageError):
    """The database is damaged, or of another history: nothing here can mend it."""

    def __init__(self, detail: str) -> None:
        super().__init__("database_damaged", detail)


class InsufficientStorage(StorageError):
    """The disk is full; nothing was written."""

    def __init__(self) -> None:
        super().__init__(
            "insufficient_storage", "the disk is full; nothing was stored; free some space and send it again"
        )


class ObjectDamaged(StorageError):
    """A stored object no longer has the hash it is known by; it is never served."""

    def __init__(self, sha256: str) -> None:
        remedy = (
            "delete the model, dataset or artefact that it belongs to and send or request it again, "
            "or have it restored from a backup"
        )
        super().__init__("object_damaged", f"stored object {sha256} is damaged and is not served; {remedy}")


@contextmanager
def translate_disk_full() -> Iterator[None]:
    """Raise ``InsufficientStorage`` where the system reports a full disk."""
    try:
        yield
    except OSError as error:
        if means_full_disk(error):
            raise InsufficientStorage from error
        raise


def means_full_disk(error: BaseException | None) -> bool:
    """Whether the system said that the disk is full, or the owner's share of it."""
    return isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}
