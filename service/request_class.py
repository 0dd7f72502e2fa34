"""How request bodies are read: JSON strictly, and refused with a problem of its own."""

import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, NoReturn, TypeVar

from fastapi import HTTPException, Request, Response, params
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import ValidationError
from starlette.requests import ClientDisconnect

from schemas.contract import Contract

from .edge.strict_json import BadJson, parse_json

Message = TypeVar("Message", bound=Contract)
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class BodyRefused(HTTPException):
    """The body is not what it should be. An ``HTTPException``, because FastAPI lets only those through."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(status_code=400, detail=detail)
        self.code = code


class StrictRequest(Request):
    """A request whose JSON has no NaN, no lone surrogates, no NUL, and no end of nesting."""

    async def json(self) -> Any:  # noqa: ANN401  # any JSON value
        """Return the body's value."""
        try:
            return parse_json(await self.body())
        except BadJson as error:
            raise BodyRefused(error.code, error.detail) from error


class StrictRoute(APIRoute):
    """A route that reads its body through ``StrictRequest``, and says how long work took."""

    def get_route_handler(self) -> Handler:
        """Return the handler that FastAPI calls."""
        handle = super().get_route_handler()
        if self.body_field is None:
            return handle
        refuse_type = (
            _refuse_unless_form if isinstance(self.body_field.field_info, params.Form) else _refuse_unless_json
        )

        async def handle_strictly(request: Request) -> Response:
            await refuse_type(request)
            return await timed(handle(StrictRequest(request.scope, request.receive)))

        return handle_strictly


async def timed(answer: Awaitable[Response]) -> Response:
    """Return an answer that says how long it took to be made."""
    began = time.perf_counter()
    response = await answer
    milliseconds = (time.perf_counter() - began) * 1000
    response.headers["Server-Timing"] = f"total;dur={milliseconds:.2f}"
    return response


async def read_message(request: StrictRequest, kind: type[Message]) -> Message:
    """Return the body as a message of this kind."""
    await _refuse_unless_json(request)
    return _validated(kind, await request.json())


async def _refuse_unless_json(request: Request) -> None:
    if request.headers.get("content-length") == "0":
        raise BodyRefused("malformed_json", "the body is empty; send JSON")
    content_type = request.headers.get("content-type", "")
    if content_type == "application/json":
        return
    media_type = content_type.partition(";")[0].strip().lower()
    if not (
        media_type == "application/json" or (media_type.startswith("application/") and media_type.endswith("+json"))
    ):
        await _refuse_type(request, f"Content-Type is {content_type[:80]!r}; send JSON as application/json")


async def _refuse_unless_form(request: Request) -> None:
    content_type = request.headers.get("content-type", "")
    if content_type.partition(";")[0].strip().lower() != "multipart/form-data":
        detail = f"Content-Type is {content_type[:80]!r}; send multipart/form-data with the file in its part `file`"
        await _refuse_type(request, detail)


async def _refuse_type(request: Request, detail: str) -> NoReturn:
    # Whoever still sends does not listen: the body comes first, as slowly and as large as any other may.
    with suppress(ClientDisconnect):
        async for _ in request.stream():
            pass
    raise BodyRefused("unsupported_media_type", detail)


def parse_metadata(kind: type[Message], text: str | None) -> Message:
    """Return the metadata that came with an upload as JSON text."""
    try:
        value = parse_json((text or "{}").encode("utf-8", "surrogatepass"))
    except BadJson as error:
        raise BodyRefused(error.code, f"metadata: {error.detail}") from error
    return _validated(kind, value, "metadata")


def _validated(kind: type[Message], value: Any, *place: str) -> Message:  # noqa: ANN401  # any JSON value
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        faults = [{**fault, "loc": ("body", *place, *fault["loc"])} for fault in error.errors()]
        raise RequestValidationError(faults, body=dict.fromkeys(place, value) or value) from error
