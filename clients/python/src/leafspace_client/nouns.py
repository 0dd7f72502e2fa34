"""Nouns: what all kinds of things that the service keeps have in common: list them, get one, delete one.

A thing that a job makes, or that is made of others, comes as a ``View``: an object with methods, which knows its id and
fetches the rest when it is needed. Pickled, it is its id, the address of the service and the caller's labels; never a
key.
"""

import inspect
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeAlias, TypeVar

from .calls import Connected, Program, awaitable, blocking, call_of, fetch, transport_of, type_arguments
from .displays import Displayed
from .errors import Conflict, NotFound, WrongArgument
from .fields import key_of
from .headlines import headline
from .known_documents import KnownDocuments
from .listings import Listing
from .operations import Request
from .records import warning_lines
from .suggestions import did_you_mean
from .transports import AsyncTransport, SyncTransport
from .types import UNSET, Renaming, Unset

if TYPE_CHECKING:
    from .pictures import Drawing, Json

Answer = TypeVar("Answer")
Kept = TypeVar("Kept")
Listed = TypeVar("Listed")
Given = TypeVar("Given")
Details = TypeVar("Details")
ViewT = TypeVar("ViewT", bound="View[Any]")
Identified: TypeAlias = Any
"""An id, or anything that has one as ``id``."""
Settings: TypeAlias = Literal["paper"]
"""Whose settings fill the fields of a request that are left out."""

_PAGE_SIZE = 100


@dataclass(frozen=True, slots=True)
class Noun(Generic[Answer]):
    """The operations that all kinds of things have."""

    get_operation: Callable[..., Request[Answer]]
    list_operation: Callable[..., Request[Any]]
    delete_operation: Callable[..., Request[None]] | None = None
    rename_operation: Callable[..., Request[Answer]] | None = None

    @property
    def filters(self) -> dict[str, str]:
        """What its list can be filtered by, in the order of the contract, with the names of the parameters."""
        parameters = inspect.signature(self.list_operation).parameters
        return {key_of(name): name for name in parameters if name not in {"limit", "cursor"}}


def id_of(thing: Identified) -> str:
    """Return the id of a thing, or the id itself."""
    return str(getattr(thing, "id", thing))


def id_or_none(thing: Identified | None) -> str | None:
    """Return the id of a thing, or ``None`` if none is named."""
    return None if thing is None else id_of(thing)


def unless_none(value: Given | None) -> Given | Unset:
    """Return a field of a request, left out if it is ``None``: then the service fills it."""
    return UNSET if value is None else value


def _text_of(value: Any) -> str:  # a time, or what has an id
    return value.isoformat() if isinstance(value, datetime) else id_of(value)


class View(Connected, Displayed, Generic[Details]):
    """One thing of the service, as it was when it was last fetched."""

    noun: ClassVar[Noun[Any]]
    _figures: ClassVar[Mapping[str, str]] = {}  # fields that a card of it shows, and what they are called there

    def __init__(self, transport: Any, details: Details | None, thing_id: str = "") -> None:  # either
        self._transport = transport
        self._details = details
        self._id = thing_id or id_of(details)
        self._remember()
        self._is_whole = False

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._transport, None, self._id)

    @property
    def id(self) -> str:
        """The id in the service."""
        return self._id

    @property
    def details(self) -> Details:
        """All fields that the service sends; those of lists may lack the result until it is loaded."""
        if self._details is None:
            self._load_now()
        assert self._details is not None  # loaded above
        return self._details

    @details.setter
    def details(self, details: Details) -> None:
        self._details = details
        self._remember()

    @property
    def _known_documents(self) -> KnownDocuments:
        """What this client has met; nothing, where the transport is none of a client's own."""
        return getattr(self._transport, "known_documents", None) or KnownDocuments()

    def _remember(self) -> None:
        if self._details is not None:
            self._known_documents.remember(self._details)

    def __repr__(self) -> str:
        kind, result = type(self).__name__, getattr(self._details, "result", None)
        if self._details is None:
            return f"{kind} {self.id} (not loaded)"
        contents = self._contents(result) if result else ""
        line = headline(self._details, kind=kind, contents=contents, known=self._known_documents)
        return "\n".join([line or f"{kind} {self.id}", *warning_lines(self._details), *warning_lines(result)])

    def _contents(self, result: Any) -> str:  # of each noun its own
        """Return what is in a result, in words of its own; empty: what its fields say."""
        return ""

    def _drawn_document(self) -> "tuple[Json, Json | None]":
        details: Any = self.details
        request = getattr(details, "request", None)
        return details.to_dict(), self._known_documents.document(getattr(request, "dataset", None))

    def _draw(self) -> "Drawing":
        from .pictures import drawing_of, drawing_of_id  # imports what draws

        details: Any = self._details
        if details is None:
            return drawing_of_id(type(self).__name__, self.id)
        return drawing_of(details.to_dict(), self._known_documents, self._figures)

    def _load_now(self) -> None:
        """Fetch the whole thing, where that takes no ``await``."""
        if not self._transport.is_blocking:
            raise self._not_loaded()
        _refresh_now(self)

    def _not_loaded(self) -> Conflict:
        return Conflict("not_loaded", f"{self.id} is not loaded here; call `await ….load()` on it first")


