"""ResponseHead: the headers that every answer has, written in one step.

- ``X-Request-Id``: the id under which the request is logged.
- security headers for browsers: nothing may be loaded, stored or framed, except by the documentation page.
- ``Connection: close`` while the process stops, so that no connection is closed in the middle of a request.

The ``Server`` header is not written by applications: uvicorn is configured to leave it out (``http_protocol``).
"""

import itertools
import re
import secrets
from collections.abc import Awaitable, Iterable

from structlog.contextvars import bind_contextvars

from ...draining import Draining
from ..asgi import Application, Message, Receive, Scope, Send

_SANE_ID = re.compile(rb"[A-Za-z0-9-]{8,64}")
_REQUEST_ID = b"x-request-id"
_CLOSE = (b"connection", b"close")

_DOCS = "/docs"
_NO_SNIFFING = (b"x-content-type-options", b"nosniff")
_CACHE_CONTROL = b"cache-control"
_FOR_API = (
    _NO_SNIFFING,
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"vary", b"accept-encoding"),
)
_NO_STORE = (_CACHE_CONTROL, b"no-store")
# The page has an inline script and inline styles beside its assets, and requests /openapi.json.
_DOCS_POLICY = (
    b"default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    b"font-src 'self'; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; "
    b"frame-ancestors 'none'"
)
# The page has scripts and style sheets of its own and nothing else; it turns text into nodes in one place alone.
_PAGE = ("/ui/", "/ui")
_PAGE_POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    b"trusted-types leafspace"
)
_FOR_PAGE = (
    _NO_SNIFFING,
    (b"content-security-policy", _PAGE_POLICY),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"vary", b"accept-encoding"),
)
_FOR_DOCS = (_NO_SNIFFING, (b"content-security-policy", _DOCS_POLICY))


class ResponseHead:
    """Give each request an id, as ``scope["request_id"]``, and each answer the headers that all answers have."""

    def __init__(self, app: Application, draining: Draining) -> None:
        self._app = app
        self._draining = draining
        # A number beside one random part is enough to distinguish requests, and faster than randomness for each.
        self._prefix = secrets.token_hex(8)
        self._numbers = itertools.count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _id_of_caller(scope["headers"]) or f"{self._prefix}-{next(self._numbers):08x}"
        scope["request_id"] = request_id
        bind_contextvars(request_id=request_id)
        identified = (_REQUEST_ID, request_id.encode())
        path = scope["path"]
        is_docs = path == _DOCS or path.startswith(f"{_DOCS}/")
        headers_of_part = _FOR_DOCS if is_docs else _FOR_PAGE if path.startswith(_PAGE) else _FOR_API

        def send_with_headers(message: Message) -> Awaitable[None]:
            if message["type"] == "http.response.start":
                sent = message.get("headers", ())
                headers = [*sent, *headers_of_part, identified]
                if not is_docs and _CACHE_CONTROL not in dict(sent):
                    headers.append(_NO_STORE)
                # Checked as late as this: the signal may come while the request is being answered.
                if self._draining.has_begun:
                    headers.append(_CLOSE)
                message["headers"] = headers
            return send(message)

        await self._app(scope, receive, send_with_headers)


def _id_of_caller(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """Return the id that the caller chose, if it is short and printable."""
    for name, value in headers:
        if name == _REQUEST_ID:
            return value.decode() if _SANE_ID.fullmatch(value) else None
    return None
