"""Failures become answers here alone: each type of error becomes a problem."""

from collections.abc import Callable, Coroutine, Iterator, Mapping
from itertools import chain
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from schemas.problems import PROBLEM_KINDS, FieldProblem, Problem, problem_for
from schemas.relational_datasets import MAX_TABLES
from storage.errors import EveryRowFailed, InsufficientStorage, StorageError, means_full_disk
from tree_explainers.errors import ExplainerError, ForeignFormat

from ..admission.response_memory import CallerLeft
from ..field_faults import fault_text
from . import contract_document
from .request_class import BodyRefused

_LOG = structlog.get_logger(__name__)
_CODE_OF_STATUS = {
    400: "bad_request",
    401: "unauthenticated",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    413: "body_too_large",
    415: "unsupported_media_type",
}
_CODE_OF_FAULT = {"extra_forbidden": "unknown_field", "finite_number": "non_finite_number"}
_RETRY_AFTER_SECONDS = {"unavailable": "2", "rate_limited": "1"}
_TOO_MANY, _TOO_MANY_FILES, _ONE_FILE = "Too many", "Too many files", " 1."  # the form parser's words
_PAGE_PARTS = "/page/parts/"
PROBLEM_TYPE = "application/problem+json"


def install(app: FastAPI) -> None:
    """Answer every failure of the app's routes with a problem."""
    for error_type, handle in _HANDLERS.items():
        app.add_exception_handler(error_type, handle)


async def answer(request: Request, error: Exception) -> Response:
    """Answer a failure outside the app's routes in the same form as one inside."""
    kind: type[Exception] = next(kind for kind in type(error).__mro__ if kind in _HANDLERS)
    return await _HANDLERS[kind](request, error)


def problem_response(problem: Problem) -> Response:
    """Return the answer that carries a problem."""
    headers = {"Retry-After": seconds} if (seconds := _RETRY_AFTER_SECONDS.get(problem.code)) else None
    body = problem.model_dump_json(exclude_none=True)
    return Response(body, problem.status, headers, PROBLEM_TYPE)


def request_id(request: Request) -> str | None:
    """Return the id under which the request is logged."""
    identifier: str | None = request.scope.get("request_id")
    return identifier


class _NoAnswer(Response):
    """No answer, for callers that disconnected or have their answer already."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send nothing."""


async def _nobody_listens(request: Request, error: Exception) -> Response:  # as each handler is called
    return _NoAnswer()


async def _refused(request: Request, error: Exception) -> Response:
    code, detail = error.code, error.detail  # type: ignore[attr-defined]  # each type installed above has both
    if PROBLEM_KINDS[code].status >= 500:  # server errors
        _LOG.error("request_failed", code=code, detail=detail, exc_info=error)
    errors, pointer = None, getattr(error, "pointer", None)
    if isinstance(error, EveryRowFailed):
        errors = error.errors
    elif pointer is not None:
        errors = [FieldProblem(pointer=pointer, detail=detail)]
    problem = problem_for(code, detail, request_id(request), errors)
    if isinstance(error, ForeignFormat):
        problem = problem.model_copy(update={"status": 415})
    return problem_response(problem)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # for the type checker
    # Those that the code names come first.
    faults = sorted(_meant(error), key=lambda fault: fault["type"] not in _CODE_OF_FAULT)
    # One entry for each field: of a field that may be several things, all that it may be.
    by_pointer: dict[str, list[str]] = {}
    for fault in faults[:20]:
        by_pointer.setdefault(_pointer(fault, error.body), []).append(_text(fault))
    problems = [FieldProblem(pointer=pointer, detail=_joined(texts)) for pointer, texts in by_pointer.items()]
    code = next((_CODE_OF_FAULT[fault["type"]] for fault in faults if fault["type"] in _CODE_OF_FAULT), None)
    detail = "; ".join(map(_sentence, problems[:3]))
    return problem_response(problem_for(code or "validation_failed", detail, request_id(request), problems))


def _sentence(problem: FieldProblem) -> str:
    """Return what is wrong with a field, with the field as the subject where the sentence has none."""
    begins = problem.detail.startswith(("must ", "is "))
    return f"{problem.subject} {problem.detail}" if begins else f"{problem.subject}: {problem.detail}"


def _joined(texts: list[str]) -> str:
    """Return ``must be a number or 'all'; got the text 'some'`` for what each member of a union says."""
    parts = [text.partition("; got ") for text in dict.fromkeys(texts)]
    if len(parts) == 1 or not all(must.startswith("must be ") for must, _, _ in parts):
        return "; ".join(dict.fromkeys(texts))
    wanted = " or ".join(must.removeprefix("must be ") for must, _, _ in parts)
    return f"must be {wanted}; got {max((value for _, _, value in parts), key=len)}"


