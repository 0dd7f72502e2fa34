"""Call: who sent the request that is being answered, whether the caller still waits, and what its answer reserves."""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field

from schemas.scopes import SCOPES, Scope

from .response_memory import Reservation, ResponseMemory


async def _never() -> bool:
    return False


@dataclass(slots=True)
class Call:
    """One request while it is answered."""

    caller: str | None = None  # under which it is counted; none for this machine where no keys are required
    scopes: frozenset[Scope] = frozenset(SCOPES)
    has_left: Callable[[], Awaitable[bool]] = _never
    is_followed: bool = False  # whether its reservations are returned when its answer has been sent
    others_wait: bool = False  # whether requests have come that have not begun
    _reservations: list[Reservation] = field(default_factory=list)

    async def reserve(self, memory: ResponseMemory, n_bytes: int) -> Reservation:
        """Wait for this number of bytes, which are the call's until its answer has been sent."""
        reservation = await memory.reserve(n_bytes, self.has_left, self.caller)
        self._reservations.append(reservation)
        return reservation

    def release(self) -> None:
        """Return all that was reserved."""
        while self._reservations:
            self._reservations.pop().release()


CURRENT_CALL: ContextVar[Call | None] = ContextVar("current_call", default=None)
"""The call that is being answered."""


def current_call() -> Call:
    """Return the call that is being answered; one of this machine's own outside of requests."""
    return CURRENT_CALL.get() or Call()
