"""Leaf tables: the leaves and scores of a dataset's rows in a model, computed once and kept for later jobs.

They are a cache: they keep no model or dataset from being deleted, and go with either.
"""

import time
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, delete, insert, select
from sqlalchemy.exc import IntegrityError

from .database import Database
from .records import first_record, unreferenced
from .tables import leaf_tables

REVISION = 1
"""To be raised when the same graph would give the same rows other leaves, labels or scores than before."""


@dataclass(frozen=True, slots=True)
class LeafTableKey:
    """What a leaf table is known by."""

    model: str
    dataset: str
    revision: int = REVISION  # of the code that makes leaf tables: those of another one are never read


@dataclass(frozen=True, slots=True)
class LeafTableObjects:
    """Where a leaf table's parts are."""

    codes: str  # object: an array file, (n_trees, n_rows)
    outcome: str  # object: scores and labels as arrays


class LeafTableStore:
    """Rows of leaf tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, key: LeafTableKey) -> LeafTableObjects | None:
        """Return the table of this key, or nothing."""
        with self._database.reading() as connection:
            return _find(connection, key)

    def add(self, key: LeafTableKey, table: LeafTableObjects, size_bytes: int = 0) -> LeafTableObjects:
        """Keep the table, unless another job was faster; return the one that is kept.

        Raises
        ------
        Conflict
            If the model or the dataset was deleted.
        """
        with self._database.transaction() as connection:
            return _find(connection, key) or _insert(connection, key, table, size_bytes)

    def forget(self, key: LeafTableKey, table: LeafTableObjects) -> tuple[str, ...]:
        """Forget this table, unless the key has another by now; return the objects that nothing refers to."""
        this_one = and_(_at(key), leaf_tables.c.codes == table.codes, leaf_tables.c.outcome == table.outcome)
        with self._database.transaction() as connection:
            return unreferenced(connection, forget_leaf_tables(connection, this_one))

    def forget_outdated(self, key: LeafTableKey) -> tuple[str, ...]:
        """Forget tables of the same rows of earlier revisions; return the objects that nothing refers to any more."""
        same_rows = (leaf_tables.c.model == key.model, leaf_tables.c.dataset == key.dataset)
        with self._database.transaction() as connection:
            outdated = and_(*same_rows, leaf_tables.c.revision < key.revision)
            return unreferenced(connection, forget_leaf_tables(connection, outdated))


def forget_leaf_tables(connection: Connection, condition: ColumnElement[bool]) -> list[str]:
    """Forget the tables that meet a condition; return the objects that they referred to."""
    query = select(leaf_tables.c.codes, leaf_tables.c.outcome).where(condition)
    objects = [sha256 for row in connection.execute(query) for sha256 in row]
    connection.execute(delete(leaf_tables).where(condition))
    return objects


def _at(key: LeafTableKey) -> ColumnElement[bool]:
    columns = leaf_tables.c
    return and_(columns.model == key.model, columns.dataset == key.dataset, columns.revision == key.revision)


def _find(connection: Connection, key: LeafTableKey) -> LeafTableObjects | None:
    row = first_record(connection, select(leaf_tables).where(_at(key)))
    return None if row is None else LeafTableObjects(row["codes"], row["outcome"])


def _insert(connection: Connection, key: LeafTableKey, table: LeafTableObjects, size_bytes: int) -> LeafTableObjects:
    at = {"model": key.model, "dataset": key.dataset, "revision": key.revision}
    values = {"codes": table.codes, "outcome": table.outcome, "size_bytes": size_bytes, "created_at": time.time()}
    try:
        with connection.begin_nested():
            connection.execute(insert(leaf_tables).values(**at, **values))
    except IntegrityError:
        other = _find(connection, key)
        if other is None:
            raise  # it refers to something that was deleted
        return other
    return table
