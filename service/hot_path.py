"""HotPath: answers explanations ahead of the application, whose routing takes about as long as the explanation.

It reads the same body in the same way, calls the same operation, and states problems by the same table as the route in
``routes/explainers.py``, which is the contract of both; a test holds their answers against each other.
"""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Response

from schemas.explanations import ExplanationRequest

from . import problems
from .middleware.asgi import Application, Receive, Scope, Send
from .operations.explanations import explain
from .request_class import StrictRequest, timed

_BEFORE, _AFTER = "/v1/explainers/", "/explanations"


class HotPath:
    """The application, with a short cut for the one request that comes as often as predictions are made."""

    def __init__(self, app: FastAPI) -> None:
        self._app: Application = app
        self._state: Any = app.state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        explainer_id = _explainer_id(scope)
        if explainer_id is None:
            await self._app(scope, receive, send)
            return
        request = StrictRequest(scope, receive)
        try:
            response = await timed(self._explain(request, explainer_id))
        except Exception as error:  # noqa: BLE001  # the edge of the application
            response = await problems.answer(request, error)
        await response(scope, receive, send)

    async def _explain(self, request: StrictRequest, explainer_id: str) -> Response:
        message = await request.read(ExplanationRequest)
        body = await explain(self._state.context, explainer_id, message)
        return Response(body, media_type="application/json")


def _explainer_id(scope: Mapping[str, Any]) -> str | None:
    # A query is refused by the route itself.
    if scope["type"] != "http" or scope["method"] != "POST" or scope.get("query_string"):
        return None
    path: str = scope["path"]
    if not (path.startswith(_BEFORE) and path.endswith(_AFTER)):
        return None
    found = path[len(_BEFORE) : -len(_AFTER)]
    return found if found and "/" not in found else None
