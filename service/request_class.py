"""How request bodies are read: JSON strictly, and refused with a problem of its own."""

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from fastapi import HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import ValidationError

from schemas.contract import Contract

from .edge.strict_json import BadJson, parse_json

Message = TypeVar("Message", bound=Contract)


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
    """A route that reads its body through ``StrictRequest``."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler that FastAPI calls."""
        handle = super().get_route_handler()

        async def handle_strictly(request: Request) -> Response:
            return await handle(StrictRequest(request.scope, request.receive))

        return handle_strictly


def parse_metadata(kind: type[Message], text: str | None) -> Message:
    """Return the metadata that came with an upload as JSON text."""
    try:
        return kind.model_validate(parse_json((text or "{}").encode("utf-8", "surrogatepass")))
    except BadJson as error:
        raise BodyRefused(error.code, f"metadata: {error.detail}") from error
    except ValidationError as error:
        faults = [{**fault, "loc": ("body", "metadata", *fault["loc"])} for fault in error.errors()]
        raise RequestValidationError(faults) from error
