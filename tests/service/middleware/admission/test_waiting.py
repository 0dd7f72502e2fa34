"""Waiting with a timeout that is only set up where there is something to wait for."""

import asyncio
from collections.abc import Coroutine

import pytest

from service.middleware.admission.bodies import wait_at_most


async def ready() -> str:
    return "ready"


async def late(seconds: float) -> str:
    await asyncio.sleep(seconds / 2)
    await asyncio.sleep(seconds / 2)
    return "late"


async def failing(seconds: float) -> str:
    await asyncio.sleep(seconds)
    raise LookupError


def test_what_is_there_is_returned_at_once() -> None:
    assert asyncio.run(wait_at_most(0, ready())) == "ready"


def test_what_comes_in_time_is_returned() -> None:
    assert asyncio.run(wait_at_most(5, late(0.02))) == "late"


def test_what_comes_too_late_is_given_up() -> None:
    with pytest.raises(TimeoutError):
        asyncio.run(wait_at_most(0.01, late(5)))


@pytest.mark.parametrize("seconds", [0, 0.01])
def test_failures_come_through(seconds: float) -> None:
    with pytest.raises(LookupError):
        asyncio.run(wait_at_most(1, failing(seconds)))


def test_cancelling_reaches_what_is_waited_for() -> None:
    events: list[str] = []

    async def waiting() -> None:
        try:
            await asyncio.sleep(10)
        finally:
            events.append("cleaned up")

    async def cancelled(coroutine: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(wait_at_most(10, coroutine))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled(waiting()))
    assert events == ["cleaned up"]
