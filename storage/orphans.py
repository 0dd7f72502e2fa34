"""Orphans: objects that no row refers to, left by work that came to nothing."""

from collections.abc import Iterable

from .database import Database
from .object_store import ObjectStore
from .records import unreferenced


def discard_orphans(database: Database, objects: ObjectStore, hashes: Iterable[str | None]) -> int:
    """Delete those of the objects that no row refers to; ``None`` is skipped. Return how many there were."""
    with objects.discarding():
        with database.reading() as connection:
            orphans = unreferenced(connection, hashes)
        for sha256 in orphans:
            objects.delete(sha256)
    return len(orphans)
