"""API keys: the callers and their scopes. Of a secret, its SHA-256 alone is stored."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from sqlalchemy import RowMapping, delete, func, insert, or_, select, update

from schemas.api_keys import ApiKey, ApiKeyRequest, NewApiKey
from schemas.contract import Page
from schemas.key_texts import draw_key
from schemas.scopes import Scope

from .database import Database
from .errors import Conflict
from .records import existing_record, forget_keys_of, moment, read_page, where_equal
from .tables import api_keys

MAX_KEYS = 1000
"""Every process reads all of them every second."""
SECONDS_BETWEEN_USES = 60


@dataclass(frozen=True, slots=True)
class KnownKey:
    """A key's digest, by which it is recognised, its name and scopes, and until when it is valid."""

    id: str
    name: str
    digest: bytes
    scopes: frozenset[Scope]
    expires_at: float = inf  # seconds since 1970


class ApiKeyStore:
    """Rows of API keys."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, request: ApiKeyRequest) -> NewApiKey:
        """Create a key; its secret is in the returned value alone.

        Raises
        ------
        Conflict
            Beyond ``MAX_KEYS``.
        """
        key = draw_key()
        values = {
            "id": key.id,
            "name": request.name,
            "scopes": request.scopes,
            "sha256": key.digest.hex(),
            "created_at": time.time(),
            "expires_at": None if request.expires_at is None else request.expires_at.timestamp(),
        }
        with self._database.transaction() as connection:
            if connection.execute(select(func.count()).select_from(api_keys)).scalar_one() >= MAX_KEYS:
                raise Conflict("conflict", f"there are {MAX_KEYS:,} keys already, the most there can be; revoke some")
            connection.execute(insert(api_keys).values(**values))
            view = _view(existing_record(connection, api_keys, key.id))
        return NewApiKey(**view.model_dump(), secret=key.text)

    def get(self, key_id: str) -> ApiKey:
        """Return the key without its secret."""
        with self._database.reading() as connection:
            return _view(existing_record(connection, api_keys, key_id))

    def list(self, limit: int, cursor: str | None, **filters: str) -> Page[ApiKey]:
        """Return one page of keys, newest first: those that have these values in these columns."""
        query = where_equal(select(api_keys), api_keys, filters)
        with self._database.reading() as connection:
            return read_page(connection, query, api_keys, (limit, cursor), _view)

    def revoke(self, key_id: str) -> None:
        """Forget the key; within two seconds no process lets it in."""
        with self._database.transaction() as connection:
            existing_record(connection, api_keys, key_id)
            forget_keys_of(connection, key_id)
            connection.execute(delete(api_keys).where(api_keys.c.id == key_id))

    def ids(self) -> set[str]:
        """Return the ids of all keys; a key never changes except for the time of its last use."""
        with self._database.reading() as connection:
            return set(connection.execute(select(api_keys.c.id)).scalars())

    def known(self) -> dict[str, KnownKey]:
        """Return all keys by their ids, as callers are recognised by them."""
        columns = api_keys.c
        query = select(columns.id, columns.name, columns.sha256, columns.scopes, columns.expires_at)
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return {
            key_id: KnownKey(
                key_id, name, bytes.fromhex(digest), frozenset(scopes), inf if expires_at is None else expires_at
            )
            for key_id, name, digest, scopes, expires_at in rows
        }

    def mark_used(self, used_at: Mapping[str, float]) -> None:
        """Write down when keys were used, unless another process did within the last minute."""
        last = api_keys.c.last_used_at
        with self._database.transaction() as connection:
            for key_id, at in used_at.items():
                # A use in the future was written before the clock was set back.
                is_due = or_(last.is_(None), last <= at - SECONDS_BETWEEN_USES, last > at + SECONDS_BETWEEN_USES)
                connection.execute(update(api_keys).where(api_keys.c.id == key_id, is_due).values(last_used_at=at))


def _view(row: RowMapping) -> ApiKey:
    return ApiKey(
        id=row["id"],
        name=row["name"],
        scopes=row["scopes"],
        created_at=moment(row["created_at"]),
        expires_at=None if row["expires_at"] is None else moment(row["expires_at"]),
        last_used_at=None if row["last_used_at"] is None else moment(row["last_used_at"]),
    )
