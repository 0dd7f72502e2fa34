"""Calls of many rows: one after the other, and refused where the queue is too long."""

import asyncio
import threading
import time

import pytest

from service.batches import Batches
from storage.errors import StorageUnavailable


def test_calls_are_done_one_after_the_other_and_the_event_loop_goes_on() -> None:
    running, most, beats = 0, 0, 0

    def work() -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        time.sleep(0.05)
        running -= 1
        return threading.current_thread().name

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0.01)
            beats += 1

    async def take() -> list[str]:
        batches, beating = Batches(n_rows=10), asyncio.create_task(beat())
        names = await asyncio.gather(*(batches.run(2, work) for _ in range(5)))
        beating.cancel()
        batches.close()
        return names

    assert {name.partition("_")[0] for name in asyncio.run(take())} == {"batches"}
    assert most == 1
    assert beats >= 5


def test_beyond_the_queue_a_call_is_refused_at_once_and_its_room_is_given_back() -> None:
    go_on = threading.Event()

    def fail() -> None:
        go_on.wait(10)
        raise ValueError

    async def take() -> None:
        batches = Batches(n_rows=100)
        waiting = [asyncio.create_task(batches.run(50, fail)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(StorageUnavailable, match="100 rows of other calls wait already"):
            await batches.run(1, fail)
        go_on.set()
        assert all(isinstance(end, ValueError) for end in await asyncio.gather(*waiting, return_exceptions=True))
        # Where nobody waits, a call may be larger than the queue.
        assert await batches.run(1000, lambda: "done") == "done"
        batches.close()

    asyncio.run(take())
