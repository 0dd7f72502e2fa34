"""AnswerRoom: how much memory all answers under way may take together, counted before any of them is made."""

import asyncio
import ctypes
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TypeVar

import pyarrow as pa

from storage.errors import StorageUnavailable

Result = TypeVar("Result")
_N_THREADS = 2
_LARGE_BYTES = 8 << 20
_SECONDS_BETWEEN_LOOKS = 0.1
_MOST_WAITING = 256


def _let_go() -> None:
    """Return to the system what allocators keep of a large answer: it would stay with each thread that made one."""
    pa.default_memory_pool().release_unused()
    with suppress(AttributeError, OSError):  # glibc alone has it
        ctypes.CDLL(None).malloc_trim(0)


class CallerLeft(Exception):
    """Nobody waits for the answer any more."""


class AnswerRoom:
    """A number of bytes that answers take a part of, in the order in which they come; changed on the event loop alone.

    An answer for which there is no room waits a moment, without a thread, and nothing is made for callers who leave
    meanwhile. An answer that is alone may be larger than all the room there is.

    Answers are made by a few threads of their own: what a thread has used once, its allocator keeps.

    Parameters
    ----------
    n_bytes
        How much all answers may take together.
    seconds
        How long one waits for its part.
    """

    def __init__(self, n_bytes: int, seconds: float = 5.0) -> None:
        self._threads = ThreadPoolExecutor(_N_THREADS, "answers")
        self._n_bytes = n_bytes
        self._seconds = seconds
        self._n_taken = 0
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    @property
    def n_taken(self) -> int:
        """Bytes that are taken now."""
        return self._n_taken

    async def take(self, n_bytes: int, has_left: Callable[[], Awaitable[bool]]) -> None:
        """Return when this many bytes are the caller's, who must give them back.

        Raises
        ------
        StorageUnavailable
            Others have the room, and keep it.
        CallerLeft
            The caller has left.
        """
        if not self._waiting and self._fits(n_bytes):
            self._n_taken += n_bytes
            return
        if len(self._waiting) >= _MOST_WAITING:
            raise self._refusal()
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((n_bytes, turn))
        try:
            await self._wait(turn, has_left)
        except BaseException:
            self._leave(n_bytes, turn)
            raise

    def give_back(self, n_bytes: int) -> None:
        """Give back what was taken."""
        self._n_taken -= n_bytes
        self._admit()
        if n_bytes >= _LARGE_BYTES:
            with suppress(RuntimeError):  # the process stops
                self._threads.submit(_let_go)

    async def run(self, work: Callable[[], Result]) -> Result:
        """Return what the work returns; it is waited for even where nobody wants it any more."""
        running = asyncio.get_running_loop().run_in_executor(self._threads, work)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            await asyncio.wait([running])
            raise

    async def draw(self, blocks: Generator[bytes]) -> AsyncIterator[bytes]:
        """Yield the blocks, each drawn when the one before has been taken."""
        while (block := await self.run(partial(next, blocks, None))) is not None:
            yield block

    def close(self) -> None:
        """Finish what is being made; what waits is dropped."""
        self._threads.shutdown(cancel_futures=True)

    async def _wait(self, turn: "asyncio.Future[None]", has_left: Callable[[], Awaitable[bool]]) -> None:
        until = asyncio.get_running_loop().time() + self._seconds
        while not turn.done():
            await asyncio.wait([turn], timeout=_SECONDS_BETWEEN_LOOKS)
            if await has_left():
                raise CallerLeft
            if not turn.done() and asyncio.get_running_loop().time() > until:
                raise self._refusal()

    def _leave(self, n_bytes: int, turn: "asyncio.Future[None]") -> None:
        if turn.done():
            self.give_back(n_bytes)
        else:
            self._waiting.remove((n_bytes, turn))
            self._admit()

    def _admit(self) -> None:
        while self._waiting and self._fits(self._waiting[0][0]):
            n_bytes, turn = self._waiting.popleft()
            self._n_taken += n_bytes
            turn.set_result(None)

    def _fits(self, n_bytes: int) -> bool:
        return not self._n_taken or self._n_taken + n_bytes <= self._n_bytes

    def _refusal(self) -> StorageUnavailable:
        detail = (
            f"answers to other requests take the {self._n_bytes:,} bytes of memory that all of them may have; "
            "send this request again in a moment, or ask for smaller pages"
        )
        return StorageUnavailable(detail)
