"""What routes are given: the parts, the page asked for, the idempotency key."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Query, Request

from storage.idempotency import RequestKey

from .edge.callers import ANYBODY, Caller
from .parts import Parts


async def _parts(request: Request) -> Parts:
    parts: Parts = request.app.state.parts
    return parts


@dataclass(frozen=True, slots=True)
class PageAsked:
    """Which part of a list is wanted."""

    limit: int
    cursor: str | None


async def _page(
    limit: Annotated[int, Query(ge=1, le=1000, description="Items a page.")] = 50,
    cursor: Annotated[str | None, Query(max_length=255, description="`next_cursor` of the page before.")] = None,
) -> PageAsked:
    return PageAsked(limit, cursor)


async def _request_key(
    request: Request,
    key: Annotated[
        str | None,
        Header(
            alias="Idempotency-Key",
            pattern=r"^[\x21-\x7e]{1,255}$",
            description=(
                "With the same key and body nothing is made twice: the answer is what was made, as it stands now. "
                "Another body is refused. A key is forgotten when its thing is deleted."
            ),
        ),
    ] = None,
) -> RequestKey | None:
    if key is None:
        return None
    caller: Caller = request.scope.get("caller", ANYBODY)
    return RequestKey(caller.key_id or "", key)


PartsDep = Annotated[Parts, Depends(_parts)]
PageDep = Annotated[PageAsked, Depends(_page)]
IdempotencyKey = Annotated[RequestKey | None, Depends(_request_key)]
