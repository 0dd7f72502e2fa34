"""How request bodies are read: JSON strictly, and refused with a problem of its own."""

import asyncio
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from typing import Any, NoReturn, TypedDict, TypeVar, get_origin

from fastapi import HTTPException, Request, Response, params
from fastapi.dependencies.utils import get_flat_params
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import ValidationError
from starlette.datastructures import FormData
from starlette.requests import ClientDisconnect
from starlette.routing import Match
from starlette.types import Scope

from schemas.contract import Contract
from schemas.relational_datasets import MAX_TABLES

from ..field_faults import advice, with_known_fields
from ..middleware.asgi import is_json
from ..middleware.protocol.strict_json import BadJson, parse_json
from .conditional_requests import with_entity_tag

Message = TypeVar("Message", bound=Contract)
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class FormLimits(TypedDict):
    """How many parts a form may have, and how large they may be."""

    max_files: int
    max_fields: int
    max_part_size: int  # bytes of a field, which memory holds; files go to the disk


# Metadata of a model have rows of up to 10,000 features: a field may be as large as a body of JSON is by default.
FORM_LIMITS: FormLimits = {"max_files": 1, "max_fields": 5, "max_part_size": 8 << 20}
QUICK_BYTES = 64 * 1024
"""Bodies that are read at once: more could keep the event loop from other callers for tens of milliseconds."""
_MAX_FIELDS = 100  # of a message: more than any has
_MAX_FAULTS = 1000  # reporting one takes as long as finding ten
_PLAIN_INTEGER = re.compile(r"-?[0-9]{1,18}")
_LARGEST_WHOLE = 2.0**53  # above it not all integers can be distinguished
_MAX_ITEMS = 10_000  # of a list in a message without rows: as many as there are features


class BodyRefused(HTTPException):
    """The body is not valid. An ``HTTPException``, because FastAPI passes on only those."""

    def __init__(self, code: str, detail: str, pointer: str | None = None) -> None:
        super().__init__(status_code=400, detail=detail)
        self.code = code
        self.pointer = pointer


class StrictRequest(Request):
    """A request whose JSON has no NaN, lone surrogates or NUL, and limits to its nesting and its number of rows."""

    _message: Contract | None = None

    async def read(self, kind: type[Message]) -> Message:
        """Return the body as a message of this kind; a large one is read in a thread."""
        await _refuse_unless_json(self)
        message = await read_message(kind, await self.body())
        self._message = message
        return message

    async def json(self) -> Any:  # as its base has it
        """Return the message that was read, for FastAPI, which takes it as it is."""
        return self._message


async def read_message(kind: type[Message], body: bytes) -> Message:
    """Return JSON as a message of this kind; much of it is read in a thread."""
    if len(body) <= QUICK_BYTES:
        return _read(kind, body)
    return await asyncio.get_running_loop().run_in_executor(_reader(), _read, kind, body)


class StrictRoute(APIRoute):
    """A route that reads its body through ``StrictRequest``, and reports how long work took."""

    def get_route_handler(self) -> Handler:
        """Return the handler that FastAPI calls."""
        handle = super().get_route_handler()
        if self.body_field is not None and isinstance(self.body_field.field_info, params.Form):
            handle = _reading_form(handle, {field.alias: _is_list(field) for field in self.dependant.body_params})
        elif self.body_field is not None:
            handle = _reading_message(handle, self.body_field.field_info.annotation)
        if "GET" in (self.methods or ()):
            handle = with_entity_tag(handle, self.path)
        known = [field for field in get_flat_params(self.dependant) if isinstance(field.field_info, params.Query)]
        return _with_known_parameters(handle, {field.alias: _is_list(field) for field in known})


class JsonBodyRoute(StrictRoute):
    """A route for those requests to a path whose body is JSON, beside one that reads forms."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return whether the request is for this route."""
        match, child = super().matches(scope)
        return (match, child) if match is not Match.FULL or is_json(scope) else (Match.NONE, {})


def _is_list(field: Any) -> bool:  # FastAPI's own type of a parameter
    return get_origin(field.field_info.annotation) is list


def _with_known_parameters(handle: Handler, known: Mapping[str, bool]) -> Handler:
    """Return a handler that refuses query parameters which its route does not have; those of ``known`` may be lists."""

    async def check(request: Request) -> Response:
        if request.scope.get("query_string"):
            for name, values in Counter(name for name, _ in request.query_params.multi_items()).items():
                if name not in known:
                    detail = f"there is no query parameter {_shown(name)}; {advice(name, known)}"
                    raise BodyRefused("unknown_field", detail, f"/{name[:80]}")
                if values > 1 and not known[name]:
                    detail = f"the query parameter {_shown(name)} is given {values} times; send it once"
                    raise BodyRefused("validation_failed", detail, f"/{name}")
        return await handle(request)

    return check


def _shown(name: str) -> str:
    return ascii(name[:80])


def _reading_form(handle: Handler, known: Mapping[str, bool]) -> Handler:
    """Return a handler that reads a form with these parts, of which those that are true may come several times."""
    limits = FORM_LIMITS | {"max_files": MAX_TABLES} if any(known.values()) else FORM_LIMITS

    async def read_form(request: Request) -> Response:
        content_type = request.headers.get("content-type", "")
        if content_type.partition(";")[0].strip().lower() != "multipart/form-data":
            detail = f"Content-Type is {content_type[:80]!r}; send multipart/form-data with the file in its part `file`"
            await refuse_type(request, detail)
        # FastAPI reads it again, from what is kept here.
        form = await request.form(**limits)
        try:
            _refuse_odd_parts(form, known)
        except BodyRefused:
            await form.close()
            raise
        return await timed(handle(request))

    return read_form


