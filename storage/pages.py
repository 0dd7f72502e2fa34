"""Pages of rows, newest first, each page naming where the next one starts."""

import base64
import binascii
import json
import math
import re
from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Connection, RowMapping, Select, Table, and_, desc, or_

from schemas.contract import Page

from .errors import StorageError

Item = TypeVar("Item")
_IDENTIFIER = re.compile(r"[a-z0-9_]{1,64}")


def read_page(
    connection: Connection,
    query: Select[Any],
    table: Table,
    place: tuple[int, str | None],
    view: Callable[[RowMapping], Item],
) -> Page[Item]:
    """Return one page of ``query`` over ``table``, which has the columns ``id`` and ``created_at``.

    ``place`` is how many rows to return, and the cursor that the page before gave (``None`` for the first page).
    """
    limit, cursor = place
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
    # A text that no database can be asked about is no id: half a surrogate pair, or a NUL character.
    is_place = isinstance(created_at, float | int) and math.isfinite(created_at)
    if not (is_place and isinstance(identifier, str) and _IDENTIFIER.fullmatch(identifier)):
        detail = f"cursor {cursor[:80]!a} is not one that a list gave; leave it out to start from the newest"
        raise StorageError("validation_failed", detail, "/cursor")
    return float(created_at), identifier
