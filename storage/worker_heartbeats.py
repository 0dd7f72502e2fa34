"""WorkerHeartbeats: what workers publish over Redis: that they live, by which rules they clear away, and how much.

All of it may be lost at any time; only monitoring depends on them.
"""

import json
import time
from collections.abc import Callable, Mapping

from redis import Redis
from redis.exceptions import RedisError

_WORKERS = "leafspace:workers"
_REMOVED = "leafspace:removed"
_RULES = "leafspace:retention"
_ALIVE_SECONDS = 15.0  # after its last heartbeat, a worker counts as lost
_FAILURES = (RedisError, OSError)


class WorkerHeartbeats:
    """Heartbeats of workers, their rules of retention, and counts of removed items, in three keys."""

    def __init__(self, redis: Redis, now: Callable[[], float] = time.time) -> None:
        self._redis = redis
        self._now = now

    def record(self, worker: str) -> None:
        """Record that this worker lives, every few seconds. Does nothing while Redis is away."""
        now = self._now()
        try:
            with self._redis.pipeline() as pipeline:
                pipeline.zadd(_WORKERS, {worker: now})
                pipeline.zremrangebyscore(_WORKERS, "-inf", now - _ALIVE_SECONDS)
                # Heartbeats from the future were recorded before the clock was set back.
                pipeline.zremrangebyscore(_WORKERS, now + _ALIVE_SECONDS, "+inf")
                pipeline.execute()
        except _FAILURES:
            return

    def record_rules(self, rules: Mapping[str, float | None]) -> None:
        """Record by which rules this worker clears away; they are forgotten soon after its last heartbeat."""
        try:
            self._redis.set(_RULES, json.dumps(rules), ex=round(_ALIVE_SECONDS))
        except _FAILURES:
            return

    def rules(self) -> dict[str, float | None] | None:
        """Return the rules of a worker that lives; ``None`` where none does, and while Redis is away."""
        try:
            text = self._redis.get(_RULES)
        except _FAILURES:
            return None
        return None if text is None else json.loads(text)

    def remove(self, worker: str) -> None:
        """Remove this worker, which ends."""
        try:
            self._redis.zrem(_WORKERS, worker)
        except _FAILURES:
            return

    def claim_turn(self, what: str, seconds: float) -> bool:
        """Return whether no other worker claimed this turn in the last ``seconds``; never while Redis is away."""
        try:
            return bool(self._redis.set(f"leafspace:turn:{what}", "1", nx=True, ex=max(1, round(seconds))))
        except _FAILURES:
            return False

    def n_workers(self) -> int | None:
        """Return how many workers live; ``None`` while Redis is away."""
        workers = self._living()
        return None if workers is None else len(workers)

    def n_workers_of(self, host: str) -> int | None:
        """Return how many workers of a host or container live; ``None`` while Redis is away."""
        workers = self._living()
        return None if workers is None else sum(worker.rpartition(".")[0] == host for worker in workers)

    def _living(self) -> list[str] | None:
        try:
            now = self._now()
            names = self._redis.zrangebyscore(_WORKERS, now - _ALIVE_SECONDS, now + _ALIVE_SECONDS)
        except _FAILURES:
            return None
        return [name.decode(errors="replace") for name in names if isinstance(name, bytes)]

    def add_removed(self, counts: Mapping[str, int]) -> None:
        """Add to the counts of items that were cleared away."""
        try:
            for what, number in counts.items():
                self._redis.hincrby(_REMOVED, what, number)
        except _FAILURES:
            return

    def n_removed(self) -> dict[str, int]:
        """Return the counts of items that were cleared away, by kind; empty while Redis is away."""
        try:
            counts: dict[bytes, bytes] = self._redis.hgetall(_REMOVED)  # type: ignore[assignment]
        except _FAILURES:
            return {}
        return {what.decode(): int(number) for what, number in counts.items()}
