"""ExplanationLog: explanations to be stored, written in batches by a thread of their own.

Who adds explanations waits until they are committed: what was answered is stored, whatever happens to the process. All
that come while a batch is being committed make up the next one, so that 16 callers wait for one or two commits, and not
for 16. What waits is bounded: beyond that callers are refused, and nothing is dropped.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from storage.errors import StorageUnavailable
from storage.explanations import ExplanationRow

_BATCH_BYTES = 8 << 20  # in one transaction, unless the first call alone brings more
_BATCH_ROWS = 2000


@dataclass(frozen=True, slots=True)
class _Waiting:
    """The explanations of one call, and how its caller learns that they are stored."""

    rows: Sequence[ExplanationRow]
    n_bytes: int
    loop: asyncio.AbstractEventLoop
    stored: asyncio.Future[None]

    def report(self, error: BaseException | None) -> None:
        """Report to the caller, who may have left by now."""
        with suppress(RuntimeError):  # the loop is closed: nobody waits
            self.loop.call_soon_threadsafe(_settle, self.stored, error)


class ExplanationLog:
    """A bounded queue, and a thread that writes what is in it; ``start`` begins, ``stop`` writes the rest.

    Parameters
    ----------
    write
        Commits explanations together; it may take as long as the database takes.
    most_bytes
        How many bytes may wait, those being written included; where none do, a call may bring any number.
    """

    def __init__(self, write: Callable[[Sequence[ExplanationRow]], None], most_bytes: int) -> None:
        self._write = write
        self._most_bytes = most_bytes
        self._waiting: deque[_Waiting] = deque()
        self._n_bytes = 0
        self._is_stopped = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="stored explanations", daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def stop(self) -> None:
        """Take no more, and write what waits; that takes as long as the database takes to answer, or to fail."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify()
        if self._thread.ident is not None:
            self._thread.join()

    def check_capacity(self) -> None:
        """Raise ``StorageUnavailable`` where nothing can be added now: before an explanation is computed in vain."""
        if self._is_stopped or self._n_bytes >= self._most_bytes:
            raise StorageUnavailable(self._refusal())

    async def add(self, rows: Sequence[ExplanationRow]) -> None:
        """Store explanations; return when they are committed.

        Raises
        ------
        StorageUnavailable
            If too many wait already, or if the database does not answer. Nothing is stored then, as far as is known.
        InsufficientStorage
            If the disk is full.
        """
        loop = asyncio.get_running_loop()
        waiting = _Waiting(rows, sum(each.n_bytes for each in rows), loop, loop.create_future())
        with self._changed:
            if self._is_stopped or (self._n_bytes and self._n_bytes + waiting.n_bytes > self._most_bytes):
                raise StorageUnavailable(self._refusal())
            self._n_bytes += waiting.n_bytes
            self._waiting.append(waiting)
            self._changed.notify()
        await waiting.stored

    def _refusal(self) -> str:
        if self._is_stopped:
            return "this process is about to stop and stores no more explanations; send this again in a moment"
        return f"{self._n_bytes:,} bytes of explanations wait to be stored, at most {self._most_bytes:,} may"

    def _run(self) -> None:
        while batch := self._next_batch():
            error: BaseException | None = None
            try:
                self._write([each for waiting in batch for each in waiting.rows])
            except Exception as failure:  # noqa: BLE001  # it is reported to each caller
                error = failure
            with self._changed:
                self._n_bytes -= sum(waiting.n_bytes for waiting in batch)
            for waiting in batch:
                waiting.report(error)

    def _next_batch(self) -> list[_Waiting]:
        """Wait for explanations and return some; none when it is over."""
        with self._changed:
            while not self._waiting and not self._is_stopped:
                self._changed.wait()
            batch: list[_Waiting] = []
            n_bytes = n_rows = 0
            while self._waiting and (not batch or self._fits(n_bytes, n_rows)):
                batch.append(self._waiting.popleft())
                n_bytes, n_rows = n_bytes + batch[-1].n_bytes, n_rows + len(batch[-1].rows)
            return batch

    def _fits(self, n_bytes: int, n_rows: int) -> bool:
        following = self._waiting[0]
        return n_bytes + following.n_bytes <= _BATCH_BYTES and n_rows + len(following.rows) <= _BATCH_ROWS


def _settle(stored: "asyncio.Future[None]", error: BaseException | None) -> None:
    if stored.done():  # its caller left
        return
    if error is None:
        stored.set_result(None)
    else:
        stored.set_exception(error)
