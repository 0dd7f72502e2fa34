"""Idempotency keys: the answer that a key of a caller was given the first time."""

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
class RequestKey:
    """An idempotency key, and whose it is: callers never meet each other's answers."""

    caller: str  # id of an API key; empty where none is asked for
    key: str


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """What a request was answered."""

    status: int
    body: dict[str, Any]


class IdempotencyStore:
    """Answers by key."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, key: RequestKey, request_sha256: str) -> KeptAnswer | None:
        """Return the answer kept for this key; raise ``Conflict`` when it was given to another request."""
        table = idempotency_keys
        query = table.select().where(table.c.caller == key.caller, table.c.key == key.key)
        with self._database.reading() as connection:
            row = first_record(connection, query)
        if row is None:
            return None
        if row["request_sha256"] != request_sha256:
            detail = f"Idempotency-Key {key.key!r} was used for another request; choose a new key for a new request"
            raise Conflict("idempotency_key_reused", detail)
        return KeptAnswer(row["status"], row["answer"])

    def keep(self, key: RequestKey, request_sha256: str, answer: KeptAnswer) -> KeptAnswer:
        """Keep the answer and return it; where two requests with one key ran at once, the one that was first.

        Raises
        ------
        Conflict
            If the first one was another request.
        """
        values = {
            "caller": key.caller,
            "key": key.key,
            "request_sha256": request_sha256,
            "status": answer.status,
            "answer": answer.body,
        }
        with self._database.transaction() as connection:
            try:
                with connection.begin_nested():
                    connection.execute(insert(idempotency_keys).values(**values, created_at=time.time()))
            except IntegrityError:
                is_first = False
            else:
                is_first = True
        return answer if is_first else self.find(key, request_sha256) or answer
