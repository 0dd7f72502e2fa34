"""Row indices as cursors: a page of rows that have a fixed order ends with the index of the next row."""

from storage.errors import StorageError


def position_of(cursor: str | None) -> int:
    """Return the row index that a cursor holds: 0 without one.

    Raises
    ------
    StorageError
        If it is not a number.
    """
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdecimal()):
        detail = f"cursor {cursor[:80]!a} is not one that this list gave; leave it out to start from the first row"
        raise StorageError("validation_failed", detail, "/cursor")
    return int(cursor)
