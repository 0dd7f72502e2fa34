"""Nouns: what all kinds of things that the service keeps have in common: list them, get one, delete one."""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Generic, TypeAlias, TypeVar

from .calls import Connected, Program, awaitable, blocking
from .endpoints import ask, call_of
from .errors import NotFound
from .transports import AsyncTransport, SyncTransport

Answer = TypeVar("Answer")
Kept = TypeVar("Kept")
Listed = TypeVar("Listed")
Identified: TypeAlias = Any
"""An id, or anything that has one as ``id``."""

_PAGE_SIZE = 100


@dataclass(frozen=True, slots=True)
class Noun(Generic[Answer]):
    """The generated code for one kind of thing."""

    answer: type[Answer]
    page: type[Any]
    id_name: str
    get: ModuleType
    list: ModuleType
    delete: ModuleType | None = None


class Collection(Connected, Generic[Answer, Kept]):
    """All things of a kind; what they have in common for both kinds of clients."""

    def __init__(self, transport: Any, noun: Noun[Answer], wrap: Callable[[Any, Answer], Kept]) -> None:  # noqa: ANN401  # either transport
        self._transport = transport
        self._noun = noun
        self._wrap = wrap

    def _wrapped(self, answer: Answer) -> Kept:
        return self._wrap(self._transport, answer)


def unwrapped(_transport: object, answer: Answer) -> Answer:
    """Return the answer as it came, for things that can do nothing themselves."""
    return answer


def id_of(thing: Identified) -> str:
    """Return the id of a thing, or the id itself."""
    return str(getattr(thing, "id", thing))


def _get(self: Collection[Answer, Kept], thing: Identified) -> Program[Kept]:
    """Return one, by its id."""
    answer = yield from ask(self._noun.get, self._noun.answer, **{self._noun.id_name: id_of(thing)})
    return self._wrapped(answer)


def _delete(self: Collection[Answer, Kept], thing: Identified) -> Program[None]:
    """Delete one that nothing is built on."""
    assert self._noun.delete is not None  # noqa: S101  # collections without it have no such method
    try:
        yield call_of(self._noun.delete, **{self._noun.id_name: id_of(thing)})
    except NotFound as error:
        # Tried again, because the first answer was lost on its way: it is gone, which is what was wanted.
        if error.n_attempts == 1:
            raise


def _page(self: Collection[Any, Any], cursor: str | None) -> Program[tuple[list[Any], str | None]]:
    page = yield from ask(self._noun.list, self._noun.page, limit=_PAGE_SIZE, cursor=cursor)
    return [self._wrapped(answer) for answer in page.data], page.next_cursor or None


class SyncCollection(Collection[Answer, Kept], Generic[Answer, Kept, Listed]):
    """All things of a kind, for the blocking client; lists may hold summaries."""

    _transport: SyncTransport
    get = blocking(_get)

    def list(self) -> Iterator[Listed]:
        """Yield all, newest first; pages are fetched when they are needed."""
        cursor: str | None = None
        while True:
            found, cursor = self._transport.run(_page(self, cursor))
            yield from found
            if cursor is None:
                return


class AsyncCollection(Collection[Answer, Kept], Generic[Answer, Kept, Listed]):
    """All things of a kind, for the async client; lists may hold summaries."""

    _transport: AsyncTransport
    get = awaitable(_get)

    async def list(self) -> AsyncIterator[Listed]:
        """Yield all, newest first; pages are fetched when they are needed."""
        cursor: str | None = None
        while True:
            found, cursor = await self._transport.run(_page(self, cursor))
            for kept in found:
                yield kept
            if cursor is None:
                return


class SyncDeletable(SyncCollection[Answer, Kept, Listed]):
    """A collection whose things can be deleted, for the blocking client."""

    delete = blocking(_delete)


class AsyncDeletable(AsyncCollection[Answer, Kept, Listed]):
    """A collection whose things can be deleted, for the async client."""

    delete = awaitable(_delete)
