"""ResponseMemory: the memory that all answers under way may take together, reserved before any of them is made."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from contextlib import suppress
from functools import partial
from typing import TypeVar

from storage.errors import StorageError, StorageUnavailable

from ..freed_memory import return_freed_memory
from .fair_threads import FairThreads
from .quota import Quota

Result = TypeVar("Result")
_N_THREADS = 2
_LARGE_BYTES = 8 << 20
_POLL_SECONDS = 0.1
_MOST_WAITING = 256
_CALLERS = 4  # of whom each holds as much as one may


class CallerLeft(Exception):
    """The caller has disconnected."""


class Reservation:
    """The bytes that one answer holds, from its admission until it releases them."""

    __slots__ = ("_memory", "caller", "n_held", "n_making")

    def __init__(self, memory: "ResponseMemory", n_held: int, n_making: int, caller: str | None) -> None:
        self._memory = memory
        self.n_held = n_held
        self.n_making = n_making
        self.caller = caller

    @property
    def n_bytes(self) -> int:
        """All bytes that are reserved for the answer."""
        return self.n_held + self.n_making

    def shrink(self, n_held: int) -> None:
        """Keep the size of the answer alone, now that it is made."""
        self._memory.change(self, n_held)

    def release(self) -> None:
        """Return what is still reserved."""
        self._memory.change(self, 0)


class ResponseMemory:
    """A number of bytes that answers reserve, in the order of their requests, on the event loop alone.

    An answer for which too little is left waits a moment, without a thread, and nothing is made for callers that
    disconnect meanwhile. An answer that is alone may be larger than the whole memory; while it is the next one to be
    admitted, those that come later wait behind it, for ``seconds`` at most. Lists and small answers have a memory of
    their own, in which nothing is large.

    What is needed only while answers are made is counted apart, up to half as much again: how long that is needed is
    not for callers to choose. They choose how long they take over their answers, so a caller may hold a quarter of the
    memory, or a single answer, and a caller that has to read its own answers first delays no other caller.

    Answers are made by a few threads of their own, in which callers take turns, and a caller that is counted never
    has all of them: what a thread has used once, its allocator keeps.

    Parameters
    ----------
    n_bytes
        How much all answers may take together, once they are made.
    seconds
        How long an answer waits for its reservation.
    """

    def __init__(self, n_bytes: int, seconds: float = 5.0) -> None:
        self._threads = FairThreads(_N_THREADS, "answers", _N_THREADS - 1)
        self._held, self._making = Quota(n_bytes, n_bytes // _CALLERS), Quota(n_bytes // 2)
        self._seconds = seconds
        self._waiting: dict[Reservation, asyncio.Future[None]] = {}

    @property
    def n_taken(self) -> int:
        """Bytes that are reserved now."""
        return int(self._held.total + self._making.total)

    async def reserve(
        self, n_held: int, has_left: Callable[[], Awaitable[bool]], caller: str | None = None, n_making: int = 0
    ) -> Reservation:
        """Return a reservation once enough is left; the caller releases it.

        Parameters
        ----------
        n_held
            How large the answer is: as much is taken until the caller has all of it.
        has_left
            Returns whether the caller has disconnected.
        caller
            The caller that is counted; ``None`` for one that may take all.
        n_making
            What else is taken while the answer is made.

        Raises
        ------
        StorageUnavailable
            Others had the memory for most of the time.
        StorageError
            ``rate_limited``: for most of the time, answers to the caller's own requests were in the way.
        CallerLeft
            The caller has left.
        """
        reservation = Reservation(self, n_held, n_making, caller)
        if len(self._waiting) >= _MOST_WAITING:
            raise self._refusal(reservation, is_own_doing=self._is_behind_its_own(reservation))
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[reservation] = turn
        self._admit()
        try:
            await self._wait(reservation, turn, has_left)
        except BaseException:
            self._leave(reservation, turn)
            raise
        return reservation

    def change(self, reservation: Reservation, n_held: int) -> None:
        """Shrink a reservation to the size of its answer, or to nothing."""
        n_freed = reservation.n_bytes - n_held
        self._count(reservation, -1)
        reservation.n_held, reservation.n_making = n_held, 0
        self._count(reservation, 1)
        self._admit()
        if n_freed >= _LARGE_BYTES:
            with suppress(RuntimeError):  # the process stops
                self._threads.submit(return_freed_memory)

    async def run(self, work: Callable[[], Result], caller: str | None = None) -> Result:
        """Return the result of the work, done in the caller's turn and completed even if its caller disconnects."""
        return await self._threads.run(work, caller)

    async def draw(self, blocks: Generator[bytes], caller: str | None = None) -> AsyncIterator[bytes]:
        """Yield the blocks; each is drawn when the one before has been sent."""
        while (block := await self.run(partial(next, blocks, None), caller)) is not None:
            yield block

    def close(self) -> None:
        """Finish the answers that are being made; those that wait are dropped."""
        self._threads.close()

    async def _wait(
        self, reservation: Reservation, turn: "asyncio.Future[None]", has_left: Callable[[], Awaitable[bool]]
    ) -> None:
        until = asyncio.get_running_loop().time() + self._seconds
        n_looks, n_behind_its_own = 0, 0
        while not turn.done():
            await asyncio.wait([turn], timeout=_POLL_SECONDS)
            if await has_left():
                raise CallerLeft
            n_looks += 1
            n_behind_its_own += self._is_behind_its_own(reservation)
            if not turn.done() and asyncio.get_running_loop().time() > until:
                raise self._refusal(reservation, is_own_doing=2 * n_behind_its_own > n_looks)

    def _leave(self, reservation: Reservation, turn: "asyncio.Future[None]") -> None:
        if turn.done():
            reservation.release()
        else:
            del self._waiting[reservation]
            self._admit()

    def _admit(self) -> None:
        for reservation, turn in list(self._waiting.items()):
            if self._held.is_within_share(reservation.caller, reservation.n_held):
                if not (self._held.fits(reservation.n_held) and self._making.fits(reservation.n_making)):
                    return
                del self._waiting[reservation]
                self._count(reservation, 1)
                turn.set_result(None)

    def _count(self, reservation: Reservation, sign: int) -> None:
        self._held.take(reservation.caller, sign * reservation.n_held)
        self._making.take(reservation.caller, sign * reservation.n_making)

    def _is_behind_its_own(self, reservation: Reservation) -> bool:
        """Whether the reservation would have its turn if its caller had requested nothing else."""
        caller = reservation.caller
        if not self._held.is_within_share(caller, reservation.n_held):
            return True
        if not (self._held.held_by(caller) or self._making.held_by(caller)):
            return False
        fits_held = self._held.fits_without(caller, reservation.n_held)
        return fits_held and self._making.fits_without(caller, reservation.n_making)

    def _refusal(self, reservation: Reservation, *, is_own_doing: bool) -> StorageError:
        if is_own_doing:
            detail = (
                "answers to your other requests, which you have not read or which are being made, take "
                f"{self._held.held_by(reservation.caller):,.0f} bytes now, and one caller may keep "
                f"{self._held.most_of_caller:,} waiting; read those first, or request fewer at once"
            )
            return StorageError("rate_limited", detail)
        detail = (
            f"answers to other requests take the {self._held.most:,} bytes of memory that all of them may have; "
            "send this request again in a moment, or request smaller pages"
        )
        return StorageUnavailable(detail)
