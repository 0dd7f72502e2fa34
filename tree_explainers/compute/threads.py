"""How work is shared among ordinary threads: compiled loops and onnxruntime let go of the interpreter's lock.

No thread outlives the call that started it, so a process may be forked between calls.
"""

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


_STEPS_WORTH_THREADS = 500_000  # some tenths of a millisecond, as starting threads takes
_most: list[int] = []  # what ``limit_cores`` said last


def n_cores() -> int:
    """Return how many cores the process may use."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min([there, *_most])


def limit_cores(n_most: int) -> None:
    """Use no more cores for one piece of work from now on: where several pieces of work are done at once."""
    _most[:] = [n_most]


def in_threads(
    work: Callable[[slice], None], n_items: int, n_threads: int | None = None, *, n_steps: int | None = None
) -> None:
    """Share ``range(n_items)`` among threads, the caller's among them: one piece each, by default one for each core.

    ``n_steps`` is how many additions or so all of it takes, if known: few are not shared.
    """
    if n_steps is not None and n_steps < _STEPS_WORTH_THREADS:
        n_threads = 1
    length = max(1, -(-n_items // (n_threads or n_cores())))
    parts = [slice(start, min(start + length, n_items)) for start in range(0, n_items, length)]
    if len(parts) <= 1:
        for part in parts:
            work(part)
        return
    with ThreadPoolExecutor(len(parts) - 1) as pool:
        others = [pool.submit(work, part) for part in parts[1:]]
        work(parts[0])  # by the caller, who would wait: a thread takes a while to start
        for other in others:
            other.result()


def one_ahead(work: Callable[[Item], Result], items: Iterable[Item]) -> Generator[Result, None, None]:
    """Yield what ``work`` makes of each item, in their order; a thread makes the next one while the caller has one.

    Items are drawn by the caller's thread, one more than is yielded. Whatever ends the iteration, nothing is left
    running.
    """
    under_way: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(1) as pool:
        try:
            for item in items:
                under_way.append(pool.submit(work, item))
                if len(under_way) > 1:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for future in under_way:
                future.cancel()


def in_order(
    work: Callable[[Item], Result], items: Iterable[Item], n_threads: int | None = None
) -> Generator[tuple[Item, Result], None, None]:
    """Yield each item and what ``work`` makes of it, in the order of the items.

    At most one item for each thread is worked on or waits to be taken, beside the one that the caller has; items are
    drawn by the caller's thread. Whatever ends the iteration (the caller by closing it, or an item that fails: the
    first in order is raised), nothing is left running. An item that is alone is worked on by the caller's thread.
    """
    n_threads = n_threads or n_cores()
    remaining = iter(items)
    first = list(islice(remaining, n_threads))
    if len(first) <= 1:
        for item in chain(first, remaining):
            yield item, work(item)
        return
    under_way: deque[tuple[Item, Future[Result]]] = deque()
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            under_way.extend((item, pool.submit(work, item)) for item in first)
            while under_way:
                item, future = under_way.popleft()
                result = future.result()
                under_way.extend((following, pool.submit(work, following)) for following in islice(remaining, 1))
                yield item, result
                del result  # not held while the next is awaited
        finally:
            for _, future in under_way:
                future.cancel()
