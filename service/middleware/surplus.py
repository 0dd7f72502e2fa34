"""Surplus: requests beyond what the server can answer soon are told so, before anybody asks whose they are."""

from collections.abc import Awaitable

from .asgi import Application, Receive, Scope, Send
from .refusing import refuse, refuse_and_close, retry_after

SURPLUS = "leafspace.surplus"
"""Where a scope says, if it does, which limit of the server the request came on top of: one of ``_SURPLUSES``."""
TOO_MANY_WAIT, TOO_MANY_CONNECTIONS = "waiting", "connections"

ALWAYS_ANSWERED = frozenset({"/livez", "/readyz", "/metrics"})
"""Paths without limits: of a service that is busy most of all, one wants to know how it is."""
_SURPLUSES = {
    TOO_MANY_WAIT: "more requests have come than can be answered soon; send yours again in a moment",
    TOO_MANY_CONNECTIONS: "your address has too many connections open; close some, or use them again",
}
_BUSY_SECONDS = 1


class Surplus:
    """Answer 503 with ``Retry-After`` to requests that are marked as surplus."""

    def __init__(self, app: Application) -> None:
        self._app = app

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Answer one request."""
        surplus = scope.get(SURPLUS)
        if surplus is None or scope["path"] in ALWAYS_ANSWERED:
            return self._app(scope, receive, send)
        headers = [retry_after(_BUSY_SECONDS)]
        if surplus == TOO_MANY_CONNECTIONS:
            return refuse_and_close(scope, send, "unavailable", _SURPLUSES[surplus], headers)
        return refuse(scope, receive, send, "unavailable", _SURPLUSES[surplus], headers)
