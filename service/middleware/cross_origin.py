"""CrossOrigin: which web pages of other sites may call this service from a browser (CORS)."""

from collections.abc import Collection
from typing import cast

from starlette.middleware.cors import CORSMiddleware

from .asgi import Application

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_ALLOWED_HEADERS = (
    *("Authorization", "Content-Type", "Idempotency-Key", "If-None-Match", "Last-Event-ID", "Prefer"),
    "X-Request-Id",
)
_EXPOSED_HEADERS = (
    *("Content-Location", "ETag", "Location", "Retry-After", "Server-Timing", "WWW-Authenticate"),
    "X-Request-Id",
)
_SECONDS_REMEMBERED = 600


def allow_origins(app: Application, origins: Collection[str]) -> Application:
    """Return the application with answers to pages of these origins; the application itself where there are none.

    Keys travel in headers that a page must set itself, so the browser's credentials mode is never allowed.
    """
    if not origins:
        return app
    allowing = CORSMiddleware(
        app,  # type: ignore[arg-type]  # less strictly typed
        allow_origins=list(origins),
        allow_methods=_METHODS,
        allow_headers=_ALLOWED_HEADERS,
        expose_headers=_EXPOSED_HEADERS,
        max_age=_SECONDS_REMEMBERED,
    )
    return cast("Application", allowing)
