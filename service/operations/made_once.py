"""Made once: requests with the same idempotency key create one thing, which all of them return."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from storage.errors import NotFound, StorageError
from storage.idempotency import KeyClaim, RecordedAnswer, RequestKey

from ..app_context import AppContext


class _Identified(Protocol):
    @property
    def id(self) -> str: ...


Thing = TypeVar("Thing", bound=_Identified)


@dataclass(slots=True)
class Creation(Generic[Thing]):
    """What a request creates; ``thing`` is set from the start if its key made it before."""

    thing: Thing | None = None
    status: int = 0  # that its key keeps (see ``RecordedAnswer``)

    def made(self, status: int, thing: Thing) -> None:
        """Set the thing that was made or found, and the status of the answer."""
        self.status, self.thing = status, thing

    @property
    def result(self) -> Thing:
        """The thing, once it is made."""
        assert self.thing is not None  # callers make it inside the ``with``
        return self.thing


@contextmanager
def made_once(
    context: AppContext, key: RequestKey | None, request_sha256: str, show: Callable[[str], Thing]
) -> Iterator[Creation[Thing]]:
    """Yield a creation: inside the ``with`` the caller makes the thing unless it is there already.

    Parameters
    ----------
    context
        What operations use in this process.
    key
        The idempotency key; without one, everything is made.
    request_sha256
        A hash of the request, by which the reuse of a key for another request is detected.
    show
        Returns a thing by its id, as it is now.

    Raises
    ------
    Conflict
        If the key belongs to another request.
    """
    if key is None:
        yield Creation()
        return
    begun = _begin(context, key, request_sha256, show)
    if isinstance(begun, Creation):
        yield begun
        return
    creation: Creation[Thing] = Creation()
    try:
        yield creation
    except BaseException:
        with suppress(StorageError):  # an equal request waits a moment, and goes on
            context.idempotency.release(begun)
        raise
    kept = context.idempotency.complete(begun, RecordedAnswer(creation.status, creation.result.id))
    creation.made(kept.status, creation.result if kept.thing == creation.result.id else show(kept.thing))


def _begin(
    context: AppContext, key: RequestKey, request_sha256: str, show: Callable[[str], Thing]
) -> Creation[Thing] | KeyClaim:
    """Return what the key made, as it is now, or the right to make it."""
    while True:
        begun = context.idempotency.begin(key, request_sha256)
        if isinstance(begun, KeyClaim):
            return begun
        try:
            return Creation(show(begun.thing), begun.status)
        except NotFound:
            # It is being deleted at this moment.
            context.idempotency.forget(key, begun)
