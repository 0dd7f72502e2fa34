"""Idempotency keys: the answer that a key was given the first time."""

import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import insert
from sqlalchemy.exc import IntegrityError

from .database import Database
from .errors import Conflict
from .records import first_record
from .tables import idempotency_keys


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """What a request was answered."""

    status: int
    body: dict[str, Any]


class IdempotencyStore:
    """Answers by key."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, key: str, request_sha256: str) -> KeptAnswer | None:
        """Return the answer kept for this key; raise ``Conflict`` when it was given to another request."""
        query = idempotency_keys.select().where(idempotency_keys.c.key == key)
        with self._database.reading() as connection:
            row = first_record(connection, query)
        if row is None:
            return None
        if row["request_sha256"] != request_sha256:
            detail = f"Idempotency-Key {key!r} was used for another request; choose a new key for a new request"
            raise Conflict("idempotency_key_reused", detail)
        return KeptAnswer(row["status"], row["answer"])

    def keep(self, key: str, request_sha256: str, answer: KeptAnswer) -> None:
        """Keep the answer; the first one stays where two requests with one key ran at once."""
        values = {"key": key, "request_sha256": request_sha256, "status": answer.status, "answer": answer.body}
        try:
            with self._database.transaction() as connection:
                connection.execute(insert(idempotency_keys).values(**values, created_at=time.time()))
        except IntegrityError:
            return
