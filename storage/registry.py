"""Registries: tables of what callers register under ids that are hashes of content, each beside its own columns.

A registry adds, reads, lists, renames and deletes rows. A subclass says what its rows hold: which columns a list reads,
how a row becomes a view, and which objects and rows of other tables go with it.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from sqlalchemy import Column, Connection, RowMapping, Select, Table, delete, func, select, update

from schemas.contract import Page

from .database import Database
from .errors import InUse
from .records import (
    existing_record,
    find_record,
    first_record,
    forget_keys_of,
    read_page,
    require,
    singular,
    unreferenced,
    where_equal,
)

New = TypeVar("New")
View = TypeVar("View")
Stored = TypeVar("Stored")
Summary = TypeVar("Summary")
Row = Mapping[Any, Any]


class Registry(ABC, Generic[New, View, Stored, Summary]):
    """Rows of one table: ``New`` is added; ``View`` is what readers get, ``Stored`` what it takes to use it.

    Attributes
    ----------
    table
        Has the columns ``id``, ``name`` and ``created_at``.
    listed_columns
        Names of the columns that a ``Summary`` is made from.
    uses
        Columns of other tables that refer to rows of this one: a row that one of them names cannot be deleted.
    """

    table: ClassVar[Table]
    listed_columns: ClassVar[tuple[str, ...]]
    uses: ClassVar[tuple[Column[Any], ...]]

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, new: New) -> tuple[View, bool]:
        """Keep what is new; return its view, and whether it was new."""
        with self._database.transaction() as connection:
            identifier, is_new = self._insert(connection, new)
            return self._view(self._existing(connection, identifier)), is_new

    def find(self, identifier: str) -> View | None:
        """Return the view of the row with this id, or nothing."""
        with self._database.reading() as connection:
            row = find_record(connection, self.table, identifier)
            return None if row is None else self._view(self._completed(connection, row))

    def get(self, identifier: str) -> Stored:
        """Return what it takes to use the row with this id; raise ``NotFound`` where there is none."""
        with self._database.reading() as connection:
            return self._stored(self._existing(connection, identifier))

    def summary(self, identifier: str) -> Summary:
        """Return the summary that lists hold, without reading more; raise ``NotFound`` where there is none."""
        query = self._select_listed().where(self.table.c.id == identifier)
        with self._database.reading() as connection:
            return self._summary(require(first_record(connection, query), self.table.name, identifier))

    def names(self, identifiers: Collection[str]) -> dict[str, str | None]:
        """Return the names of those of these things that exist, by id; None for one without a name."""
        query = select(self.table.c.id, self.table.c.name).where(self.table.c.id.in_(identifiers))
        with self._database.reading() as connection:
            return {row.id: row.name for row in connection.execute(query)}

    def has_any(self) -> bool:
        """Whether the table has any row."""
        with self._database.reading() as connection:
            return connection.execute(select(self.table.c.id).limit(1)).first() is not None

    def list(self, limit: int, cursor: str | None, **filters: str) -> Page[Summary]:
        """Return one page of summaries, newest first: those that have these values in these columns."""
        query = where_equal(self._select_listed(), self.table, filters)
        with self._database.reading() as connection:
            return read_page(connection, query, self.table, (limit, cursor), self._summary)

    def rename(self, identifier: str, name: str | None) -> None:
        """Give the row with this id another name, or none; its id stays."""
        with self._database.transaction() as connection:
            renamed = connection.execute(update(self.table).where(self.table.c.id == identifier).values(name=name))
            if renamed.rowcount == 0:
                require(None, self.table.name, identifier)

    def delete(self, identifier: str) -> tuple[str, ...]:
        """Forget the row with this id; return the objects that nothing refers to any more.

        Raises
        ------
        NotFound
            If there is no such row.
        InUse
            If another row refers to it.
        """
        with self._database.transaction() as connection:
            row = self._existing(connection, identifier)
            self._refuse_if_used(connection, identifier)
            objects = self._forget_parts(connection, row)
            forget_keys_of(connection, identifier)
            connection.execute(delete(self.table).where(self.table.c.id == identifier))
            return unreferenced(connection, objects)

    @abstractmethod
    def _insert(self, connection: Connection, new: New) -> tuple[str, bool]:
        """Write the row unless it is there; return its id, and whether it was written."""

    @abstractmethod
    def _view(self, row: Row) -> View:
        """Return what readers get of a row."""

    @abstractmethod
    def _stored(self, row: Row) -> Stored:
        """Return what it takes to use a row."""

    @abstractmethod
    def _summary(self, row: Row) -> Summary:
        """Return what lists hold of a row, from the listed columns alone."""

    @abstractmethod
    def _forget_parts(self, connection: Connection, row: Row) -> tuple[str, ...]:
        """Delete the rows of other tables that go with this one; return all objects that it and they refer to."""

    def _completed(self, connection: Connection, row: RowMapping) -> Row:
        """Return the row with what other tables hold of it."""
        del connection
        return row

    def _existing(self, connection: Connection, identifier: str) -> Row:
        return self._completed(connection, existing_record(connection, self.table, identifier))

    def _refuse_if_used(self, connection: Connection, identifier: str) -> None:
        for column in self.uses:
            user = connection.execute(select(column.table.c.id).where(column == identifier)).scalar()
            if user is not None:
                noun, user_noun = singular(self.table.name), singular(column.table.name)
                detail = f"{noun} {identifier!r} is used by {user_noun} {user!r}; delete that first"
                raise InUse(detail)

    def _select_listed(self) -> Select[Any]:
        return select(*(self.table.c[name] for name in self.listed_columns))


class UploadRegistry(Registry[New, View, Stored, Summary]):
    """Rows of what was uploaded: their column ``listed`` holds what lists show, and how long the whole is as JSON."""

    def total_bytes(self) -> int:
        """Return how many bytes all uploads together had."""
        with self._database.reading() as connection:
            return int(connection.execute(select(func.coalesce(func.sum(self.table.c.size_bytes), 0))).scalar_one())

    def document(self, identifier: str) -> dict[str, Any]:
        """Return the view in plain values: messages would take several times the memory."""
        with self._database.reading() as connection:
            return self._document(self._existing(connection, identifier))

    def n_bytes(self, identifier: str) -> int:
        """Return how long the description is as JSON, without reading it."""
        n_bytes = self.table.c.listed["n_bytes"].as_integer().label("n_bytes")
        query = select(n_bytes).where(self.table.c.id == identifier)
        with self._database.reading() as connection:
            row = require(first_record(connection, query), self.table.name, identifier)
        return row["n_bytes"] or 0

    @abstractmethod
    def _document(self, row: Row) -> dict[str, Any]:
        """Return what readers get of a row, in plain values."""


def listed_values(row: Row) -> dict[str, Any]:
    """Return what a row of an ``UploadRegistry`` holds for lists."""
    return {name: value for name, value in row["listed"].items() if name != "n_bytes"}