def _refuse_odd_parts(form: FormData, known: Mapping[str, bool]) -> None:
    for name, n_parts in Counter(name for name, _ in form.multi_items()).items():
        if name not in known:
            fault = f"the form has a part {_shown(name)} that is not known"
            raise BodyRefused("unknown_field", f"{fault}; {advice(name, known)}", f"/{name[:80]}")
        if n_parts > 1 and not known[name]:
            raise BodyRefused("validation_failed", f"the form has {n_parts} parts {_shown(name)}; send one", f"/{name}")


def _reading_message(handle: Handler, kind: Any) -> Handler:  # a contract, as each of our routes has it
    async def read_message(request: Request) -> Response:
        strict = StrictRequest(request.scope, request.receive)

        async def answer() -> Response:
            await strict.read(kind)
            return await handle(strict)

        return await timed(answer())

    return read_message


async def timed(answer: Awaitable[Response]) -> Response:
    """Return an answer whose headers report how long it took."""
    began = time.perf_counter()
    response = await answer
    milliseconds = (time.perf_counter() - began) * 1000
    response.headers["Server-Timing"] = f"total;dur={milliseconds:.2f}"
    return response


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
        await refuse_type(request, f"Content-Type is {content_type[:80]!r}; send JSON as application/json")


async def refuse_type(request: Request, detail: str) -> NoReturn:
    """Refuse a body of another type than the path reads."""
    # A caller that still sends does not read: the body is received first, at the speed and size that others may have.
    with suppress(ClientDisconnect):
        async for _ in request.stream():
            pass
    raise BodyRefused("unsupported_media_type", detail)


def plain_integer(value: Any) -> Any:  # any value of a path or query
    """Return a parameter as it is; refuse texts other than digits that Python would read as a number."""
    if isinstance(value, str) and not _PLAIN_INTEGER.fullmatch(value):
        message = "an integer is written as digits alone, such as 10"
        raise ValueError(message)
    return value


def parse_metadata(kind: type[Message], text: str | None) -> Message:
    """Return the metadata that came with an upload as JSON text."""
    value = parsed((text or "{}").encode("utf-8", "surrogatepass"), "metadata: ")
    return _validated(kind, value, "metadata")


@cache
def _reader() -> ThreadPoolExecutor:
    """Return the thread that reads large bodies: one, as Python makes the values of one at a time anyway."""
    return ThreadPoolExecutor(1, "large bodies")


def _read(kind: type[Message], body: bytes) -> Message:
    return message_of(kind, parsed(body))


def message_of(kind: type[Message], value: Any) -> Message:  # any JSON value
    """Return a body's JSON as a message of this kind."""
    if type(value) is dict:
        value = {name: _whole(item) for name, item in value.items()}
        _refuse_crowd(value, _most_rows(kind))
    return _validated(kind, value)


def _whole(item: Any) -> Any:  # any JSON value
    # To JSON Schema 18.0 is an integer, to Python it is none.
    return int(item) if type(item) is float and item.is_integer() and abs(item) < _LARGEST_WHOLE else item


def parsed(body: bytes, prefix: str = "") -> Any:  # any JSON value
    """Return JSON, read strictly; ``prefix`` begins what is said of its faults."""
    try:
        return parse_json(body)
    except BadJson as error:
        raise BodyRefused(error.code, f"{prefix}{error.detail}") from error


def _refuse_crowd(fields: dict[str, Any], most_rows: int | None) -> None:
    # Each field and each item may be a fault of its own, and thousands of faults take long to be reported.
    if len(fields) > _MAX_FIELDS:
        raise BodyRefused("unknown_field", f"the body has {len(fields)} fields; see /docs for those that there are")
    for name, items in fields.items():
        if type(items) is list and len(items) > (most_rows or _MAX_ITEMS):
            _refuse_items(name, len(items), most_rows)


def _refuse_items(name: str, n_items: int, most_rows: int | None) -> NoReturn:
    if most_rows is None:
        raise BodyRefused("validation_failed", f"{name[:80]!r} has {n_items} items, more than there can be")
    detail = (
        f"{n_items} {name[:80]} in one call, at most {most_rows} are answered at once; "
        "send them in several calls, or register them as a dataset and let a job do it"
    )
    raise BodyRefused("too_many_rows", detail)


@cache
def _most_rows(kind: type[Contract]) -> int | None:
    """Return how many rows a message of this kind may hold by the contract, where it holds rows."""
    extras = (field.json_schema_extra for field in kind.model_fields.values())
    stated = (extra.get("maxItems") for extra in extras if isinstance(extra, dict))
    return next((most for most in stated if isinstance(most, int)), None)


def _validated(kind: type[Message], value: Any, *path: str) -> Message:  # any JSON value
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        if error.error_count() > _MAX_FAULTS:
            detail = f"the body has {error.error_count():,} faults, more than can be listed; see /docs for its form"
            raise BodyRefused("validation_failed", detail) from error
        known = (with_known_fields(fault, kind) for fault in error.errors())
        faults = [{**fault, "loc": ("body", *path, *fault["loc"])} for fault in known]
        raise RequestValidationError(faults, body=dict.fromkeys(path, value) or value) from error
