"""Endpoints: calls made, and answers read, by the code that is generated from openapi.json."""

import uuid
from types import ModuleType
from typing import Any, TypeVar

from ._generated.client import Client
from .calls import Call, Program
from .problems import unexpected

T = TypeVar("T")

_GENERATED_CLIENT = Client(base_url="")  # the generated readers want one, for how they treat unknown answers


def call_of(endpoint: ModuleType, **arguments: Any) -> Call:  # noqa: ANN401  # what the generated code takes
    """Return the request of a generated endpoint as data."""
    made = dict(endpoint._get_kwargs(**arguments))  # noqa: SLF001  # the generator's way to a request without a socket
    headers = made.pop("headers", {})
    if "files" in made:
        # The generator's boundary is always the same and could occur in a file; httpx draws one.
        headers.pop("Content-Type", None)
    return Call(made.pop("method"), made.pop("url"), headers, made)


def ask(endpoint: ModuleType, kind: type[T], **arguments: Any) -> Program[T]:  # noqa: ANN401  # see call_of
    """Call an endpoint and return its answer, which is of the given kind.

    Raises
    ------
    LeafspaceError
        Whatever the service, or the way to it, has to say.
    """
    response = yield call_of(endpoint, **arguments)
    try:
        answer = endpoint._parse_response(client=_GENERATED_CLIENT, response=response)  # noqa: SLF001  # see call_of
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise unexpected(response, error) from error
    if not isinstance(answer, kind):
        raise unexpected(response, f"not a {kind.__name__}")
    return answer


def create(endpoint: ModuleType, kind: type[T], **arguments: Any) -> Program[T]:  # noqa: ANN401  # see call_of
    """Call an endpoint that creates something; tried again, it creates nothing twice."""
    return (yield from ask(endpoint, kind, idempotency_key=uuid.uuid4().hex, **arguments))
