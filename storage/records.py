"""Records of any table: one by its id, or a page of them, newest first, with a cursor to the next page."""

import base64
import binascii
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from sqlalchemy import Connection, RowMapping, Select, Table, and_, delete, desc, insert, or_, select
from sqlalchemy.exc import IntegrityError

from schemas.contract import Page
from schemas.identifiers import PREFIXES

from .errors import NotFound, StorageError
from .tables import OBJECT_COLUMNS, idempotency_keys

Item = TypeVar("Item")
_IDENTIFIER = re.compile(r"[a-z0-9_-]{1,64}")


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
        advice = f"list the {noun.replace('_', ' ')} to see those that exist"
        raise NotFound(singular(noun), identifier, f"{_other_kind(noun, identifier)}{advice}")
    return record


def _other_kind(noun: str, identifier: str) -> str:
    """Return what the identifier is of, where that is another noun: callers mix up arguments."""
    other = next((name for name, prefix in PREFIXES.items() if identifier.startswith(prefix) and name != noun), None)
    return "" if other is None else f"such ids are of {other.replace('_', ' ')}; "


def singular(noun: str) -> str:
    """Return the words for one thing of a noun, which is the plural used in tables and paths."""
    plural = noun.replace("_", " ")
    return f"{plural[:-3]}y" if plural.endswith("ies") else plural.removesuffix("s")


def add_record(connection: Connection, table: Table, values: Mapping[str, Any]) -> bool:
    """Write a row unless one with its id is there, or another transaction is faster; return whether it was written."""
    if find_record(connection, table, values["id"]) is not None:
        return False
    try:
        with connection.begin_nested():
            connection.execute(insert(table).values(**values))
    except IntegrityError:
        if find_record(connection, table, values["id"]) is None:
            raise  # it refers to something that was deleted
        return False
    return True


def forget_keys_of(connection: Connection, thing: str) -> None:
    """Forget the idempotency keys that made this thing, which is being deleted: sent again, they make it again."""
    connection.execute(delete(idempotency_keys).where(idempotency_keys.c.thing == thing))


def unreferenced(connection: Connection, hashes: Iterable[str | None]) -> tuple[str, ...]:
    """Return those of the object hashes that no row of any table refers to, each once; ``None`` is skipped."""
    distinct = dict.fromkeys(sha256 for sha256 in hashes if sha256 is not None)
    uses = (select(column).where(column.in_(distinct)) for column in OBJECT_COLUMNS)
    used = {sha256 for use in uses for sha256 in connection.execute(use).scalars()}
    return tuple(sha256 for sha256 in distinct if sha256 not in used)


def moment(seconds: float) -> datetime:
    """Return a stored time as a date and time in UTC."""
    return datetime.fromtimestamp(seconds, UTC)


def where_equal(query: Select[Any], table: Table, filters: Mapping[str, str]) -> Select[Any]:
    """Return the query of those rows alone whose columns have these values.

    Columns without an index are walked newest first until the page is full. Of 100,000 artefacts, 100,000 jobs or
    10,000 models in SQLite that takes at most 0.2 s, where next to none match; where many do, 1 to 2 ms.
    """
    return query.where(*(table.c[name] == value for name, value in filters.items()))


def read_page(
    connection: Connection,
    query: Select[Any],
    table: Table,
    position: tuple[int, str | None],
    view: Callable[[RowMapping], Item],
) -> Page[Item]:
    """Return one page of ``query`` over ``table``, which has the columns ``id`` and ``created_at``.

    ``position`` is how many rows to return, and the cursor that the page before gave (``None`` for the first page).
    """
    limit, cursor = position
    if cursor is not None:
        created_at, identifier = _decode(cursor)
        query = query.where(
            or_(table.c.created_at < created_at, and_(table.c.created_at == created_at, table.c.id < identifier))
        )
    ordered = query.order_by(desc(table.c.created_at), desc(table.c.id)).limit(limit + 1)
    rows = connection.execute(ordered).mappings().all()
    more = len(rows) > limit
    next_cursor = _encode(rows[limit - 1]["created_at"], rows[limit - 1]["id"]) if more else None
    return Page(data=[view(row) for row in rows[:limit]], next_cursor=next_cursor)


def _encode(created_at: float, identifier: str) -> str:
    return base64.urlsafe_b64encode(json.dumps([created_at, identifier]).encode()).decode().rstrip("=")


def _decode(cursor: str) -> tuple[float, str]:
    try:
        created_at, identifier = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError, TypeError, RecursionError):
        created_at, identifier = None, None
    # A text that no database accepts is no id: half a surrogate pair, or a NUL character.
    is_position = isinstance(created_at, float | int) and math.isfinite(created_at)
    if not (is_position and isinstance(identifier, str) and _IDENTIFIER.fullmatch(identifier)):
        detail = f"cursor {cursor[:80]!a} is not one that a list gave; leave it out to start from the newest"
        raise StorageError("validation_failed", detail, "/cursor")
    return float(created_at), identifier
