"""Calls: what the client does, as sans-IO coroutines (like ``httpx.Auth.auth_flow``) that both of its forms share.

A program is a generator: it yields the next step (a call, a pause, some work) and is sent the step's outcome. Programs
send requests of the operations in ``contract/``, which know how their answers are read. ``blocking`` and ``awaitable``
make a program a method, which has the name, the signature and the errors of an ordinary one.
"""

import inspect
import uuid
from collections.abc import Callable, Coroutine, Generator
from dataclasses import dataclass, field
from pathlib import Path
from types import NoneType
from typing import Any, ClassVar, Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar, get_args, get_origin

from .arguments import fitted_arguments
from .errors import LeafspaceError, unexpected, without_field
from .known_documents import KnownDocuments
from .labels import KnownLabels
from .operations import Request
from .parameters import with_shared_errors, with_shared_parameters
from .records import Records
from .suggestions import Suggesting

T = TypeVar("T")
P = ParamSpec("P")
SelfT = TypeVar("SelfT")

_ITEMS_A_PAGE = 1000


@dataclass(frozen=True, slots=True)
class Call:
    """One request to the service."""

    method: str
    url: str
    headers: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)  # httpx's own words: params, json, files
    into: Path | None = None  # the file that the answer's body is written to, rather than held in memory


