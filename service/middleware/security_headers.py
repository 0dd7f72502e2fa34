"""SecurityHeaders: what browsers are told with every answer.

The ``Server`` header is not written by applications: uvicorn is told to leave it out (``http_protocol``).
"""

from collections.abc import Awaitable

from .asgi import Application, Message, Receive, Scope, Send

_DOCS = "/docs"
_NO_SNIFFING = (b"x-content-type-options", b"nosniff")
_FOR_API = (
    _NO_SNIFFING,
    (b"cache-control", b"no-store"),
    (b"vary", b"accept-encoding"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)
# The page has a script and styles of its own beside its assets, and asks for /openapi.json.
_DOCS_POLICY = (
    b"default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    b"font-src 'self'; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; "
    b"frame-ancestors 'none'"
)
_FOR_DOCS = (_NO_SNIFFING, (b"content-security-policy", _DOCS_POLICY))


class SecurityHeaders:
    """Add the headers: nothing may be loaded, kept or framed, except by the documentation page."""

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"]
        headers = _FOR_DOCS if path == _DOCS or path.startswith(f"{_DOCS}/") else _FOR_API

        def send_with_headers(message: Message) -> Awaitable[None]:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *headers]
            return send(message)

        await self._app(scope, receive, send_with_headers)
