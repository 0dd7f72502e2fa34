"""Batches: calls of many rows, done one after the other beside the event loop, so that calls of one row never wait."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from storage.errors import StorageUnavailable

Result = TypeVar("Result")


class Batches:
    """One thread, and a queue that is as long as callers can be expected to wait.

    Parameters
    ----------
    n_rows
        How many rows may wait or be processed at once; where no call waits, a call may have any number.
    """

    def __init__(self, n_rows: int) -> None:
        self._n_rows = n_rows
        self._n_taken = 0  # changed on the event loop alone
        self._thread = ThreadPoolExecutor(1, "batches")

    async def run(self, n_rows: int, work: Callable[[], Result]) -> Result:
        """Return the result of ``work``, which runs when its turn has come.

        Raises
        ------
        StorageUnavailable
            Too many rows wait already.
        """
        if self._n_taken and self._n_taken + n_rows > self._n_rows:
            detail = (
                f"{self._n_taken} rows of other calls wait already, and at most {self._n_rows} may: send yours again "
                "in a moment, or request an explanation set, which a job makes"
            )
            raise StorageUnavailable(detail)
        self._n_taken += n_rows
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        finally:
            self._n_taken -= n_rows

    def close(self) -> None:
        """Finish the work under way; work that waits is dropped."""
        self._thread.shutdown(cancel_futures=True)
