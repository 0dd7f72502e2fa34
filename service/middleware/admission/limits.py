"""Limits: callers that send too much, and requests beyond what can be answered soon, are refused for a while.

Everything is decided before a body is read, in memory and without waiting. ``Surplus`` refuses what the protocol has
marked because too much waits already, before keys are checked; ``RequestLimits`` refuses by caller and in total.
"""

import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any, Protocol

from ...admission.quota import Quota
from ...admission.shared_buckets import SharedBuckets
from ...admission.shared_memory import SharedMemory
from ...callers import CURRENT_KEY
from ..asgi import Application, Receive, Scope, Send, refuse, refuse_and_close, retry_after
from ..counted_callers import counted_as, limited_caller

UPLOAD_PATHS = frozenset({"/v1/models", "/v1/datasets", "/v1/relational-datasets"})
"""Paths to which files are sent."""
SURPLUS = "leafspace.surplus"
"""Where a scope names, if at all, the limit of the server that the request exceeds: one of ``_SURPLUSES``."""
TOO_MANY_WAIT, TOO_MANY_OF_CALLER, TOO_MANY_CONNECTIONS = "waiting", "of caller", "connections"
_SURPLUSES = {
    TOO_MANY_WAIT: "more requests have come than can be answered soon; send yours again in a moment",
    TOO_MANY_OF_CALLER: "too many requests of yours wait for their turn; send fewer at once, and this one in a moment",
    TOO_MANY_CONNECTIONS: "your address has too many connections open; close some, or use them again",
}
_ALWAYS_ANSWERED = frozenset(  # checks of health matter most under overload
    {"/livez", "/readyz", "/v2/health/live", "/v2/health/ready", "/metrics"}
)

_EXPLAINING = ("/explanations", "/infer", ":explain", ":predict")  # the last three are KServe's
_STORED = "/v1/explanations"
_JOBS, _EVENTS, _PREFER = "/v1/jobs/", "/events", b"prefer"
_BUSY_SECONDS = 1
_UPLOAD_SECONDS = 2

_CROWD = "\0crowd"  # no caller has this name
_SECONDS_BETWEEN_SWEEPS = 1.0


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Limits of one connection and one address, from the first byte to the end of a request's headers."""

    header_seconds: float = 10  # from the first byte, or the connection, to the end of the headers
    n_header_bytes: int = 64 * 1024
    n_connections_per_address: int = 1024  # behind a proxy, all callers have its address; as many again are refused
    n_waiting: int = 256  # requests whose turn has not come, and as many of callers who have few; 256 take some 0.1 s


@dataclass(frozen=True, slots=True)
class RequestRates:
    """Rates of one caller: a key, or an address without one. Loopback addresses without keys have no limit."""

    per_second: float = 200  # 0: no limit
    burst: int = 400
    explanations_per_second: float = 2000  # calls for explanations are counted separately
    explanations_burst: int = 4000
    n_uploads: int = 16  # under way at once: coming in, waiting to be read, or being read
    n_uploads_of_caller: int = 8
    n_under_way: int = 512  # other requests; not explanations, which have a queue of their own, nor watchers of jobs
    n_under_way_of_caller: int = 64
    n_watching_of_caller: int = 128  # requests that wait for a job to go on; they cost little meanwhile
    refused_per_second: float = 10  # without a key, with a wrong one, or with one that may not; 0: no limit
    refused_burst: int = 100


