"""Long calls: counted before they are done, in turns between callers, dropped when their callers leave."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from service.admission.batches import Batches, Cost, Tick
from service.admission.calls import CURRENT_CALL, Call
from service.admission.response_memory import CallerLeft, ResponseMemory
from storage.errors import StorageError, StorageUnavailable
from tests.support.patience import PATIENCE_SECONDS

_LONG = Cost(1.0, 0)
_QUICK = Cost(0.01, 0)


def _batches(most_seconds: float = 10.0, n_bytes: int = 1 << 20) -> Batches:
    return Batches(most_seconds, ResponseMemory(n_bytes, seconds=0.2))


async def _run_as(call: Call, batches: Batches, cost: Cost, work: Callable[[Tick], object]) -> object:
    """Run work as part of a request: tasks have contexts of their own."""
    CURRENT_CALL.set(call)  # as the middleware does
    return await batches.run(cost, work)


def _as(caller: str, has_left: Callable[[], Awaitable[bool]] | None = None) -> Call:
    call = Call(caller, is_followed=True)
    return call if has_left is None else replace(call, has_left=has_left)


def test_long_calls_are_done_one_after_the_other_and_the_event_loop_goes_on() -> None:
    running, most, beats = 0, 0, 0

    def work(_tick: Tick) -> str:
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
        batches, beating = _batches(), asyncio.create_task(beat())
        names = await asyncio.gather(*(batches.run(_LONG, work) for _ in range(5)))
        beating.cancel()
        batches.close()
        return names

    assert {name.partition("_")[0] for name in asyncio.run(take())} == {"batches"}
    assert most == 1
    assert beats >= 5


def test_a_quick_call_is_not_behind_a_long_one() -> None:
    go_on = threading.Event()

    async def take() -> None:
        batches = _batches()
        long = asyncio.create_task(batches.run(_LONG, lambda _: go_on.wait(PATIENCE_SECONDS)))
        await asyncio.sleep(0)
        assert await batches.run(_QUICK, lambda _: "answered") == "answered"
        assert not long.done()
        go_on.set()
        await long
        batches.close()

    asyncio.run(take())


def test_callers_take_turns() -> None:
    done: list[str] = []
    go_on = threading.Event()

    def work(name: str) -> Callable[[Tick], object]:
        def one(_tick: Tick) -> None:
            go_on.wait(PATIENCE_SECONDS)
            done.append(name)

        return one

    async def take() -> None:
        batches = _batches()
        names = ["a1", "a2", "a3", "b1"]
        tasks = [asyncio.create_task(_run_as(_as(name[0]), batches, _LONG, work(name))) for name in names]
        await asyncio.sleep(0.01)
        go_on.set()
        await asyncio.gather(*tasks)
        batches.close()

    asyncio.run(take())
    assert done.index("b1") < done.index("a3")


def test_work_ends_between_its_parts_when_its_caller_leaves() -> None:
    n_parts = 0
    left = False

    def work(tick: Tick) -> None:
        nonlocal n_parts
        for _ in range(1000):
            tick()
            n_parts += 1
            time.sleep(0.01)

    async def has_left() -> bool:
        return left

    async def take() -> None:
        nonlocal left
        batches = _batches()
        task = asyncio.create_task(_run_as(_as("a", has_left), batches, _LONG, work))
        waiting = asyncio.create_task(_run_as(_as("a", has_left), batches, _LONG, work))
        await asyncio.sleep(0.05)
        left = True
        assert [type(end) for end in await asyncio.gather(task, waiting, return_exceptions=True)] == [CallerLeft] * 2
        assert await batches.run(_LONG, lambda _: "next") == "next"
        batches.close()

    asyncio.run(take())
    assert 0 < n_parts < 100


def test_too_much_work_is_refused_before_anything_of_it_is_done() -> None:
    go_on = threading.Event()

    def fail(_tick: Tick) -> None:
        go_on.wait(PATIENCE_SECONDS)
        raise ValueError

    async def take() -> None:
        batches = _batches(most_seconds=10)
        with pytest.raises(StorageError, match="would take some 6 s of a processor, and a call may take 5"):
            await batches.run(Cost(6, 0), fail)
        tasks = [asyncio.create_task(_run_as(_as(name), batches, Cost(4, 0), fail)) for name in ("a", "b")]
        await asyncio.sleep(0)
        with pytest.raises(StorageError, match="your other calls take some") as refused:
            await _run_as(_as("a"), batches, Cost(2, 0), fail)
        assert refused.value.code == "rate_limited"
        with pytest.raises(StorageUnavailable, match="calls that take some 8 s wait already"):
            await _run_as(_as("c"), batches, Cost(3, 0), fail)
        go_on.set()
        assert all(isinstance(end, ValueError) for end in await asyncio.gather(*tasks, return_exceptions=True))
        assert await _run_as(_as("a"), batches, Cost(5, 0), lambda _: "done") == "done"
        batches.close()

    asyncio.run(take())


def test_answers_reserve_their_bytes_before_they_are_made_until_they_are_sent() -> None:
    async def take() -> None:
        memory = ResponseMemory(1 << 20, seconds=0.2)
        batches = Batches(10.0, memory)
        call = _as("slow reader")

        assert await _run_as(call, batches, Cost(0.01, 200_000), lambda _: bytes(150_000)) == bytes(150_000)

        assert memory.n_taken == 150_000
        with pytest.raises(StorageError, match="have not read or which are being made, take 150,000 bytes") as refused:
            await _run_as(_as("slow reader"), batches, Cost(0.01, 200_000), lambda _: pytest.fail("it was made"))
        assert refused.value.code == "rate_limited"
        call.release()
        assert memory.n_taken == 0
        batches.close()

    asyncio.run(take())
