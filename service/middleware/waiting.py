"""wait_at_most: a timeout that costs nothing where there is nothing to wait for."""

import asyncio
import types
from collections.abc import Coroutine, Generator
from functools import partial
from typing import Any, TypeVar

Result = TypeVar("Result")


async def wait_at_most(seconds: float, coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Return what the coroutine returns; raise ``TimeoutError`` when that takes longer.

    Most bodies have come with their headers, and a timer for each would cost more than reading them: the coroutine is
    started first, and only one that has to wait gets a timer.
    """
    try:
        awaited = coroutine.send(None)
    except StopIteration as ended:
        result: Result = ended.value
        return result
    async with asyncio.timeout(seconds):
        return await _go_on(coroutine, awaited)


@types.coroutine
def _go_on(coroutine: Coroutine[Any, Any, Result], awaited: Any) -> Generator[Any, Any, Result]:  # noqa: ANN401  # a future
    """Drive a coroutine that has been started and waits for ``awaited``: what ``await`` does, from the middle."""
    while True:
        try:
            sent = yield awaited
        except GeneratorExit:
            coroutine.close()
            raise
        except BaseException as error:  # noqa: BLE001  # cancellation, too, is the coroutine's to answer
            step = partial(coroutine.throw, error)
        else:
            step = partial(coroutine.send, sent)
        try:
            awaited = step()
        except StopIteration as ended:
            result: Result = ended.value
            return result
