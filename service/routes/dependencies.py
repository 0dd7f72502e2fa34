"""What routes are given: the context, memory for their answer, the requested page, the idempotency key."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends, Header, Query, Request
from pydantic import BeforeValidator
from starlette.requests import ClientDisconnect

from storage.errors import StorageUnavailable
from storage.idempotency import RequestKey

from ..admission.response_memory import CallerLeft, Reservation, ResponseMemory
from ..app_context import AppContext
from ..background.health_watch import Health
from ..callers import ANY_CALLER, Caller
from ..middleware.counted_callers import limited_caller
from ..web.request_class import plain_integer

Result = TypeVar("Result")
_ITEM_BYTES = 1024  # of a list, as JSON and as what it is made from


async def _context(request: Request) -> AppContext:
    context: AppContext = request.app.state.context
    return context


@dataclass(frozen=True, slots=True)
class PageRequest:
    """The requested page of a list."""

    limit: int
    cursor: str | None


PlainInteger = Annotated[int, BeforeValidator(plain_integer)]
"""An integer in a path or query: Python alone would take `1_0` for 10."""
Limit = Annotated[
    PlainInteger, Query(ge=1, le=1000, description="Maximum number of items of the page, which may have fewer.")
]


class RequestMemory:
    """The memory that one request has reserved, until its answer has been sent."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._caller = limited_caller(request.scope)
        self._reservations: list[Reservation] = []

    async def reserve(self, memory: ResponseMemory, n_held: int, n_making: int = 0) -> Reservation:
        """Wait for this number of bytes; see ``ResponseMemory.reserve``."""
        try:
            reservation = await memory.reserve(n_held, self._request.is_disconnected, self._caller, n_making)
        except CallerLeft as error:
            raise ClientDisconnect from error
        self._reservations.append(reservation)
        return reservation

    async def make(self, memory: ResponseMemory, n_bytes: int, make: Callable[[], Result]) -> Result:
        """Return the result of ``make``, run in a thread once memory is reserved, for a caller that is still there."""
        await self.reserve(memory, n_bytes)
        return await self._run(memory, make)

    async def make_early(
        self, memory: ResponseMemory, n_held: int, n_making: int, make: Callable[[], Result]
    ) -> Result:
        """Return what an answer is made from later, for which ``n_held`` bytes stay reserved until then."""
        reservation = await self.reserve(memory, n_held, n_making)
        result = await self._run(memory, make)
        reservation.shrink(n_held)
        return result

    async def make_whole(self, memory: ResponseMemory, n_held: int, n_making: int, make: Callable[[], bytes]) -> bytes:
        """Return the same for an answer that is whole when made; afterwards it holds its length alone."""
        reservation = await self.reserve(memory, n_held, n_making)
        result = await self._run(memory, make)
        reservation.shrink(len(result))
        return result

    async def _run(self, memory: ResponseMemory, make: Callable[[], Result]) -> Result:
        if await self._request.is_disconnected():
            raise ClientDisconnect
        return await memory.run(make, self._caller)

    def release(self) -> None:
        """Release all that was reserved."""
        for reservation in self._reservations:
            reservation.release()


async def _memory(request: Request) -> AsyncIterator[RequestMemory]:
    memory = RequestMemory(request)
    try:
        yield memory
    finally:
        memory.release()


ContextDep = Annotated[AppContext, Depends(_context)]
MemoryDep = Annotated[RequestMemory, Depends(_memory)]


async def check_ready(context: ContextDep) -> Health:
    """Return what the process lacks, a second old at most; raise ``StorageUnavailable`` where it cannot work so."""
    if context.draining.has_begun:
        detail = "this process is about to stop; send your request to another one, or again in a moment"
        raise StorageUnavailable(detail)
    health = await context.health.health()
    if health.database_fault is not None:
        raise StorageUnavailable(health.database_fault)
    return health


async def _page(
    context: ContextDep,
    memory: MemoryDep,
    limit: Limit = 50,
    cursor: Annotated[
        str | None,
        Query(
            pattern=r"^[A-Za-z0-9_-]{1,255}$",
            description="Cursor: `next_cursor` of the previous page; default: the first page.",
        ),
    ] = None,
) -> PageRequest:
    await memory.reserve(context.small_response_memory, limit * _ITEM_BYTES)
    return PageRequest(limit, cursor)


async def _row_page(
    limit: Limit = 50,
    cursor: Annotated[
        str | None,
        Query(
            pattern=r"^[0-9]{1,255}$",
            description="Cursor: `next_cursor` of the previous page, the 0-based index of the next row; default: 0.",
        ),
    ] = None,
) -> PageRequest:
    return PageRequest(limit, cursor)


async def _request_key(
    request: Request,
    key: Annotated[
        str | None,
        Header(
            alias="Idempotency-Key",
            pattern=r"^[\x21-\x7e]{1,255}$",
            description=(
                "Key of the caller's choice that makes it safe to repeat the request: with the same key and body, "
                "nothing is made twice, and the answer is the resource in its present state. The same key with "
                "another body is refused. Keys are forgotten when their resource is deleted."
            ),
        ),
    ] = None,
) -> RequestKey | None:
    if key is None:
        return None
    caller: Caller = request.scope.get("caller", ANY_CALLER)
    return RequestKey(caller.key_id or "", key)


PageDep = Annotated[PageRequest, Depends(_page)]
"""Of a list of items, for which memory is reserved."""
RowPageDep = Annotated[PageRequest, Depends(_row_page)]
"""Of a list of rows; the routes that read them reserve the memory."""
IdempotencyKey = Annotated[RequestKey | None, Depends(_request_key)]
