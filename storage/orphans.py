"""Orphans: objects that no row refers to, left by work that came to nothing."""

from collections.abc import Iterable
from itertools import islice

from .database import Database
from .object_store import ObjectStore
from .records import unreferenced

_OBJECTS_AT_ONCE = 500


def discard_orphans(database: Database, objects: ObjectStore, hashes: Iterable[str | None]) -> int:
    """Delete those of the objects that no row refers to; ``None`` stands for none. Return how many there were."""
    with objects.discarding():
        with database.reading() as connection:
            orphans = unreferenced(connection, hashes)
        for sha256 in orphans:
            objects.delete(sha256)
    return len(orphans)


def discard_old_orphans(database: Database, objects: ObjectStore) -> int:
    """Look through all objects for orphans older than a day, and delete them; return how many there were.

    Such are left by a process that was killed between its objects and its row, and in buckets by deletions of what
    was young.
    """
    old, n_orphans = objects.old_objects(), 0
    while block := list(islice(old, _OBJECTS_AT_ONCE)):
        n_orphans += discard_orphans(database, objects, block)
    return n_orphans
