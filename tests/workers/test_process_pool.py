"""Work in several processes: results in order, failures as they are, and nobody left behind."""

import os
import resource
import signal
from collections.abc import Sequence
from contextlib import closing

import numpy as np
import pytest

from storage.errors import StorageError
from tests.support.processes import is_alive
from tree_explainers.errors import InvalidInput
from workers.runtime.process_limits import limit_memory, sharing_memory
from workers.runtime.process_pool import Bytes, ProcessLost, in_processes

_LARGE = 1 << 20  # more than a pipe holds


def _see_nothing() -> None:
    """Look, and go on."""


def _pid(_item: int) -> list[Bytes]:
    return [str(os.getpid()).encode()]


def _squares(item: int) -> list[Bytes]:
    return [str(item**2).encode(), bytes(item * _LARGE), b""]


@pytest.mark.parametrize("n_items", [0, 1, 2, 7])
def test_results_come_whole_and_in_the_order_of_the_items(n_items: int) -> None:
    found = list(in_processes(_squares, n_items, 3, _see_nothing))

    assert found == [[str(item**2).encode(), bytes(item * _LARGE), b""] for item in range(n_items)]


def test_items_are_worked_on_by_as_many_processes_as_are_wanted() -> None:
    pids = [int(part) for (part,) in in_processes(_pid, 6, 2, _see_nothing)]

    assert pids[:2] * 3 == pids
    assert len({os.getpid(), *pids}) == 3
    assert [int(part) for (part,) in in_processes(_pid, 1, 2, _see_nothing)] == [os.getpid()]


def test_a_refusal_keeps_its_code_and_comes_in_its_turn() -> None:
    def refuse_the_third(item: int) -> Sequence[Bytes]:
        if item == 2:
            detail = "the third is refused"
            raise InvalidInput(detail, "schema_mismatch")
        return _squares(item)

    results = in_processes(refuse_the_third, 9, 2, _see_nothing)

    assert [next(results)[0], next(results)[0]] == [b"0", b"1"]
    with pytest.raises(StorageError, match="the third is refused") as refused:
        next(results)
    assert refused.value.code == "schema_mismatch"


def test_a_process_without_memory_is_an_error_of_memory() -> None:
    def take(_item: int) -> Sequence[Bytes]:
        return [bytes(np.ones(64 << 20))]

    before = resource.getrlimit(resource.RLIMIT_DATA)
    try:
        limit_memory(_data_bytes() + (256 << 20))
        with pytest.raises(MemoryError):
            list(in_processes(take, 2, 2, _see_nothing))
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def test_processes_share_what_is_left_of_the_memory() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    try:
        left = 300 << 20
        limit_memory(_data_bytes() + left)
        allowed = resource.getrlimit(resource.RLIMIT_DATA)
        with sharing_memory(3):
            shared = resource.getrlimit(resource.RLIMIT_DATA)
        assert shared[0] - _data_bytes() == pytest.approx(left / 3, rel=0.1)
        assert resource.getrlimit(resource.RLIMIT_DATA) == allowed
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _data_bytes() -> int:
    with open("/proc/self/status") as status:  # noqa: PTH123
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmData:"))


def test_a_fault_of_ours_ends_the_work() -> None:
    def break_down(_item: int) -> Sequence[Bytes]:
        inner_working = "an inner working"
        raise RuntimeError(inner_working)

    with pytest.raises(RuntimeError, match="an inner working"):
        list(in_processes(break_down, 2, 2, _see_nothing))


def test_a_process_that_is_killed_is_no_fault_of_the_job() -> None:
    def end(_item: int) -> Sequence[Bytes]:
        os.kill(os.getpid(), signal.SIGKILL)
        return []

    with pytest.raises(ProcessLost):
        list(in_processes(end, 2, 2, _see_nothing))


def test_nobody_is_left_when_the_caller_takes_no_more() -> None:
    with closing(in_processes(_pid, 100, 2, _see_nothing)) as results:
        pids = [int(part) for (part,) in (next(results), next(results))]

    assert not any(map(is_alive, pids))


def test_a_caller_that_looks_may_stop_the_work() -> None:
    class Stopped(Exception):
        """The job is to stop."""

    def stop() -> None:
        raise Stopped

    def wait(_item: int) -> Sequence[Bytes]:
        signal.pause()
        return []

    with pytest.raises(Stopped):
        next(in_processes(wait, 2, 2, stop))
