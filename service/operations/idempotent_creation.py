"""Idempotent creation: requests with the same idempotency key create one resource, which all of them return."""

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


Resource = TypeVar("Resource", bound=_Identified)


@dataclass(slots=True)
class Creation(Generic[Resource]):
    """What a request creates; ``resource`` is set from the start if its key created it before."""

    resource: Resource | None = None
    status: int = 0  # that its key keeps (see ``RecordedAnswer``)

    def complete(self, status: int, resource: Resource) -> None:
        """Set the resource that was created or found, and the status of the answer."""
        self.status, self.resource = status, resource

    @property
    def result(self) -> Resource:
        """The resource, once it is created."""
        assert self.resource is not None  # callers create it inside the ``with``
        return self.resource


@contextmanager
def idempotent_creation(
    context: AppContext, key: RequestKey | None, request_sha256: str, show: Callable[[str], Resource]
) -> Iterator[Creation[Resource]]:
    """Yield a creation: inside the ``with`` the caller creates the resource unless it is there already.

    Parameters
    ----------
    context
        What operations use in this process.
    key
        The idempotency key; without one, every request creates a resource of its own.
    request_sha256
        A hash of the request, by which the reuse of a key for another request is detected.
    show
        Returns a resource by its id, as it is now.

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
    creation: Creation[Resource] = Creation()
    try:
        yield creation
    except BaseException:
        with suppress(StorageError):  # an equal request waits a moment, and goes on
            context.idempotency.release(begun)
        raise
    recorded = context.idempotency.complete(begun, RecordedAnswer(creation.status, creation.result.id))
    creation.complete(
        recorded.status, creation.result if recorded.thing == creation.result.id else show(recorded.thing)
    )


def _begin(
    context: AppContext, key: RequestKey, request_sha256: str, show: Callable[[str], Resource]
) -> Creation[Resource] | KeyClaim:
    """Return what the key created, as it is now, or the right to create it."""
    while True:
        begun = context.idempotency.begin(key, request_sha256)
        if isinstance(begun, KeyClaim):
            return begun
        try:
            return Creation(show(begun.thing), begun.status)
        except NotFound:
            # It is being deleted at this moment.
            context.idempotency.forget(key, begun)