class Surplus:
    """Answer requests that are marked as surplus with ``Retry-After``: 429 where their caller's are most, else 503."""

    def __init__(self, app: Application) -> None:
        self._app = app

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Answer one request."""
        surplus = scope.get(SURPLUS)
        if surplus is None or scope["path"] in _ALWAYS_ANSWERED:
            return self._app(scope, receive, send)
        headers = [retry_after(_BUSY_SECONDS)]
        if surplus == TOO_MANY_CONNECTIONS:
            return refuse_and_close(scope, send, "unavailable", _SURPLUSES[surplus], headers)
        code = "rate_limited" if surplus == TOO_MANY_OF_CALLER else "unavailable"
        return refuse(scope, receive, send, code, _SURPLUSES[surplus], headers)


class RequestLimits:
    """Answer 429 to callers beyond their rate, 503 beyond the limits of the service, each with ``Retry-After``."""

    def __init__(self, app: Application, rates: RequestRates, shared: SharedMemory | None = None) -> None:
        self._app = app
        self._rates = rates
        self._requests = buckets_of("requests", rates.per_second, rates.burst, shared)
        self._explanations = buckets_of("explanations", rates.explanations_per_second, rates.explanations_burst, shared)
        self._uploads = _Slots("uploads", rates.n_uploads, rates.n_uploads_of_caller, _UPLOAD_SECONDS)
        self._others = _Slots("requests", rates.n_under_way, rates.n_under_way_of_caller, _BUSY_SECONDS)
        self._watchers = _Slots("requests that wait for jobs", math.inf, rates.n_watching_of_caller, _BUSY_SECONDS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or (path := scope["path"]) in _ALWAYS_ANSWERED:
            await self._app(scope, receive, send)
            return
        is_explaining = path.endswith(_EXPLAINING) and path != _STORED
        CURRENT_KEY.set(None if (known := scope.get("caller")) is None else known.key_id)
        buckets = self._explanations if is_explaining else self._requests
        if buckets is not None and (caller := limited_caller(scope)) is not None:
            seconds = buckets.take(caller)
            if seconds:
                detail = f"{self._allowed(is_explaining=is_explaining)}; send this one again in {seconds:.3f} s"
                await refuse(scope, receive, send, "rate_limited", detail, [retry_after(math.ceil(seconds))])
                return
        if is_explaining:
            await self._app(scope, receive, send)
        elif path in UPLOAD_PATHS and scope["method"] == "POST":
            await self._run_in_slot(scope, receive, send, self._uploads, counted_as(scope))
        else:
            slots = self._watchers if _is_watching(scope) else self._others
            await self._run_in_slot(scope, receive, send, slots, limited_caller(scope))

    async def _run_in_slot(
        self, scope: Scope, receive: Receive, send: Send, slots: "_Slots", caller: str | None
    ) -> None:
        refusal = slots.refusal(caller)
        if refusal is not None:
            await refuse(scope, receive, send, *refusal, [retry_after(slots.seconds)])
            return
        slots.take(caller)
        try:
            await self._app(scope, receive, send)
        finally:
            slots.give_back(caller)

    def _allowed(self, *, is_explaining: bool) -> str:
        rates = self._rates
        if is_explaining:
            per_second, burst = rates.explanations_per_second, rates.explanations_burst
            return f"you may send {per_second:g} calls for explanations a second, and {burst} at once"
        return f"you may send {rates.per_second:g} requests a second, and {rates.burst} at once"


class _Slots:
    """Slots that requests occupy while they are under way: a number in total, and a number for each caller."""

    __slots__ = ("_noun", "_taken", "seconds")

    def __init__(self, noun: str, n_in_total: float, n_of_caller: int, seconds: int) -> None:
        self._noun = noun
        self._taken = Quota(n_in_total, n_of_caller)
        self.seconds = seconds  # after which to come back

    def refusal(self, caller: str | None) -> tuple[str, str] | None:
        """Return why there is no slot, as code and detail; ``None`` is a caller that may take all."""
        if not self._taken.is_within_share(caller, 1):
            detail = (
                f"{self._taken.most_of_caller:.0f} {self._noun} of yours are under way already, the limit of one caller"
            )
            return "rate_limited", detail
        if not self._taken.fits(1):
            detail = f"{self._taken.total:.0f} {self._noun} are under way already; send yours again in a moment"
            return "unavailable", detail
        return None

    def take(self, caller: str | None) -> None:
        self._taken.take(caller, 1)

    def give_back(self, caller: str | None) -> None:
        self._taken.take(caller, -1)


class TokenBuckets:
    """A token bucket for each caller, represented by one number: the time at which it will be full again.

    A caller whose bucket is full need not be remembered. Where too many are not, newcomers share one bucket, so that
    memory stays bounded whatever names callers choose.

    Parameters
    ----------
    per_second
        How often a caller may come in the long run.
    burst
        How often at once, after a pause.
    n_callers
        How many callers are remembered.
    """

    __slots__ = ("_clock", "_full_at", "_n_callers", "_seconds_each", "_seconds_to_fill", "_sweep_at")

    def __init__(
        self, per_second: float, burst: int, n_callers: int = 10_000, clock: Callable[[], float] = monotonic
    ) -> None:
        self._seconds_each = 1 / per_second
        self._seconds_to_fill = burst / per_second
        self._n_callers = n_callers
        self._clock = clock
        self._full_at: dict[str, float] = {}
        self._sweep_at = 0.0

    def take(self, caller: str) -> float:
        """Take one token from a caller's bucket and return 0, or return the seconds until there is one."""
        now = self._clock()
        full_at = self._full_at.get(caller)
        if full_at is None:
            if len(self._full_at) >= self._n_callers:
                caller = self._counted_name(caller, now)
            full_at = self._full_at.get(caller, now)
        full_at = max(full_at, now) + self._seconds_each
        # A millionth for rounding: a caller that waits as long as required is admitted.
        if full_at - now > self._seconds_to_fill + 1e-6:
            return full_at - now - self._seconds_to_fill
        self._full_at[caller] = full_at
        return 0

    def _counted_name(self, caller: str, now: float) -> str:
        """Forget callers whose buckets are full; return the name under which a new caller is counted."""
        if now >= self._sweep_at:
            self._sweep_at = now + _SECONDS_BETWEEN_SWEEPS
            self._full_at = {known: full_at for known, full_at in self._full_at.items() if full_at > now}
        return caller if len(self._full_at) < self._n_callers else _CROWD


class Buckets(Protocol):
    """A token bucket for each caller."""

    def take(self, caller: str) -> float:
        """Take one token from a caller's bucket and return 0, or return the seconds until there is one."""


def buckets_of(name: str, per_second: float, burst: int, shared: SharedMemory | None = None) -> Buckets | None:
    """Return the token buckets of callers, those of all processes where they share memory under this name.

    There are none where the rate is 0, which means no limit.
    """
    if per_second <= 0:
        return None
    if shared is None:
        return TokenBuckets(per_second, burst)
    return SharedBuckets(shared.buckets(name), per_second, burst)


def _is_watching(scope: Mapping[str, Any]) -> bool:
    """Return whether a request waits for a job: for its end, or for each change."""
    path: str = scope["path"]
    if not path.startswith(_JOBS) or scope["method"] not in {"GET", "HEAD"}:
        return False
    return path.endswith(_EVENTS) or any(name == _PREFER for name, _ in scope["headers"])
