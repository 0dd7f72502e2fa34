"""Idempotency keys: what a key of a caller made. A key's row is written before anything is made with it.

So only one of several requests with a new key can make something. The row holds no answer: a caller that sends the key
again gets the thing in its current state, and when the thing is deleted, its keys are forgotten with it
(``records.forget_keys_of``).
"""

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import BoundedSemaphore

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from .database import Database
from .errors import Conflict, StorageUnavailable
from .records import first_record
from .tables import idempotency_keys

_TOKEN_BYTES = 16
_PATIENCE_SECONDS = 3.0
_POLL_SECONDS = 0.05
_MOST_WAITING = 8  # each keeps one of the 40 threads that other requests could have
_ABANDONED_SECONDS = 3600.0  # longer than any request takes


@dataclass(frozen=True, slots=True)
class RequestKey:
    """An idempotency key, and whose it is: callers never meet each other's answers."""

    caller: str  # id of an API key; empty where none is required
    key: str


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """What a request made, or found made."""

    status: int  # 201: it was made; 202: a job was begun; 200: it was there, or being made
    thing: str  # its id


@dataclass(frozen=True, slots=True)
class KeyClaim:
    """The right to carry out a key's request; ends with ``complete`` or ``release``."""

    key: RequestKey
    request_sha256: str
    token: str


class IdempotencyStore:
    """What keys made, and which of them make something now.

    Parameters
    ----------
    patience_seconds
        How long a request waits for an equal one with the same key. After that it is taken on as well: equal requests
        make the same thing, and the process of the other one may have been killed.
    most_waiting
        How many requests may wait at once, whatever their keys; those beyond are refused and may come again.
    """

    def __init__(
        self,
        database: Database,
        now: Callable[[], float] = time.time,
        patience_seconds: float = _PATIENCE_SECONDS,
        most_waiting: int = _MOST_WAITING,
    ) -> None:
        self._database = database
        self._now = now
        self._patience_seconds = patience_seconds
        self._waiting_slots = BoundedSemaphore(most_waiting)

    def begin(self, key: RequestKey, request_sha256: str) -> RecordedAnswer | KeyClaim:
        """Return what the key made, or the right to make it.

        Raises
        ------
        Conflict
            If the key belongs to another request, be it one that is still under way.
        StorageUnavailable
            If an equal request is under way, and the maximum number of others wait already.
        """
        for _ in range(2):  # where another request had the key a moment sooner, it shows now whether it is an equal one
            begun = self._begun(key, request_sha256, may_take_over=False)
            if begun is not None:
                return begun
        with self._waiting_slot():
            return self._wait(key, request_sha256)

    @contextmanager
    def _waiting_slot(self) -> Iterator[None]:
        if not self._waiting_slots.acquire(blocking=False):
            message = "an equal request with the same Idempotency-Key is under way; send it again in a moment"
            raise StorageUnavailable(message)
        try:
            yield
        finally:
            self._waiting_slots.release()

    def _wait(self, key: RequestKey, request_sha256: str) -> RecordedAnswer | KeyClaim:
        until = time.monotonic() + self._patience_seconds
        while True:
            time.sleep(_POLL_SECONDS)
            begun = self._begun(key, request_sha256, may_take_over=time.monotonic() >= until)
            if begun is not None:
                return begun

    def _begun(self, key: RequestKey, request_sha256: str, *, may_take_over: bool) -> RecordedAnswer | KeyClaim | None:
        """Return what the key made, or the right to make it; ``None`` while an equal request makes it."""
        with self._database.reading() as connection:
            row = first_record(connection, select(idempotency_keys).where(_is(key)))
        if row is not None and row["status"] is not None:
            return _recorded(row, request_sha256)
        if row is None or may_take_over or self._is_another(row, request_sha256):
            return self._claim(key, request_sha256, may_take_over=may_take_over)
        return None

    def complete(self, claim: KeyClaim, answer: RecordedAnswer) -> RecordedAnswer:
        """Keep what was made and return it; where an equal request was faster, return what that one kept."""
        with self._database.transaction() as connection:
            row = _locked(connection, claim.key)
            if row is None or row["request_sha256"] != claim.request_sha256:
                return answer  # forgotten long ago, and the key may be another request's by now
            # Of equal requests, that which made the thing counts, not one that found it made.
            recorded = answer
            if row["status"] is not None:
                recorded = RecordedAnswer(max(row["status"], answer.status), row["thing"])
            values = {"status": recorded.status, "thing": recorded.thing, "token": None}
            connection.execute(update(idempotency_keys).where(_is(claim.key)).values(**values))
            return recorded

    def release(self, claim: KeyClaim) -> None:
        """Let the key be used again: its request was refused, and made nothing."""
        with self._database.transaction() as connection:
            # Unless an equal request has taken over.
            connection.execute(delete(idempotency_keys).where(_is(claim.key), idempotency_keys.c.token == claim.token))

    def forget(self, key: RequestKey, answer: RecordedAnswer) -> None:
        """Delete the record that the key made this thing, which was deleted."""
        with self._database.transaction() as connection:
            connection.execute(delete(idempotency_keys).where(_is(key), idempotency_keys.c.thing == answer.thing))

    def _claim(self, key: RequestKey, request_sha256: str, *, may_take_over: bool) -> RecordedAnswer | KeyClaim | None:
        """Return what the key made, or the right to make it; ``None`` while an equal request makes it."""
        claim = KeyClaim(key, request_sha256, secrets.token_hex(_TOKEN_BYTES))
        values = {"request_sha256": request_sha256, "token": claim.token, "created_at": self._now()}
        with self._database.transaction() as connection:
            row = _locked(connection, key)
            if row is None:
                return claim if _insert(connection, key, values) else None
            if row["status"] is not None:
                return _recorded(row, request_sha256)
            if self._is_another(row, request_sha256):
                raise _another_request(key.key)
            if not may_take_over and row["request_sha256"] == request_sha256:
                return None
            connection.execute(update(idempotency_keys).where(_is(key)).values(**values))
            return claim

    def _is_another(self, row: RowMapping, request_sha256: str) -> bool:
        """Whether the row is another request's, which may still be under way."""
        is_abandoned = abs(self._now() - row["created_at"]) > _ABANDONED_SECONDS  # a clock may be set back, too
        return row["request_sha256"] != request_sha256 and not is_abandoned


def _is(key: RequestKey) -> ColumnElement[bool]:
    return and_(idempotency_keys.c.caller == key.caller, idempotency_keys.c.key == key.key)


def _locked(connection: Connection, key: RequestKey) -> RowMapping | None:
    return first_record(connection, select(idempotency_keys).where(_is(key)).with_for_update())


def _insert(connection: Connection, key: RequestKey, values: dict[str, object]) -> bool:
    """Write a new key's row; return whether no other request was faster."""
    try:
        with connection.begin_nested():
            connection.execute(insert(idempotency_keys).values(caller=key.caller, key=key.key, **values))
    except IntegrityError:
        return False
    return True


def _recorded(row: RowMapping, request_sha256: str) -> RecordedAnswer:
    if row["request_sha256"] != request_sha256:
        raise _another_request(row["key"])
    return RecordedAnswer(row["status"], row["thing"])


def _another_request(key: str) -> Conflict:
    detail = f"Idempotency-Key {key!r} was used for another request; choose a new key for a new request"
    return Conflict("idempotency_key_reused", detail)
