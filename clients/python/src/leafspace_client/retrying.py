"""Retrying: which failures are tried again, and after how long."""

import email.utils
import logging
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from .calls import Call, NoAnswer, Pause, Program, Step
from .errors import Answered, ConnectionFailed, LeafspaceError, error_in

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

_LOG = logging.getLogger("leafspace_client")
_TRIED_AGAIN = frozenset({429, 502, 503, 504})
_FIRST_ERROR = 300
_NOTICEABLE_SECONDS = 1.0
_NEVER_REACHED = (
    "Nothing has answered at this address: correct base_url, or start the service (leafspace serve); "
    "Leafspace(url, retries=RetryPolicy(first_contact_seconds=60)) waits for one that is starting"
)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long, and after which pauses, a call is tried again.

    The n-th pause is drawn between a half and the whole of ``first_seconds * 2**(n - 1)``, so that many clients do not
    come back at the same moment. A pause that the service requests with ``Retry-After`` is kept; one that is longer
    than the rest of ``total_seconds`` is not waited for: the caller gets the error at once.

    Parameters
    ----------
    total_seconds
        How long after its first failure a call is tried again: long enough for a restart of the service. 0 means that
        no call is tried again.
    first_seconds
        The first pause.
    longest_seconds
        The longest pause that the client chooses by itself.
    first_contact_seconds
        How long after its start a call is tried again while nothing has ever answered the client, and its host has no
        address or refuses the connection: the address may be wrong. Longer, it waits for a service that is starting.
    """

    total_seconds: float = 45.0
    first_seconds: float = 0.25
    longest_seconds: float = 4.0
    first_contact_seconds: float = 2.0

    def pause_seconds(
        self, n_attempts: int, elapsed_seconds: float, requested_seconds: float | None, rng: random.Random
    ) -> float | None:
        """Return how long to wait after the n-th failed attempt, or ``None`` to give up.

        Parameters
        ----------
        n_attempts
            Number of failed attempts, from 1 on.
        elapsed_seconds
            Seconds since the first failure.
        requested_seconds
            The pause that the service requests, in seconds; ``None`` if it requests none.
        rng
            Draws the jitter.
        """
        left = self.total_seconds - elapsed_seconds
        if left <= 0 or (requested_seconds or 0.0) > left:
            return None
        whole = min(self.first_seconds * 2.0 ** min(n_attempts - 1, 60), self.longest_seconds)
        drawn = rng.uniform(whole / 2, whole)
        return min(drawn if requested_seconds is None else requested_seconds + drawn / 2, left)


@dataclass(slots=True)
class Contact:
    """Whether a client has ever reached its address; then what fails later is no fault of the address."""

    reached: bool = False


def with_retries(program: Program[T], policy: RetryPolicy, contact: Contact, rng: random.Random) -> Program[T]:
    """Return the program with each of its calls tried again where that can help.

    Tried again are calls that got no answer or one of 429, 502, 503 and 504. All calls of this client may be repeated:
    those that create carry an idempotency key, the others read, compute, rename, delete or cancel. Not tried again is
    a call whose answer took longer than the client's timeout: the service may still be computing it. An address that
    has never been reached is given up after ``policy.first_contact_seconds``. Failures that remain are raised inside
    the program, at the call.
    """
    try:
        following = _sent(program, None)
        while not isinstance(following, _End):
            try:
                outcome = yield from _carried_out(following, policy, contact, rng)
            except LeafspaceError as error:
                following = _thrown(program, error)
            else:
                following = _sent(program, outcome)
    finally:
        program.close()
    result: T = following.result
    return result


def requested_seconds(headers: Mapping[str, str]) -> float | None:
    """Return the wait that ``Retry-After`` requests, in seconds or as a date; ``None`` where there is none."""
    value = headers.get("Retry-After", "").strip()
    if value.isdecimal():
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


def _carried_out(step: Step, policy: RetryPolicy, contact: Contact, rng: random.Random) -> Program[Any]:
    if not isinstance(step, Call):
        return (yield step)
    attempts = _Attempts(policy, contact)
    while True:
        outcome = yield step
        failure = attempts.failure(outcome)
        if failure is None:
            return outcome
        seconds = attempts.pause_seconds(outcome, rng)
        if seconds is None:
            raise failure
        _LOG.log(attempts.level(seconds), "%s; trying again for up to %.0f s", failure, attempts.seconds_left())
        yield Pause(seconds)


class _Attempts:
    """The attempts of one call, from when it begins."""

    def __init__(self, policy: RetryPolicy, contact: Contact) -> None:
        self._policy, self._contact = policy, contact
        self._n, self._since, self._noticed = 0, time.monotonic(), False

    def failure(self, outcome: "httpx.Response | NoAnswer") -> LeafspaceError | None:
        """Return the error that an outcome is; None for an answer."""
        self._n += 1
        self._contact.reached |= not (isinstance(outcome, NoAnswer) and outcome.is_unreached)
        if self._n == 1 and self._contact.reached:
            self._since = time.monotonic()
        if isinstance(outcome, NoAnswer):
            detail = outcome.reason if self._contact.reached else f"{outcome.reason} {_NEVER_REACHED}"
            return ConnectionFailed("connection_failed", detail, Answered(n_attempts=self._n))
        return error_in(outcome, self._n) if outcome.status_code >= _FIRST_ERROR else None

    def pause_seconds(self, outcome: "httpx.Response | NoAnswer", rng: random.Random) -> float | None:
        """Return how long to wait before the next attempt; None to give up."""
        if not _may_try_again(outcome):
            return None
        elapsed_seconds = time.monotonic() - self._since
        return self._limited().pause_seconds(self._n, elapsed_seconds, _requested(outcome), rng)

    def seconds_left(self) -> float:
        """Return for how many seconds the call may still be tried again."""
        return max(0.0, self._limited().total_seconds - (time.monotonic() - self._since))

    def level(self, seconds: float) -> int:
        """Return at which level the next pause is logged: one that people notice is a warning, once a call."""
        # Nobody should wonder for long why nothing happens: without any set-up, Python prints warnings.
        if seconds < _NOTICEABLE_SECONDS or self._noticed:
            return logging.DEBUG
        self._noticed = True
        return logging.WARNING

    def _limited(self) -> RetryPolicy:
        if self._contact.reached:
            return self._policy
        return replace(self._policy, total_seconds=min(self._policy.total_seconds, self._policy.first_contact_seconds))


def _may_try_again(outcome: "httpx.Response | NoAnswer") -> bool:
    return outcome.may_try_again if isinstance(outcome, NoAnswer) else outcome.status_code in _TRIED_AGAIN


def _requested(outcome: "httpx.Response | NoAnswer") -> float | None:
    return None if isinstance(outcome, NoAnswer) else requested_seconds(outcome.headers)
