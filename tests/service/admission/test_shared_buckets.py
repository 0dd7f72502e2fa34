"""Token buckets in memory of several processes: one quota for a caller, whichever process it comes to."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.admission.shared_buckets import SharedBuckets
from service.admission.shared_memory import N_BUCKET_BYTES, SharedMemory, n_bytes_for
from service.middleware.admission.limits import TokenBuckets
from tests.support.patience import when_idle

_TAKING = """
import sys
from service.admission.shared_buckets import SharedBuckets
from service.admission.shared_memory import SharedMemory
buckets = SharedBuckets(SharedMemory(int(sys.argv[1]), 0, 2).buckets("requests"), per_second=0.001, burst=500)
print(sum(not buckets.take("key_1") for _ in range(400)))
"""
_LOCKING = """
import sys, time
from service.admission.shared_memory import SharedMemory
with SharedMemory(int(sys.argv[1]), 0, 2).buckets("requests").locked():
    print("locked", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def descriptor(tmp_path: Path) -> Iterator[int]:
    with (tmp_path / "memory").open("w+b") as file:
        file.truncate(n_bytes_for(2))
        yield file.fileno()


def _start(code: str, descriptor: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", code, str(descriptor)]
    root = Path(__file__).parents[3]
    return subprocess.Popen(command, pass_fds=(descriptor,), stdout=subprocess.PIPE, text=True, cwd=root)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_processes_share_one_quota(descriptor: int) -> None:
    processes = [_start(_TAKING, descriptor) for _ in range(2)]

    taken = [int(process.communicate()[0]) for process in processes]

    assert sum(taken) == 500


def test_a_killed_process_keeps_nobody_out(descriptor: int) -> None:
    holder = _start(_LOCKING, descriptor)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "locked\n"
    os.kill(holder.pid, signal.SIGKILL)
    holder.communicate()

    assert SharedBuckets(SharedMemory(descriptor, 1, 2).buckets("requests"), 10, 5).take("key_1") == 0


def test_a_process_that_stands_still_keeps_nobody_out(descriptor: int) -> None:
    holder = _start(_LOCKING, descriptor)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        os.kill(holder.pid, signal.SIGSTOP)
        buckets = SharedBuckets(SharedMemory(descriptor, 1, 2).buckets("requests"), 0.001, 100)
        began = time.monotonic()

        assert [buckets.take("key_1") for _ in range(100)] == [0] * 100
        assert buckets.take("key_1") > 0
        assert time.monotonic() - began < when_idle(2)  # it waits once
    finally:
        holder.kill()
        holder.communicate()


def test_half_a_document_is_none(descriptor: int) -> None:
    region = SharedMemory(descriptor, 0, 2).codes()
    region.write_document({"code": ["key", 1.5]})
    os.pwrite(descriptor, b"\0\0", 3 * N_BUCKET_BYTES + 12)

    assert region.document() is None


def test_they_decide_as_buckets_of_one_process_do(descriptor: int) -> None:
    clock = Clock()
    shared = SharedBuckets(SharedMemory(descriptor, 0, 2).buckets("explanations"), 7, 3, clock)
    own = TokenBuckets(7, 3, clock=clock)

    for step in range(200):
        clock.now += 0.03 * (step % 5)
        caller = f"key_{step % 3}"
        assert shared.take(caller) == own.take(caller)


def test_newcomers_share_a_bucket_where_too_many_come(descriptor: int) -> None:
    shared = SharedBuckets(SharedMemory(descriptor, 0, 2).buckets("refused"), 0.001, 1, Clock())

    n_let_in = sum(not shared.take(f"address {number}") for number in range(40_000))

    assert 10_000 < n_let_in <= (1 << 18) // 16
    assert shared.take("address 0") > 0
