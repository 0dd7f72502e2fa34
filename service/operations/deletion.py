"""Deletion: of a row and the objects that it alone referred to; on a full disk the reserve is used."""

from collections.abc import Callable, Iterable
from threading import Lock
from typing import TypeVar

from storage.database_file import keep_reserve, release_reserve
from storage.errors import InsufficientStorage, means_full_disk

from ..app_context import AppContext

_RESERVE_IS_USED = Lock()
Result = TypeVar("Result")


def delete_with_objects(context: AppContext, forget: Callable[[], Iterable[str]]) -> None:
    """Delete a row by ``forget``, then the objects whose hashes it returns."""

    def delete() -> None:
        with context.objects.discarding():
            for sha256 in forget():
                context.objects.delete(sha256)

    with_reserve(context, delete)


def with_reserve(context: AppContext, free: Callable[[], Result]) -> Result:
    """Return the result of ``free``, which frees disk space or stops its use; on a full disk, use the reserve."""
    try:
        result = free()
    except (InsufficientStorage, OSError) as error:
        if not (isinstance(error, InsufficientStorage) or means_full_disk(error)):
            raise
    else:
        with _RESERVE_IS_USED:  # where a full disk had no room for the whole reserve, there may be room by now
            keep_reserve(context.settings.data_dir)
        return result
    # One at a time: the room is for one.
    with _RESERVE_IS_USED, release_reserve(context.settings.data_dir):
        return free()
