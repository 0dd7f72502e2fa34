"""Made once: what a request with an idempotency key asks for is made by the first one, and shown to all others."""

from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, TypeVar

from storage.errors import NotFound, StorageError
from storage.idempotency import KeptAnswer, KeyClaim, RequestKey

from ..app_context import Parts


class _Identified(Protocol):
    @property
    def id(self) -> str: ...


Thing = TypeVar("Thing", bound=_Identified)
Make = Callable[[], tuple[int, Thing]]
"""Makes a thing or finds it made; returns the status that its key keeps (see ``KeptAnswer``), and the thing."""


def made_once(
    parts: Parts, key: RequestKey, request_sha256: str, make: Make[Thing], show: Callable[[str], Thing]
) -> tuple[int, Thing]:
    """Return the kept status and the thing: as ``make`` gives it, or, if this key made it, as it stands.

    ``show`` returns a thing by its id, as it is now.

    Raises
    ------
    Conflict
        If the key belongs to another request.
    """
    while True:
        begun = parts.idempotency.begin(key, request_sha256)
        if isinstance(begun, KeyClaim):
            return _make(parts, begun, make, show)
        try:
            return begun.status, show(begun.thing)
        except NotFound:
            # It is being deleted at this moment.
            parts.idempotency.forget(key, begun)


def _make(parts: Parts, claim: KeyClaim, make: Make[Thing], show: Callable[[str], Thing]) -> tuple[int, Thing]:
    try:
        status, thing = make()
    except BaseException:
        with suppress(StorageError):  # who comes with the same request waits a moment, and goes on
            parts.idempotency.release(claim)
        raise
    kept = parts.idempotency.complete(claim, KeptAnswer(status, thing.id))
    return kept.status, (thing if kept.thing == thing.id else show(kept.thing))