def _meant(error: RequestValidationError) -> list[dict[str, Any]]:
    """Return the faults, but not that a field is not null where another fault says what it may be.

    Nor that a default, which depends on other fields, could not be found for theirs.
    """
    faults = [fault for fault in error.errors() if fault["type"] != "default_factory_not_called"]
    others = {_pointer(fault, error.body) for fault in faults if fault["type"] != "none_required"}
    return [fault for fault in faults if fault["type"] != "none_required" or _pointer(fault, error.body) not in others]


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # for the type checker
    if means_full_disk(error.__cause__):  # while the form was read
        return await _refused(request, InsufficientStorage())
    code = _code_of(error)
    headers, detail = dict(error.headers or {}), error.detail
    if code == "not_found" and request.url.path.startswith(_PAGE_PARTS):
        detail = f"the page has no view {request.url.path.removeprefix(_PAGE_PARTS)[:200]!r}"
    elif code == "not_found":
        detail = f"{request.method} {request.url.path[:200]!r} is not part of this API; see /docs"
    elif code == "method_not_allowed":
        headers["Allow"] = _methods_of(request) or headers.get("Allow", "")
        detail = f"{request.url.path[:200]!r} does not take {request.method}; it takes {headers['Allow']}"
    elif detail.startswith(_TOO_MANY_FILES):
        most = "one, `file`" if detail.endswith(_ONE_FILE) else f"{MAX_TABLES} at most, a part `file` for each table"
        detail = f"the form has more files than it may; send {most}, and `metadata` as text (with curl, metadata=<FILE)"
    response = problem_response(problem_for(code, detail, request_id(request)))
    response.headers.update(headers)
    return response


def _methods_of(request: Request) -> str:
    """Return the methods that the path takes; the error names those of one route alone."""
    every = chain(getattr(request.app.state, "routes", ()), request.app.routes)  # of its routers, and its own
    routes = (route for route in every if isinstance(route, APIRoute))
    taken = {method for route in routes if route.path_regex.match(request.url.path) for method in route.methods or ()}
    return ", ".join(sorted(taken | ({"HEAD"} if "GET" in taken else set())))


def _code_of(error: HTTPException) -> str:
    if error.detail.startswith(_TOO_MANY_FILES):
        return "validation_failed"
    if error.detail.startswith(_TOO_MANY):
        return "too_many_parts"
    return _CODE_OF_STATUS.get(error.status_code, "bad_request")


async def _system_error(request: Request, error: Exception) -> Response:
    if means_full_disk(error):
        return await _refused(request, InsufficientStorage())
    return await _our_fault(request, error)


async def _our_fault(request: Request, error: Exception) -> Response:
    _LOG.error("request_failed", method=request.method, path=request.url.path, exc_info=error)
    detail = "something failed on our side; it was logged under this request id"
    response = problem_response(problem_for("internal_error", detail, request_id(request)))
    # The server closes the connection after an exception: callers who do not know send their next request into it.
    response.headers["Connection"] = "close"
    return response


def _pointer(fault: dict[str, Any], body: Any) -> str:  # any JSON value, or a form
    part, *steps = fault["loc"]
    named = _steps_in(body, steps, fault["type"]) if part == "body" else steps
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in named)


def _steps_in(body: Any, steps: list[Any], fault_type: str) -> Iterator[Any]:  # any JSON value
    """Yield the steps that lead into the body; the others name the member of a union that was tried."""
    for position, step in enumerate(steps):
        if _has(body, step):
            body = body[step]
            yield step
        elif fault_type == "missing" and position == len(steps) - 1:
            yield step


def _has(value: Any, step: Any) -> bool:  # any JSON value, and a key or position
    return step in value if isinstance(value, Mapping) else isinstance(value, list) and isinstance(step, int)


def _text(fault: dict[str, Any]) -> str:
    """Return what is wrong with a field in words."""
    if fault["type"] in {"union_tag_not_found", "union_tag_invalid"}:
        return _text_of_union(fault, contract_document.packed())
    return fault_text(fault)


def _text_of_union(fault: Mapping[str, Any], contract: Mapping[str, Any]) -> str:
    """Return which values the field may have that names the member of a union."""
    context, names = fault["ctx"], [step for step in fault["loc"] if isinstance(step, str)]
    field, known = context["discriminator"].strip("'"), _members(contract, names[-1])
    if not known:  # the contract has no such field; the fault lists the values only if there is a wrong one
        known = context.get("expected_tags", "").replace("'", "").split(", ")
    values = " or ".join(filter(None, (", ".join(known[:-1]), known[-1])))
    shown = f"; got {str(context['tag'])[:80]!r}" if "tag" in context else ""
    return f"give `{field}`: {values}{shown}"


def _members(contract: Mapping[str, Any], name: str) -> list[str]:
    """Return the values that name the members of the union that a field of this name is of, if there is one."""
    schemas = contract["components"]["schemas"]
    for schema in schemas.values():
        for reference in _references(schema.get("properties", {}).get(name)):
            union = schemas[reference.rpartition("/")[2]]
            if "discriminator" in union:
                return [*union["discriminator"]["mapping"]]
    return []


def _references(schema: Any) -> Iterator[str]:  # any JSON value
    """Yield the schemas that one refers to."""
    if isinstance(schema, Mapping):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for value in schema.values():
            yield from _references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _references(value)


_HANDLERS: dict[type[Exception], Callable[[Request, Exception], Coroutine[Any, Any, Response]]] = {
    StorageError: _refused,
    ExplainerError: _refused,
    BodyRefused: _refused,
    RequestValidationError: _invalid,
    HTTPException: _http_error,
    ClientDisconnect: _nobody_listens,
    CallerLeft: _nobody_listens,
    OSError: _system_error,
    Exception: _our_fault,
}
