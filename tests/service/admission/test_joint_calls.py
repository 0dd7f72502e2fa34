"""Calls that wait at the same time are computed together where they are of a kind, and fail by themselves."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from service.admission.calls import CURRENT_CALL, Call
from service.admission.joint_calls import JointCalls, Kind


@contextmanager
def _others_wait(*, others_wait: bool) -> Iterator[None]:
    token = CURRENT_CALL.set(Call(others_wait=others_wait))
    try:
        yield
    finally:
        CURRENT_CALL.reset(token)


def _kind(key: str, groups: list[list[int]]) -> Kind[int, str]:
    def alone(work: int) -> str:
        if work < 0:
            raise ValueError(work)
        return f"{work}"

    def joint(works: Sequence[int]) -> list[str | None]:
        groups.append(list(works))
        return [None if work < 0 or work % 5 == 0 else f"{work}" for work in works]

    return Kind(key, alone, joint)


def _run(calls: Sequence[tuple[str, int]], *, others_wait: bool = True) -> tuple[list[object], list[list[int]]]:
    groups: list[list[int]] = []

    async def run() -> list[object]:
        together = JointCalls()
        with _others_wait(others_wait=others_wait):
            running = (together.run(_kind(key, groups), work) for key, work in calls)
            return list(await asyncio.gather(*running, return_exceptions=True))

    return asyncio.run(run()), groups


def test_calls_of_a_kind_are_computed_together_and_each_fails_alone() -> None:
    results, groups = _run([("a", 1), ("b", 2), ("a", -3), ("a", 5), ("b", 4), ("c", -6)])

    assert groups == [[1, -3, 5], [2, 4]]
    assert [result for result in results if isinstance(result, str)] == ["1", "2", "5", "4"]
    assert [str(result) for result in results if isinstance(result, ValueError)] == ["-3", "-6"]


def test_a_call_that_is_alone_is_computed_at_once() -> None:
    results, groups = _run([("a", 1), ("a", 2)], others_wait=False)

    assert (results, groups) == (["1", "2"], [])


def test_at_most_32_calls_are_computed_together() -> None:
    results, groups = _run([("a", number) for number in range(70)])

    assert results == [f"{number}" for number in range(70)]
    assert [len(group) for group in groups] == [32, 32, 6]


@pytest.mark.parametrize("n_left", [1, 2])
def test_calls_whose_callers_have_left_are_dropped(n_left: int) -> None:
    groups: list[list[int]] = []

    async def run() -> list[str]:
        together = JointCalls()
        with _others_wait(others_wait=True):
            tasks = [asyncio.create_task(together.run(_kind("a", groups), number)) for number in (1, 2, 3, 4)]
        await asyncio.sleep(0)
        for task in tasks[:n_left]:
            task.cancel()
        return list(await asyncio.gather(*tasks[n_left:]))

    assert asyncio.run(run()) == ["1", "2", "3", "4"][n_left:]
    assert groups == [[1, 2, 3, 4][n_left:]]
