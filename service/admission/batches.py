"""Batches: calls that take long, counted before they are done, beside the event loop, so that quick ones never wait."""

import asyncio
from collections.abc import Callable
from functools import partial
from threading import Event
from typing import NamedTuple, TypeVar

from storage.errors import StorageError, StorageUnavailable

from .calls import Call, current_call
from .fair_threads import FairThreads
from .quota import Quota
from .response_memory import CallerLeft, ResponseMemory

Result = TypeVar("Result")
Tick = Callable[[], None]
_QUICK_SECONDS = 0.1
_SMALL_BYTES = 64 << 10  # of answers that need no reservation
_POLL_SECONDS = 0.1
_SHARE = 2  # of the time that may wait, one caller may have a half


class Cost(NamedTuple):
    """What a call takes, estimated before anything of it is done."""

    seconds: float  # of one processor
    n_bytes: int  # of its answer


class Batches:
    """A thread for long calls and one for quick ones; in both, callers take turns.

    Parameters
    ----------
    most_seconds
        How much work may wait or be under way, in seconds of one processor; a call may take half of that.
    memory
        What answers reserve their bytes of, before they are made and until they have been sent.
    """

    def __init__(self, most_seconds: float, memory: ResponseMemory) -> None:
        self._seconds = Quota(most_seconds, most_seconds / _SHARE)
        self._memory = memory
        self._long, self._quick = FairThreads(1, "batches", 1), FairThreads(1, "quick-batches", 1)

    async def run(self, cost: Cost, work: Callable[[Tick], Result]) -> Result:
        """Return the result of ``work``, which is called when its turn has come.

        Parameters
        ----------
        work
            Calls the function that it is given between its parts: that raises when the caller has left.

        Raises
        ------
        StorageUnavailable
            Too much work waits already.
        StorageError
            ``too_many_rows`` for a call that takes too long, ``rate_limited`` for one of a caller that has half of all
            that waits.
        CallerLeft
            The caller has left.
        """
        call = current_call()
        self._refuse_long(cost.seconds, call.caller)
        self._seconds.take(call.caller, cost.seconds)
        try:
            reservation = await call.reserve(self._memory, cost.n_bytes) if cost.n_bytes > _SMALL_BYTES else None
            result = await self._unless_left(call, cost.seconds, work)
            if reservation is not None:
                reservation.shrink(len(result) if isinstance(result, bytes) else cost.n_bytes)
            return result
        finally:
            self._seconds.take(call.caller, -cost.seconds)
            if not call.is_followed:
                call.release()

    def close(self) -> None:
        """Finish the work under way; work that waits is dropped."""
        self._long.close()
        self._quick.close()
        self._memory.close()

    async def _unless_left(self, call: Call, seconds: float, work: Callable[[Tick], Result]) -> Result:
        has_left = Event()

        def tick() -> None:
            if has_left.is_set():
                raise CallerLeft

        threads = self._quick if seconds <= _QUICK_SECONDS else self._long
        running = asyncio.ensure_future(threads.run(partial(work, tick), call.caller))
        try:
            while not running.done():
                await asyncio.wait([running], timeout=_POLL_SECONDS)
                if not running.done() and await call.has_left():
                    raise CallerLeft
            return running.result()
        finally:
            if not running.done():
                has_left.set()
                running.cancel()
                await asyncio.wait([running])

    def _refuse_long(self, seconds: float, caller: str | None) -> None:
        if seconds > (most := self._seconds.most_of_caller):
            detail = (
                f"this call would take some {seconds:.0f} s of a processor, and a call may take {most:.0f}: send fewer "
                "rows, request less of each, or request an explanation set, which a job makes"
            )
            raise StorageError("too_many_rows", detail)
        if not self._seconds.is_within_share(caller, seconds):
            detail = (
                f"your other calls take some {self._seconds.held_by(caller):.1f} s of a processor already, and those "
                f"of one caller may take {most:.0f} at once: send this one again when they are answered"
            )
            raise StorageError("rate_limited", detail)
        if not self._seconds.fits(seconds):
            detail = (
                f"calls that take some {self._seconds.total:.0f} s wait already, and at most {self._seconds.most:.0f} "
                "s may: send yours again in a moment, or request an explanation set, which a job makes"
            )
            raise StorageUnavailable(detail)
