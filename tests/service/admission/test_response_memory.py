"""Answers take their part of the memory in their order; who has no part waits, is refused, or leaves."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from service.admission.response_memory import CallerLeft, ResponseMemory
from storage.errors import StorageError, StorageUnavailable


async def _stays() -> bool:
    return False


async def _leaves() -> bool:
    return True


def _run(test: Callable[[ResponseMemory], Awaitable[None]], seconds: float = 60) -> ResponseMemory:
    memory = ResponseMemory(100, seconds)

    async def run() -> None:
        await test(memory)

    asyncio.run(run())
    memory.close()
    return memory


def test_answers_are_admitted_in_their_order_and_a_small_one_overtakes_no_large_one() -> None:
    admitted: list[int] = []

    async def reserve(memory: ResponseMemory, n_bytes: int) -> None:
        await memory.reserve(n_bytes, _stays)
        admitted.append(n_bytes)

    async def test(memory: ResponseMemory) -> None:
        first = await memory.reserve(60, _stays)
        waiting = [asyncio.create_task(reserve(memory, n_bytes)) for n_bytes in (70, 10, 20)]
        await asyncio.sleep(0)
        assert admitted == []
        first.release()
        await asyncio.gather(*waiting)

    assert _run(test).n_taken == 100
    assert admitted == [70, 10, 20]


def test_an_answer_that_is_alone_may_be_larger_than_all_the_room() -> None:
    async def test(memory: ResponseMemory) -> None:
        (await memory.reserve(1000, _stays)).release()

    assert _run(test).n_taken == 0


def test_who_waits_too_long_has_to_come_back_and_leaves() -> None:
    async def test(memory: ResponseMemory) -> None:
        await memory.reserve(60, _stays)
        with pytest.raises(StorageUnavailable, match="100 bytes"):
            await memory.reserve(70, _stays)
        await memory.reserve(40, _stays)

    assert _run(test, seconds=0).n_taken == 100


def test_who_has_left_meanwhile_takes_nothing() -> None:
    async def test(memory: ResponseMemory) -> None:
        await memory.reserve(60, _stays)
        with pytest.raises(CallerLeft):
            await memory.reserve(70, _leaves)

    assert _run(test).n_taken == 60


def test_a_cancelled_request_gives_its_place_back_and_what_it_began_is_waited_for() -> None:
    done: list[str] = []

    async def test(memory: ResponseMemory) -> None:
        await memory.reserve(60, _stays)
        waiting = asyncio.create_task(memory.reserve(70, _stays))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        begun = asyncio.Event()
        loop = asyncio.get_running_loop()

        def work() -> None:
            loop.call_soon_threadsafe(begun.set)
            done.append("work")

        working = asyncio.create_task(memory.run(work))
        await begun.wait()
        working.cancel()
        await asyncio.wait([working])

    assert _run(test).n_taken == 60
    assert done == ["work"]


def test_what_answers_take_only_while_they_are_made_is_given_back_before_they_are_sent() -> None:
    async def test(memory: ResponseMemory) -> None:
        page = await memory.reserve(90, _stays, n_making=80)
        waiting = asyncio.create_task(memory.reserve(10, _stays, n_making=1))
        await asyncio.sleep(0)
        assert memory.n_taken == 170
        page.shrink(7)
        other = await waiting
        assert memory.n_taken == 18
        other.shrink(10)
        page.release()

    assert _run(test).n_taken == 10


def test_a_caller_may_hold_a_quarter_of_the_room_or_one_answer() -> None:
    async def test(memory: ResponseMemory) -> None:
        await memory.reserve(20, _stays, "one")
        with pytest.raises(StorageError, match="one caller may keep 25 waiting") as refusal:
            await memory.reserve(6, _stays, "one")
        assert refusal.value.code == "rate_limited"
        await memory.reserve(5, _stays, "one", n_making=10)
        await memory.reserve(40, _stays, "another")
        await memory.reserve(25, _stays)

    assert _run(test, seconds=0).n_taken == 100


def test_who_waits_for_an_own_answer_to_be_taken_keeps_nobody_else_waiting() -> None:
    async def test(memory: ResponseMemory) -> None:
        held = await memory.reserve(20, _stays, "one")
        waiting = asyncio.create_task(memory.reserve(20, _stays, "one"))
        await asyncio.sleep(0)
        await memory.reserve(20, _stays, "another")
        assert not waiting.done()
        held.release()
        await waiting

    assert _run(test).n_taken == 40


def test_a_caller_whose_own_answer_is_still_being_made_comes_too_often_and_others_are_busy() -> None:
    async def test(memory: ResponseMemory) -> None:
        await memory.reserve(5, _stays, "one", n_making=45)
        with pytest.raises(StorageError) as own_doing:
            await memory.reserve(5, _stays, "one", n_making=45)
        assert own_doing.value.code == "rate_limited"
        with pytest.raises(StorageUnavailable):
            await memory.reserve(5, _stays, "another", n_making=45)

    assert _run(test, seconds=0).n_taken == 50


def test_a_refusal_names_what_was_in_the_way_for_most_of_the_time() -> None:
    n_looks = 0

    async def test(memory: ResponseMemory) -> None:
        own = await memory.reserve(20, _stays, "one")
        await memory.reserve(5, _stays, "another", n_making=45)

        async def reads_its_own_at_the_fourth_look() -> bool:
            nonlocal n_looks
            n_looks += 1
            if n_looks == 4:
                own.release()
            return False

        with pytest.raises(StorageError) as refusal:
            await memory.reserve(20, reads_its_own_at_the_fourth_look, "one", n_making=10)
        assert refusal.value.code == "rate_limited"

    _run(test, seconds=0.45)


def test_blocks_are_drawn_one_after_the_other() -> None:
    async def test(memory: ResponseMemory) -> None:
        blocks = (bytes([number]) for number in range(5))
        assert [block async for block in memory.draw(blocks)] == [bytes([number]) for number in range(5)]

    _run(test)
