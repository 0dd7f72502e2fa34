"""PlainPaths: paths with control characters lead nowhere, whatever a route would make of them."""

import re
from collections.abc import Awaitable

from .asgi import Application, Receive, Scope, Send
from .refusing import refuse

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class PlainPaths:
    """Answer 404 to paths with control characters.

    A route's pattern also matches a path with a line's end behind it, while limits look for paths as they are written.
    """

    def __init__(self, app: Application) -> None:
        self._app = app

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Answer one request."""
        if scope["type"] == "http" and not scope["path"].isprintable() and _CONTROL.search(scope["path"]):
            detail = "the path has control characters; none of this API's has, see /docs"
            return refuse(scope, receive, send, "not_found", detail)
        return self._app(scope, receive, send)
