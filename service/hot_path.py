"""HotPath: answers explanations ahead of the application, whose routing takes about as long as the explanation.

It reads the same body in the same way, calls the same operation, and states problems by the same table as the route in
``routes/explainers.py``, which is the contract of both; a test holds their answers against each other.
"""

from collections.abc import Mapping
from time import perf_counter
from typing import Any

from fastapi import FastAPI

from schemas.explanations import ExplanationRequest
from schemas.models import MAX_INSTANCES

from .middleware.asgi import Application, Message, Receive, Scope, Send
from .operations.explanations import explain
from .web import problems
from .web.request_class import QUICK_BYTES, StrictRequest, message_of, parsed, read_message

_JSON, _EMPTY = (b"content-type", b"application/json"), (b"content-length", b"0")
_ABOUT_BODY = frozenset({b"content-type", b"content-length"})
_HTML = b"text/html"
_ROWS_ALONE, _ROW_TYPES = {"instances"}, frozenset({dict, list})
_WITHOUT_OPTIONS = ExplanationRequest().__getstate__()
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
        began = perf_counter()
        try:
            message = await _read(scope, receive)
            body = await explain(self._state.context, explainer_id, message)
        except Exception as error:  # noqa: BLE001  # the edge of the application
            response = await problems.answer(StrictRequest(scope, receive), error)
            await response(scope, receive, send)
            return
        timing = f"total;dur={(perf_counter() - began) * 1000:.2f}".encode()
        headers = [(b"content-length", str(len(body)).encode()), _JSON, (b"server-timing", timing)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


async def _read(scope: Scope, receive: Receive) -> ExplanationRequest:
    """Return what is requested; a body that is whole and says that it is JSON needs no request object."""
    stated = [header for header in scope["headers"] if header[0] in _ABOUT_BODY]
    is_json = len(stated) == len(_ABOUT_BODY) and _JSON in stated and _EMPTY not in stated
    if is_json:  # which is all that is said of the body
        part = await receive()
        if part["type"] == "http.request" and not part.get("more_body", False):
            return await _message(part.get("body", b""))
        receive = _with_first(part, receive)
    return await StrictRequest(scope, receive).read(ExplanationRequest)


async def _message(body: bytes) -> ExplanationRequest:
    """Return the request; one that has rows and nothing else, as most have, needs no validation."""
    if len(body) > QUICK_BYTES:
        return await read_message(ExplanationRequest, body)
    value = parsed(body)
    rows = value["instances"] if type(value) is dict and value.keys() == _ROWS_ALONE else None
    if type(rows) is list and len(rows) <= MAX_INSTANCES and _ROW_TYPES.issuperset(map(type, rows)):
        return request_of_rows(rows)
    return message_of(ExplanationRequest, value)


def request_of_rows(rows: list[Any]) -> ExplanationRequest:
    """Return the request that has rows and nothing else; what is in these is any JSON, and read later.

    pydantic's own copy of a request takes several times as long.
    """
    request = ExplanationRequest.__new__(ExplanationRequest)
    fields = {**_WITHOUT_OPTIONS["__dict__"], "instances": rows}
    request.__setstate__({**_WITHOUT_OPTIONS, "__dict__": fields, "__pydantic_fields_set__": {"instances"}})
    return request


def _with_first(part: Message, receive: Receive) -> Receive:
    """Return ``receive`` as it was before it returned ``part``."""
    parts = [part]

    async def receive_again() -> Message:
        return parts.pop() if parts else await receive()

    return receive_again


def _explainer_id(scope: Mapping[str, Any]) -> str | None:
    # A query is refused by the route itself, which also writes HTML.
    if scope["type"] != "http" or scope["method"] != "POST" or scope.get("query_string"):
        return None
    path: str = scope["path"]
    if not (path.startswith(_BEFORE) and path.endswith(_AFTER)):
        return None
    if [name for name, value in scope["headers"] if name == b"accept" and _HTML in value]:
        return None
    explainer = path[len(_BEFORE) : -len(_AFTER)]
    return explainer if explainer and "/" not in explainer else None