def refresh(self: ViewT) -> Program[ViewT]:
    """Fetch it again, as it is now."""
    self.details = yield from fetch(self.noun.get_operation(self.id))
    self._is_whole = True
    return self


def load(self: ViewT) -> Program[ViewT]:
    """Fetch what is missing here, as of things that come from ``list()`` or from a pickle, and return it."""
    return self if self._is_whole else (yield from refresh(self))


def rename(self: ViewT, name: str | None) -> Program[ViewT]:
    """Give it another name, or none, and return it; its id stays.

    Parameters
    ----------
    name : new
    """
    self.details = yield from _renamed(self.noun, self.id, name)
    self._is_whole = True
    return self


_refresh_now = blocking(refresh)


def _renamed(noun: Noun[Answer], thing_id: str, name: str | None) -> Program[Answer]:
    assert noun.rename_operation is not None  # things without a name have no such method
    request: Request[Answer] = noun.rename_operation(thing_id, body=Renaming(name=name))
    return (yield from fetch(request))


class Collection(Connected, Generic[Answer, Kept]):
    """All things of a kind; what they have in common for both kinds of clients."""

    noun: ClassVar[Noun[Any]]
    view: ClassVar[type[Any] | None] = None  # None: its things have no methods, and are left as they came

    def __init__(self, transport: Any) -> None:  # either transport
        self._transport = transport

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "noun" in vars(cls):
            _describe_list(cls)

    def _chosen(self, filters: Mapping[str, Identified]) -> dict[str, str]:
        """Return the filters as the service takes them, without those that are ``None``."""
        if unknown := [name for name in filters if name not in self.noun.filters]:
            fault = f"{type(self).__name__}.list() got an unexpected keyword argument {unknown[0]!r}"
            message = f"{fault}; it takes {', '.join(self.noun.filters)}{did_you_mean(unknown[0], self.noun.filters)}"
            raise WrongArgument("validation_failed", message)
        names = self.noun.filters
        return {names[name]: _text_of(value) for name, value in filters.items() if value is not None}

    def _wrapped(self, answer: Answer) -> Kept:
        kept: Any = answer if self.view is None else self.view(self._transport, answer)
        if self.view is None:
            transport_of(self).known_documents.remember(answer)
        wrapped: Kept = kept
        return wrapped

    def __repr__(self) -> str:
        return f"{type(self).__name__} of {self._transport.connection.base_url}"


def _get(self: Collection[Answer, Kept], thing: Identified) -> Program[Kept]:
    """Return one, by its id.

    Parameters
    ----------
    thing
        An id, or anything that has one.

    Raises
    ------
    NotFound
        If there is no such thing.
    """
    answer = yield from fetch(self.noun.get_operation(id_of(thing)))
    return self._wrapped(answer)


def _delete(self: Collection[Answer, Kept], thing: Identified) -> Program[None]:
    """Delete one that nothing is built on.

    Parameters
    ----------
    thing
        What is deleted, or its id.

    Raises
    ------
    Conflict
        If something else was made of it, or a job is making it.
    NotFound
        If there is no such thing.
    """
    assert self.noun.delete_operation is not None  # collections without it have no such method
    try:
        yield call_of(self.noun.delete_operation(id_of(thing)))
    except NotFound as error:
        # Tried again, because the first answer was lost in transit: it is gone, as intended.
        if error.n_attempts == 1:
            raise


