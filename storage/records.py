"""Records: one row of a table by its id, whatever the table."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, Table, delete, insert, select
from sqlalchemy.exc import IntegrityError

from .errors import NotFound
from .tables import OBJECT_COLUMNS, idempotency_keys


def find_record(connection: Connection, table: Table, identifier: str) -> RowMapping | None:
    """Return the row with this id, or nothing."""
    return first_record(connection, select(table).where(table.c.id == identifier))


def first_record(connection: Connection, query: Select[Any]) -> RowMapping | None:
    """Return the first row of a query, or nothing."""
    return connection.execute(query).mappings().first()


def existing_record(connection: Connection, table: Table, identifier: str) -> RowMapping:
    """Return the row with this id; raise ``NotFound`` where there is none."""
    return require(find_record(connection, table, identifier), table.name, identifier)


def require(record: RowMapping | None, noun: str, identifier: str) -> RowMapping:
    """Return the record, or raise ``NotFound``; ``noun`` is the plural used in tables and paths."""
    if record is None:
        plural = noun.replace("_", " ")
        singular = f"{plural[:-3]}y" if plural.endswith("ies") else plural.removesuffix("s")
        raise NotFound(singular, identifier, f"list the {plural} to see those that exist")
    return record


def add_record(connection: Connection, table: Table, values: Mapping[str, Any]) -> bool:
    """Write a row unless one with its id is there, or another transaction is faster; return whether it was written."""
    if find_record(connection, table, values["id"]) is not None:
        return False
    try:
        with connection.begin_nested():
            connection.execute(insert(table).values(**values))
    except IntegrityError:
        if find_record(connection, table, values["id"]) is None:
            raise  # it refers to something that is gone
        return False
    return True


def forget_keys_of(connection: Connection, thing: str) -> None:
    """Forget the idempotency keys that made this thing, which is being deleted: sent again, they make it again."""
    connection.execute(delete(idempotency_keys).where(idempotency_keys.c.thing == thing))


def unreferenced(connection: Connection, hashes: Iterable[str | None]) -> tuple[str, ...]:
    """Return those of the object hashes that no row of any table refers to, each once; ``None`` stands for none."""
    distinct = dict.fromkeys(sha256 for sha256 in hashes if sha256 is not None)
    uses = (select(column).where(column.in_(distinct)) for column in OBJECT_COLUMNS)
    used = {sha256 for use in uses for sha256 in connection.execute(use).scalars()}
    return tuple(sha256 for sha256 in distinct if sha256 not in used)


def moment(seconds: float) -> datetime:
    """Return a stored time as a date and time in UTC."""
    return datetime.fromtimestamp(seconds, UTC)
