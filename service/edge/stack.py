"""behind_edge: the application with everything that stands before it."""

from .asgi import Application
from .body_guard import BodyGuard, BodyLimits
from .request_id import RequestIds
from .security_headers import SecurityHeaders


def behind_edge(app: Application, limits: BodyLimits) -> Application:
    """Return the application behind ids, headers and the body guard, in that order: all answers have the first two."""
    return RequestIds(SecurityHeaders(BodyGuard(app, limits)))
