"""Access: which callers may send which requests.

With keys, ``Authorization`` answers 401 without a valid key and 403 where its scopes do not suffice; a few paths are
public. Without keys, the service listens on loopback alone and answers programs and pages of this machine only.
"""

import asyncio
import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

from schemas.scopes import SCOPES, Scope

from ...callers import ANY_CALLER, NO_CALLER, Caller
from ..addresses import comes_from_elsewhere
from ..admission.limits import Buckets
from ..asgi import Application, Receive, Send, refuse, retry_after
from ..asgi import Scope as AsgiScope
from ..counted_callers import counted_as

PUBLIC_PATHS = frozenset(
    {
        "/livez",
        "/readyz",
        "/v2/health/live",
        "/v2/health/ready",
        "/docs",
        "/openapi.json",
        "/problems",
        "/",
        "/ui",
        "/page/codes/redeem",
    }
)
"""Health, the documentation, and the page's own files, which are the same everywhere."""
_METRICS = "/metrics"
PUBLIC_PREFIXES = ("/docs/assets/", "/problems/", "/ui/")
_SECONDS_FOR_KEYS = 1.0
_POLLS_OF_KEYS = 20


class Keys(Protocol):
    """The keys that are known."""

    def find(self, credentials: bytes) -> Caller | None:
        """Return the caller with these credentials."""

    def is_stale(self) -> bool:
        """Return whether the known keys are too old to be trusted."""


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """The source of valid keys, and the scopes that routes require."""

    keys: Callable[[], Keys]  # available once the application has started
    scopes_for: Callable[[str, str], frozenset[Scope]]  # a method and a path


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is refused."""

    code: str
    detail: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


_ELSEWHERE = Refusal(
    "foreign_request",
    "a browser's page of another site sent this, or Host does not name this machine: without keys, only this machine's "
    "own programs and pages are answered; call http://127.0.0.1 or http://localhost, name the page's origin in "
    "LEAFSPACE_CORS_ORIGINS, or have the service require keys (LEAFSPACE_REQUIRE_KEYS=1)",
)
_HOW = "send `Authorization: Bearer lsk_…` with a key of this service; `leafspace keys create` makes the first one"
_NO_KEY = Refusal("unauthenticated", _HOW, ((b"www-authenticate", b"Bearer"),))
_BAD_KEY = Refusal(
    "unauthenticated",
    "this is not a key of this service: it is misspelt, has expired or was revoked; send one, as "
    "`Authorization: Bearer lsk_…`",
    ((b"www-authenticate", b'Bearer error="invalid_token"'),),
)
_KEYS_AWAY = Refusal(
    "unavailable", "keys cannot be checked, as the database does not answer; try again in a moment", (retry_after(1),)
)


class Authorization:
    """Identify the caller, as ``scope["caller"]``; answer 401 without a valid key, 403 where its scopes do not suffice.

    Callers that are refused too often are answered 429 instead. Where no keys are required, requests that pages of
    other sites have a browser send are answered 403.

    Everything is decided by method, path and headers, before a body is read. Paths that are not in the contract
    need all scopes, so that a route that was forgotten is not open to everybody.
    """

    def __init__(
        self,
        app: Application,
        policy: AccessPolicy | None,
        refused: Buckets | None = None,
        origins: Collection[str] = (),
    ) -> None:
        self._app = app
        self._policy = policy  # none: no keys are required
        self._refused = refused  # how often a key, or an address without one, may be refused; none: no limit
        self._origins = frozenset(origin.encode() for origin in origins)  # of pages that may call

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = None
        if self._policy is None:
            scope["caller"] = ANY_CALLER
            refusal = _ELSEWHERE if comes_from_elsewhere(scope["headers"], self._origins) else None
        elif scope["path"] in PUBLIC_PATHS or scope["path"].startswith(PUBLIC_PREFIXES):
            scope["caller"] = NO_CALLER
        else:
            refusal = await _refusal(self._policy, scope)
            if refusal is not None and refusal is not _KEYS_AWAY and self._refused is not None:
                refusal = _limited(refusal, self._refused.take(counted_as(scope)))
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await refuse(scope, receive, send, refusal.code, refusal.detail, refusal.headers)


async def _refusal(policy: AccessPolicy, scope: AsgiScope) -> Refusal | None:
    """Return why the request is refused, if it is; otherwise its scope identifies the caller."""
    shown = [value for name, value in scope["headers"] if name == b"authorization"]
    if not shown:
        return _NO_KEY
    keys = policy.keys()
    is_too_old = keys.is_stale() and not await _renewed(keys)
    caller = keys.find(shown[0]) if len(shown) == 1 else None
    # Metrics report that the database is away: for them alone, keys that were known before suffice.
    if is_too_old and (caller is None or scope["path"] != _METRICS):
        return _KEYS_AWAY
    if caller is None:
        return _BAD_KEY
    scope["caller"] = caller
    needed = policy.scopes_for(scope["method"], scope["path"])
    if needed <= caller.scopes:
        return None
    wanted, held = _listed(needed), _listed(caller.scopes)
    missing, present = (scopes.replace(" ", " and ") for scopes in (wanted, held))
    key = f"the key {caller.key_name!r} ({caller.key_id})"
    detail = f"this needs the scope {missing}; {key} has {present}: use another key, or have one made"
    challenge = f'Bearer error="insufficient_scope", scope="{wanted}"'
    return Refusal("insufficient_scope", detail, ((b"www-authenticate", challenge.encode()),))


def _limited(refusal: Refusal, seconds: float) -> Refusal:
    """Return the refusal of a caller that may be refused again only after some seconds, or at once if that is 0.

    Valid keys are accepted meanwhile: behind a proxy or a router they come from the same address as others' wrong ones.
    """
    if not seconds:
        return refusal
    detail = f"requests without a valid key that allows them come too often; send this one again in {seconds:.3f} s"
    return Refusal("rate_limited", detail, (retry_after(math.ceil(seconds)),))


async def _renewed(keys: Keys) -> bool:
    """Wait a moment for keys that can be trusted: the process may have been stopped for a while."""
    for _ in range(_POLLS_OF_KEYS):
        await asyncio.sleep(_SECONDS_FOR_KEYS / _POLLS_OF_KEYS)
        if not keys.is_stale():
            return True
    return False


def _listed(scopes: frozenset[Scope]) -> str:
    return " ".join(scope for scope in SCOPES if scope in scopes)