def rename_one(self: Collection[Answer, Kept], thing: Identified, name: str | None) -> Program[Kept]:
    """Give one another name, or none, and return it; its id stays.

    Parameters
    ----------
    thing
        What is renamed, or its id.
    name : new
    """
    answer = yield from _renamed(self.noun, id_of(thing), name)
    return self._wrapped(answer)


def _next_page(
    self: Collection[Any, Any], cursor: str | None, filters: Mapping[str, str]
) -> Program[tuple[list[Any], str | None]]:
    """Return a page of things, and where the next begins."""
    page = yield from fetch(self.noun.list_operation(limit=_PAGE_SIZE, cursor=cursor, **filters))
    return [self._wrapped(answer) for answer in page.data], page.next_cursor or None


class SyncCollection(Collection[Answer, Kept], Generic[Answer, Kept, Listed]):
    """All things of a kind, for the blocking client; lists may hold summaries."""

    _transport: SyncTransport
    get = blocking(_get)
    _next_page = blocking(_next_page)

    def list(self, **filters: Identified) -> Listing[Listed]:
        """Return all, newest first, or those alone that have these values; pages are fetched when they are needed.

        ``list(…)[0]`` is the newest, ``for … in list()`` takes them one by one. Other things are given as they came or
        by their ids, such as ``model=model``; a name is the whole name.
        """
        return Listing(self._every(self._chosen(filters)))

    def _every(self, filters: Mapping[str, str]) -> Iterator[Listed]:
        cursor: str | None = None
        while True:
            page, cursor = self._next_page(cursor, filters)
            yield from page
            if cursor is None:
                return


class AsyncCollection(Collection[Answer, Kept], Generic[Answer, Kept, Listed]):
    """All things of a kind, for the async client; lists may hold summaries."""

    _transport: AsyncTransport
    get = awaitable(_get)
    _next_page = awaitable(_next_page)

    def list(self, **filters: Identified) -> AsyncIterator[Listed]:
        """Yield all, newest first, or those alone that have these values; pages are fetched when they are needed.

        Other things are given as they came or by their ids, such as ``model=model``; a name is the whole name.
        """
        return self._every(self._chosen(filters))

    async def _every(self, filters: Mapping[str, str]) -> AsyncIterator[Listed]:
        cursor: str | None = None
        while True:
            page, cursor = await self._next_page(cursor, filters)
            for kept in page:
                yield kept
            if cursor is None:
                return


class SyncDeletable(SyncCollection[Answer, Kept, Listed]):
    """A collection whose things can be deleted, for the blocking client."""

    delete = blocking(_delete)


class AsyncDeletable(AsyncCollection[Answer, Kept, Listed]):
    """A collection whose things can be deleted, for the async client."""

    delete = awaitable(_delete)


_FILTERS = {
    "name": "The whole name.",
    "status": 'One of the states that the service knows, such as ``"ready"`` or ``"failed"``.',
    "kind": 'Kind of the job, such as ``"prototype_sets"``.',
    "row_id": "Id of the row that was explained.",
    "created_from": "A ``datetime``: those that were created then or later.",
    "created_before": "A ``datetime``: those that were created earlier.",
}


def _described_filters(names: Iterable[str]) -> list[str]:
    """Return the lines of a docstring that describe what a list can be filtered by."""
    thing = "One that came from here, or its id: those that were made of it."
    lines = [line for name in names for line in (name, f"    {_FILTERS.get(name, thing)}")]
    return ["", "Parameters", "----------", *lines] if lines else []


def _describe_list(owner: type[Any]) -> None:
    """Give a collection a ``list`` of its own, whose signature shows the filters that the contract has."""
    inherited = owner.list

    def list_(self: Any, **filters: Identified) -> Any:  # either iterator
        return inherited(self, **filters)

    listed = inspect.signature(inherited).return_annotation[type_arguments(owner)["Listed"]]
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    filters = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in owner.noun.filters]
    list_.__signature__ = inspect.Signature([itself, *filters], return_annotation=listed)  # type: ignore[attr-defined]
    list_.__doc__ = "\n".join([inspect.cleandoc(inherited.__doc__), *_described_filters(owner.noun.filters)])
    list_.__module__ = owner.__module__
    list_.__name__, list_.__qualname__ = "list", f"{owner.__qualname__}.list"
    owner.list = list_
