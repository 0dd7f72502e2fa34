"""Retrying: which failures are tried again, and after how long."""

import email.utils
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from .calls import Call, NoAnswer, Pause, Program, Step
from .errors import ConnectionFailed, LeafspaceError
from .problems import error_in

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

_TRIED_AGAIN = frozenset({429, 503})
_FIRST_ERROR = 300


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and after how long a call is tried again.

    The n-th pause is drawn between a half and the whole of ``first_seconds * 2**n``, so that many clients do not
    come back at the same moment; a pause that the service asks for is kept, unless it is too long to wait.
    """

    n_retries: int = 4
    first_seconds: float = 0.25
    longest_seconds: float = 8.0
    longest_asked_seconds: float = 60.0

    def pause_seconds(self, n_attempts: int, asked_seconds: float | None, rng: random.Random) -> float | None:
        """Return how long to wait after the n-th failed attempt, or ``None`` to give up."""
        if n_attempts > self.n_retries or (asked_seconds or 0.0) > self.longest_asked_seconds:
            return None
        whole = min(self.first_seconds * 2 ** (n_attempts - 1), self.longest_seconds)
        drawn = rng.uniform(whole / 2, whole)
        return drawn if asked_seconds is None else asked_seconds + drawn / 2


def with_retries(program: Program[T], policy: RetryPolicy, rng: random.Random) -> Program[T]:
    """Return the program with each of its calls tried again where that can help.

    Failures that remain are raised inside the program, at the call. All calls of this client may be repeated: those
    that create carry an idempotency key.
    """
    try:
        following = _sent(program, None)
        while not isinstance(following, _End):
            try:
                outcome = yield from _carried_out(following, policy, rng)
            except LeafspaceError as error:
                following = _thrown(program, error)
            else:
                following = _sent(program, outcome)
    finally:
        program.close()
    result: T = following.result
    return result


def asked_seconds(headers: Mapping[str, str]) -> float | None:
    """Return how long ``Retry-After`` asks to wait, given in seconds or as a moment; ``None`` where it does not."""
    value = headers.get("Retry-After", "").strip()
    if value.isdigit():
        return float(value)
    try:
        moment = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, moment.timestamp() - time.time())


@dataclass(frozen=True, slots=True)
class _End:
    result: Any


def _sent(program: Program[Any], outcome: object) -> "Step | _End":
    try:
        return program.send(outcome)
    except StopIteration as end:
        return _End(end.value)


def _thrown(program: Program[Any], error: LeafspaceError) -> "Step | _End":
    try:
        return program.throw(error)
    except StopIteration as end:
        return _End(end.value)


def _carried_out(step: Step, policy: RetryPolicy, rng: random.Random) -> Program[Any]:
    if not isinstance(step, Call):
        return (yield step)
    n_attempts = 0
    while True:
        n_attempts += 1
        outcome = yield step
        failure = _failure(outcome, n_attempts)
        if failure is None:
            return outcome
        seconds = policy.pause_seconds(n_attempts, _asked(outcome), rng) if _may_try_again(outcome) else None
        if seconds is None:
            raise failure
        yield Pause(seconds)


def _failure(outcome: "httpx.Response | NoAnswer", n_attempts: int) -> LeafspaceError | None:
    if isinstance(outcome, NoAnswer):
        return ConnectionFailed("connection_failed", outcome.reason)
    return error_in(outcome, n_attempts) if outcome.status_code >= _FIRST_ERROR else None


def _may_try_again(outcome: "httpx.Response | NoAnswer") -> bool:
    return outcome.may_try_again if isinstance(outcome, NoAnswer) else outcome.status_code in _TRIED_AGAIN


def _asked(outcome: "httpx.Response | NoAnswer") -> float | None:
    return None if isinstance(outcome, NoAnswer) else asked_seconds(outcome.headers)
