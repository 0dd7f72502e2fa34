"""Patience: how long a process waits for its database before it says that it is away."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds of waiting, each for one thing.

    Whoever waited in vain for a database that does not answer spares others the wait: during ``rest_seconds`` they are
    told at once. A lock of SQLite's must have been waited for in vain several times, one after the other.
    """

    lock_seconds: float = 10  # until others let go of a row, or of SQLite's file
    answer_seconds: float = 60  # PostgreSQL's, to one statement
    connection_seconds: int = 3  # until PostgreSQL lets us in
    pool_seconds: float = 2  # until another thread gives its connection back
    rest_seconds: float = 0


WORKERS = Patience()
REQUESTS = Patience(lock_seconds=3, answer_seconds=5, rest_seconds=1)
"""Somebody waits for the answer: an early "try again" is better than a late one."""
