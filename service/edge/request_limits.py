"""RequestLimits: callers who come too often, and requests beyond what can be answered soon, are told when to come back.

All of it is decided before a body is read, in memory, without waiting.
"""

import ipaddress
import math
from collections import Counter
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .allowances import Allowances
from .asgi import Application, Receive, Scope, Send
from .refusing import refuse, refuse_and_close, retry_after

SURPLUS = "leafspace.surplus"
"""Where a scope says, if it does, which limit of the server the request came on top of: one of ``_SURPLUSES``."""
TOO_MANY_WAIT, TOO_MANY_CONNECTIONS = "waiting", "connections"

_ALWAYS_ANSWERED = frozenset({"/livez", "/readyz", "/metrics"})
_UPLOADS = frozenset({"/v1/models", "/v1/datasets"})
_EXPLAINING = "/explanations"
_WATCHING = "/v1/jobs/"  # many wait long for an answer here, and cost little meanwhile
_SURPLUSES = {
    TOO_MANY_WAIT: "more requests have come than can be answered soon; send yours again in a moment",
    TOO_MANY_CONNECTIONS: "your address has too many connections open; close some, or use them again",
}
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


class RequestLimits:
    """Answer 429 to callers beyond their rate, 503 beyond what the service takes on, each with ``Retry-After``."""

    def __init__(self, app: Application, rates: RequestRates) -> None:
        self._app = app
        self._rates = rates
        self._requests = _allowances(rates.per_second, rates.burst)
        self._explanations = _allowances(rates.explanations_per_second, rates.explanations_burst)
        self._n_under_way = 0
        self._uploads: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or (path := scope["path"]) in _ALWAYS_ANSWERED:
            await self._app(scope, receive, send)
            return
        if (surplus := scope.get(SURPLUS)) is not None:
            await _refuse_surplus(scope, receive, send, surplus)
            return
        is_explaining = path.endswith(_EXPLAINING)
        allowances = self._explanations if is_explaining else self._requests
        if allowances is not None and (caller := _limited_caller(scope)) is not None:
            seconds = allowances.take(caller)
            if seconds:
                await self._refuse_rate(scope, receive, send, seconds, is_explaining=is_explaining)
                return
        if is_explaining or path.startswith(_WATCHING):
            await self._app(scope, receive, send)
        elif path in _UPLOADS and scope["method"] == "POST":
            await self._upload(scope, receive, send)
        else:
            await self._go_under_way(scope, receive, send)

    async def _go_under_way(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._n_under_way >= self._rates.n_under_way:
            detail = f"{self._n_under_way} requests are under way already; send yours again in a moment"
            await refuse(scope, receive, send, "unavailable", detail, [retry_after(_BUSY_SECONDS)])
            return
        self._n_under_way += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._n_under_way -= 1

    async def _upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller, rates = _caller(scope), self._rates
        if self._uploads[caller] >= rates.n_uploads_of_caller:
            detail = f"{rates.n_uploads_of_caller} uploads of yours are under way already, the limit of one caller"
            await _refuse_upload(scope, receive, send, "rate_limited", detail)
        elif self._uploads.total() >= rates.n_uploads:
            detail = f"{rates.n_uploads} uploads are under way already; send yours again in a moment"
            await _refuse_upload(scope, receive, send, "unavailable", detail)
        else:
            self._uploads[caller] += 1
            try:
                await self._app(scope, receive, send)
            finally:
                self._uploads[caller] -= 1
                if not self._uploads[caller]:
                    del self._uploads[caller]

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


def _allowances(per_second: float, burst: int) -> Allowances | None:
    return Allowances(per_second, burst) if per_second > 0 else None


def _refuse_surplus(scope: Scope, receive: Receive, send: Send, surplus: str) -> Awaitable[None]:
    headers = [retry_after(_BUSY_SECONDS)]
    if surplus == TOO_MANY_CONNECTIONS:
        return refuse_and_close(scope, send, "unavailable", _SURPLUSES[surplus], headers)
    return refuse(scope, receive, send, "unavailable", _SURPLUSES[surplus], headers)


async def _refuse_upload(scope: Scope, receive: Receive, send: Send, code: str, detail: str) -> None:
    await refuse(scope, receive, send, code, detail, [retry_after(_UPLOAD_SECONDS)])


def _limited_caller(scope: Mapping[str, Any]) -> str | None:
    """Return who is counted; nobody where this machine asks without a key, be it for itself or as a proxy."""
    caller = _caller(scope)
    return None if caller == _THIS_MACHINE else caller


def _caller(scope: Mapping[str, Any]) -> str:
    caller = scope.get("caller")
    if caller is not None and caller.key_id is not None:
        key_id: str = caller.key_id
        return key_id
    client = scope.get("client")
    return _THIS_MACHINE if client is None else _place_of(client[0])


_THIS_MACHINE = "loopback"


@lru_cache(4096)
def _place_of(address: str) -> str:
    """Return under what an address is counted: IPv6 addresses of one network are one caller's to choose from."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    if parsed.is_loopback:
        return _THIS_MACHINE
    return str(parsed) if parsed.version == 4 else str(ipaddress.ip_network((int(parsed), 64), strict=False))  # noqa: PLR2004