@dataclass(frozen=True, slots=True)
class Pause:
    """Do nothing for a while."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Work:
    """Compute something that takes too long for an event loop; the outcome is what it returns."""

    compute: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """The outcome of a call that no server answered."""

    reason: str
    may_try_again: bool
    is_unreached: bool = False  # no connection was made: the host has no address, refuses or does not react


Step: TypeAlias = Call | Pause | Work
Program: TypeAlias = Generator[Step, Any, T]
PageOf: TypeAlias = Callable[[int, str | None], Request[Any]]
"""What requests a page, by its number of items and its cursor."""


class Transport(Protocol):
    """What carries out programs: at once, or when awaited."""

    is_blocking: ClassVar[bool]
    labels: KnownLabels
    known_documents: KnownDocuments
    connection: Any  # a Connection: where the service is

    def run(self, program: Program[Any]) -> Any:  # the program's result, or a coroutine of it
        """Carry out a program."""


class Connected(Suggesting):
    """Anything that programs are run on behalf of."""

    _transport: Transport

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        _name_methods(cls)


def call_of(request: Request[Any]) -> Call:
    """Return the call that sends a request."""
    return Call(request.method, request.url, request.sent_headers(), request.content())


def fetch(request: Request[T]) -> Program[T]:
    """Send a request and return its answer.

    Raises
    ------
    LeafspaceError
        Any failure of the service, or of the connection to it.
    """
    response = yield call_of(request)
    try:
        return request.read(response)
    except KeyError as error:
        version = yield from _version_of_service()
        raise without_field(response, str(error.args[0]), version) from error
    except (TypeError, ValueError, AttributeError) as error:
        raise unexpected(response, error) from error


def fetch_all(page_of: PageOf, limit: int | None = None) -> Program[list[Any]]:
    """Return what all pages of a list hold, or the first ``limit`` items.

    Parameters
    ----------
    page_of
        What requests a page.
    limit
        How many items at most; default: all.
    """
    items: Records[Any] = Records()
    cursor: str | None = None
    while limit is None or len(items) < limit:
        size = _ITEMS_A_PAGE if limit is None else min(_ITEMS_A_PAGE, limit - len(items))
        page = yield from fetch(page_of(size, cursor))
        items += page.data
        cursor = page.next_cursor or None
        if cursor is None:
            break
    return items


def create(request: Request[T]) -> Program[T]:
    """Send a request that creates something; tried again, it creates nothing twice."""
    return (yield from fetch(request.with_header("Idempotency-Key", uuid.uuid4().hex)))


@dataclass(frozen=True, slots=True)
class ServiceVersion:
    """Which release answers; ``None`` for what it does not say."""

    version: str | None
    """Of the service, such as ``"0.1.0"``."""
    api_version: str | None
    """The first part of every path, such as ``"v1"``."""
    oldest_sdk: str | None
    """The oldest release of this package that the service supports."""


def fetch_version() -> Program[ServiceVersion]:
    """Return which release of Leafspace answers, and the oldest release of this package that it supports."""
    response = yield Call("GET", "/v1/version")
    try:
        known = dict(response.json())
    except (TypeError, ValueError) as error:
        raise unexpected(response, error) from error
    return ServiceVersion(*(known.get(name) for name in ("version", "api_version", "oldest_sdk")))


def _version_of_service() -> Program[str | None]:
    try:
        return (yield from fetch_version()).version
    except LeafspaceError:
        return None  # of a release that does not say


def blocking(program: Callable[Concatenate[SelfT, P], Program[T]]) -> Callable[Concatenate[SelfT, P], T]:
    """Return the method that carries out the program and returns its result."""

    def method(self: SelfT, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            result: T = transport_of(self).run(_started(method, program, self, *args, **kwargs))
        except LeafspaceError as error:
            # The frames of the machinery below say nothing to the caller.
            raise error.with_traceback(None)  # noqa: B904  # its cause stays what it is
        return result

    shown: Callable[Concatenate[SelfT, P], T] = _documented(method, blocking, program)
    return shown


def awaitable(
    program: Callable[Concatenate[SelfT, P], Program[T]],
) -> Callable[Concatenate[SelfT, P], Coroutine[Any, Any, T]]:
    """Return the coroutine method that carries out the program and returns its result."""

    async def method(self: SelfT, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            result: T = await transport_of(self).run(_started(method, program, self, *args, **kwargs))
        except LeafspaceError as error:
            raise error.with_traceback(None)  # noqa: B904  # see blocking
        return result

    shown: Callable[Concatenate[SelfT, P], Coroutine[Any, Any, T]] = _documented(method, awaitable, program)
    return shown


def transport_of(connected: object) -> Transport:
    """Return what carries out the programs of a client or one of its parts."""
    transport: Transport = connected._transport  # type: ignore[attr-defined]  # noqa: SLF001  # all Connected have it
    return transport


def _started(method: Any, program: Any, /, *args: Any, **kwargs: Any) -> Program[Any]:  # any method
    arguments = fitted_arguments(program, method.__qualname__, args, kwargs)
    steps: Program[Any] = program(*arguments.args, **arguments.kwargs)
    return steps


def _documented(method: Any, kind: Callable[..., Any], program: Any) -> Any:  # any method
    method.__doc__ = with_shared_errors(with_shared_parameters(program).__doc__)
    method.__module__ = program.__module__
    method.__name__ = method.__qualname__ = program.__name__.lstrip("_")
    method.program, method.kind = program, kind
    return method


def _name_methods(owner: type) -> None:
    """Give each class its own methods, with the names and signatures that it makes public.

    A method is written once, as a program of a type that its class binds (``Program[Kept]``); without this, ``help``
    and editors of notebooks would show ``(self, /, *args)`` with such a variable. Type checkers read the same from
    ``blocking`` and ``awaitable``. A written stub, or a second class made from the first one's source, would say all
    signatures twice.
    """
    types = type_arguments(owner)
    for name in [name for name in dir(owner) if hasattr(getattr(owner, name), "program")]:
        if name not in vars(owner):
            inherited = getattr(owner, name)
            setattr(owner, name, inherited.kind(inherited.program))
        method = getattr(owner, name)
        signature = inspect.signature(method.program)
        result = get_args(signature.return_annotation)[-1]
        result = None if result is NoneType else result
        if isinstance(result, TypeVar):  # what a collection returns, else the object itself
            result = types.get(result.__name__, owner)
        method.__name__, method.__qualname__ = name, f"{owner.__qualname__}.{name}"
        itself, *others = signature.parameters.values()
        parameters = [itself.replace(annotation=inspect.Parameter.empty), *others]
        method.__signature__ = signature.replace(parameters=parameters, return_annotation=result)
        method.__annotations__ = {each.name: each.annotation for each in others} | {"return": result}


def type_arguments(owner: type) -> dict[str, Any]:
    """Return the types that a class gives to the variables of its generic bases, by their names."""
    known: dict[str, Any] = {}
    for base in [base for kind in owner.__mro__ for base in vars(kind).get("__orig_bases__", ())]:
        for parameter, argument in zip(getattr(get_origin(base), "__parameters__", ()), get_args(base), strict=False):
            if not isinstance(argument, TypeVar):
                known.setdefault(parameter.__name__, argument)
    return known
