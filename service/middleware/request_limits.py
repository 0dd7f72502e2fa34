"""RequestLimits: callers who come too often, and requests beyond what can be answered soon, are told when to come back.

All of it is decided before a body is read, in memory, without waiting.
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .allowances import limited_to
from .asgi import Application, Receive, Scope, Send
from .callers import CURRENT_KEY, counted_as, limited_caller
from .refusing import refuse, retry_after
from .surplus import ALWAYS_ANSWERED

_UPLOADS = frozenset({"/v1/models", "/v1/datasets"})
_EXPLAINING = "/explanations"
_JOBS, _EVENTS, _PREFER = "/v1/jobs/", "/events", b"prefer"
_BUSY_SECONDS = 1
_UPLOAD_SECONDS = 2


@dataclass(frozen=True, slots=True)
class RequestRates:
    """How often a caller may come: a key, or an address without one. Loopback addresses without keys may always."""

    per_second: float = 200  # 0: as often as they like
    burst: int = 400
    explanations_per_second: float = 2000  # calls for explanations are counted apart
    explanations_burst: int = 4000
    n_uploads: int = 16  # under way at once: coming in, waiting to be read, or being read
    n_uploads_of_caller: int = 8
    n_under_way: int = 512  # other requests; not explanations, which have a queue of their own, and who watches jobs
    n_under_way_of_caller: int = 64
    n_watching_of_caller: int = 128  # requests that wait for a job to go on; they cost little meanwhile
    refused_per_second: float = (
        10  # without a key, with a wrong one, or with one that may not; 0: as often as they like
    )
    refused_burst: int = 100


class RequestLimits:
    """Answer 429 to callers beyond their rate, 503 beyond what the service takes on, each with ``Retry-After``."""

    def __init__(self, app: Application, rates: RequestRates) -> None:
        self._app = app
        self._rates = rates
        self._requests = limited_to(rates.per_second, rates.burst)
        self._explanations = limited_to(rates.explanations_per_second, rates.explanations_burst)
        self._uploads = _Places("uploads", rates.n_uploads, rates.n_uploads_of_caller, _UPLOAD_SECONDS)
        self._others = _Places("requests", rates.n_under_way, rates.n_under_way_of_caller, _BUSY_SECONDS)
        self._watchers = _Places("requests that wait for jobs", math.inf, rates.n_watching_of_caller, _BUSY_SECONDS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or (path := scope["path"]) in ALWAYS_ANSWERED:
            await self._app(scope, receive, send)
            return
        is_explaining = path.endswith(_EXPLAINING)
        allowances = self._explanations if is_explaining else self._requests
        if allowances is not None and (caller := limited_caller(scope)) is not None:
            seconds = allowances.take(caller)
            if seconds:
                await self._refuse_rate(scope, receive, send, seconds, is_explaining=is_explaining)
                return
        if is_explaining:
            await self._app(scope, receive, send)
        elif path in _UPLOADS and scope["method"] == "POST":
            await self._go_under_way(scope, receive, send, self._uploads, counted_as(scope))
        else:
            CURRENT_KEY.set(None if (caller := scope.get("caller")) is None else caller.key_id)
            places = self._watchers if _is_watching(scope) else self._others
            await self._go_under_way(scope, receive, send, places, limited_caller(scope))

    async def _go_under_way(
        self, scope: Scope, receive: Receive, send: Send, places: "_Places", caller: str | None
    ) -> None:
        refusal = places.refusal(caller)
        if refusal is not None:
            await refuse(scope, receive, send, *refusal, [retry_after(places.seconds)])
            return
        places.take(caller)
        try:
            await self._app(scope, receive, send)
        finally:
            places.give_back(caller)

    async def _refuse_rate(
        self, scope: Scope, receive: Receive, send: Send, seconds: float, *, is_explaining: bool
    ) -> None:
        rates = self._rates
        limit = (
            f"{rates.explanations_per_second:g} calls for explanations a second, and {rates.explanations_burst} at once"
            if is_explaining
            else f"{rates.per_second:g} requests a second, and {rates.burst} at once"
        )
        detail = f"you may send {limit}; send this one again in {seconds:.3f} s"
        await refuse(scope, receive, send, "rate_limited", detail, [retry_after(math.ceil(seconds))])


class _Places:
    """Places that requests have while they are under way: so many in all, and so many of one caller."""

    __slots__ = ("_n_in_all", "_n_of_caller", "_n_taken", "_noun", "_taken", "seconds")

    def __init__(self, noun: str, n_in_all: float, n_of_caller: int, seconds: int) -> None:
        self._noun = noun
        self._n_in_all = n_in_all
        self._n_of_caller = n_of_caller
        self.seconds = seconds  # after which to come back
        self._n_taken = 0
        self._taken: Counter[str | None] = Counter()

    def refusal(self, caller: str | None) -> tuple[str, str] | None:
        """Return why there is no place, as code and detail; ``None`` is a caller who may take all."""
        if caller is not None and self._taken[caller] >= self._n_of_caller:
            detail = f"{self._n_of_caller} {self._noun} of yours are under way already, the limit of one caller"
            return "rate_limited", detail
        if self._n_taken >= self._n_in_all:
            detail = f"{self._n_taken} {self._noun} are under way already; send yours again in a moment"
            return "unavailable", detail
        return None

    def take(self, caller: str | None) -> None:
        self._n_taken += 1
        self._taken[caller] += 1

    def give_back(self, caller: str | None) -> None:
        self._n_taken -= 1
        self._taken[caller] -= 1
        if not self._taken[caller]:
            del self._taken[caller]


def _is_watching(scope: Mapping[str, Any]) -> bool:
    """Say whether a request waits for a job: for its end, or for all that happens."""
    path: str = scope["path"]
    if not path.startswith(_JOBS) or scope["method"] not in {"GET", "HEAD"}:
        return False
    return path.endswith(_EVENTS) or any(name == _PREFER for name, _ in scope["headers"])
