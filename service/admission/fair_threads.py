"""FairThreads: a few threads in which callers take turns, however many pieces of work each of them has waiting."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from .quota import Quota
from .rounds import Rounds

Result = TypeVar("Result")
_Turn = asyncio.Future[None]


class FairThreads:
    """Threads beside the event loop; all methods are called on it.

    Parameters
    ----------
    n_threads
        How many pieces of work are done at once.
    name
        What the threads' names begin with.
    n_of_caller
        How many of one caller's, at most; callers that are not counted (``None``) may have all threads.
    """

    def __init__(self, n_threads: int, name: str, n_of_caller: int) -> None:
        self._threads = ThreadPoolExecutor(n_threads, name)
        self._running = Quota(n_threads, n_of_caller)
        self._waiting = Rounds[str | None, _Turn]()

    async def run(self, work: Callable[[], Result], caller: str | None = None) -> Result:
        """Return the result of the work, done when the caller's turn has come.

        Work that has begun is completed even if the task is cancelled; work that waits is dropped then.
        """
        turn: _Turn = asyncio.get_running_loop().create_future()
        self._waiting.add(caller, turn)
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._finish(caller)
            raise
        try:
            return await self._completed(work)
        finally:
            self._finish(caller)

    def submit(self, work: Callable[[], object]) -> None:
        """Have small work of our own done, out of turn."""
        self._threads.submit(work)

    def close(self) -> None:
        """Finish the work under way; work that waits is dropped."""
        self._threads.shutdown(cancel_futures=True)

    async def _completed(self, work: Callable[[], Result]) -> Result:
        running = asyncio.get_running_loop().run_in_executor(self._threads, work)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            await asyncio.wait([running])
            raise

    def _admit(self) -> None:
        def may_have_turn(caller: str | None) -> bool:
            return self._running.is_within_share(caller, 1)

        while self._running.fits(1) and (next_turn := self._waiting.take(may_have_turn)) is not None:
            caller, turn = next_turn
            if not turn.done():  # cancelled meanwhile
                self._running.take(caller, 1)
                turn.set_result(None)

    def _finish(self, caller: str | None) -> None:
        self._running.take(caller, -1)
        self._admit()
