"""The headers `If-Match` and `If-None-Match` of requests that change something (RFC 9110, section 13)."""

import re
from typing import Annotated

from fastapi import Depends, Header

from storage.errors import StorageError

from ..middleware.protocol.compression import GZIP_SUFFIX
from ..operations.preconditions import Precondition

_ANY, _TAG = "*", re.compile(r'"([!#-~]*)"')


async def _precondition(
    if_match: Annotated[
        str | None,
        Header(
            alias="If-Match",
            description="`ETag` of the state that is to be changed, or `*` for any; in another state, 412.",
        ),
    ] = None,
    if_none_match: Annotated[
        str | None,
        Header(
            alias="If-None-Match",
            description="`*`: it must be new; otherwise, 412. Nothing else is taken here.",
        ),
    ] = None,
) -> Precondition:
    if if_none_match not in {None, _ANY}:
        detail = "If-None-Match is taken as `*` alone here: what is made must be new; name a state by If-Match"
        raise StorageError("validation_failed", detail, "/If-None-Match")
    if if_match is None or if_match.strip() == _ANY:
        return Precondition(exists=_exists(if_match, if_none_match))
    # A weak tag promises too little for a change to be based on (RFC 9110, 8.8.3.2).
    strong = (entry for entry in if_match.split(",") if not entry.strip().startswith("W/"))
    tags = (tag.removesuffix(GZIP_SUFFIX) for entry in strong for tag in _TAG.findall(entry))
    return Precondition(frozenset(tags), _exists(if_match, if_none_match))


def _exists(if_match: str | None, if_none_match: str | None) -> bool | None:
    if if_none_match is not None:
        return False
    return None if if_match is None else True


PreconditionDep = Annotated[Precondition, Depends(_precondition)]
