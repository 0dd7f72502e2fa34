"""Connections to PostgreSQL that end when the server is silent, wherever the silence comes from."""

from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.pq import TransactionStatus
from sqlalchemy import Engine, event
from sqlalchemy.exc import DisconnectionError

from .settings import Timeouts

_SECONDS_FOR_ITS_OWN_WORD = 1  # the server, if it lives, ends a statement first
_LIVES = {"keepalives": 1, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
_UNACKNOWLEDGED_MILLISECONDS = 15_000  # until data that was sent must be acknowledged
_Answer = TypeVar("_Answer")


class BoundedConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that waits so long for an answer, and is closed when there was none."""

    answer_seconds: float | None = None

    def wait(self, gen: PQGen[_Answer], interval: float = 0.1, timeout: float | None = None) -> _Answer:
        """Return what the server says; raise ``OperationalError`` when that takes too long."""
        # A server that hangs keeps its sockets open: neither TCP nor its own limits would notice.
        try:
            return super().wait(gen, interval, self.answer_seconds if timeout is None else timeout)
        except psycopg.OperationalError:
            if self.info.transaction_status == TransactionStatus.ACTIVE:  # the answer may still come, too late
                self.close()
            raise


def bound_connections(engine: Engine, timeouts: Timeouts | None) -> None:
    """Let the engine make such connections, and replace those that became read-only; see ``connect``."""
    event.listen(engine, "do_connect", lambda _dialect, _record, _, parameters: connect(timeouts, parameters))
    event.listen(engine, "checkout", _use_read_only_once)


def connect(timeouts: Timeouts | None, parameters: dict[str, Any]) -> BoundedConnection:
    """Return a new connection; without timeouts, which is for migrations, statements take the time that they take.

    What the URL says, ``parameters``, goes before what is set here.
    """
    limits_of_waiting = {
        "connect_timeout": (timeouts or Timeouts()).connection_seconds,
        "tcp_user_timeout": _UNACKNOWLEDGED_MILLISECONDS,
    }
    connection = BoundedConnection.connect(**{**_LIVES, **limits_of_waiting, **parameters})
    if timeouts is not None:
        connection.answer_seconds = timeouts.answer_seconds + _SECONDS_FOR_ITS_OWN_WORD
        limits = {"lock_timeout": timeouts.lock_seconds, "statement_timeout": timeouts.answer_seconds}
        connection.execute("; ".join(f"SET {name} = '{seconds:g}s'" for name, seconds in limits.items()))
        connection.commit()
    return connection


def _use_read_only_once(connection: Any, record: Any, _proxy: object) -> None:  # driver's and pool's
    # A session that began while the server was read-only stays so, even when the server no longer is.
    # Servers from version 14 on report both by themselves.
    reported = ("default_transaction_read_only", "in_hot_standby")
    is_read_only = any(connection.info.parameter_status(name) == "on" for name in reported)
    if record.info.get("was_used") and is_read_only:
        raise DisconnectionError
    record.info["was_used"] = True
