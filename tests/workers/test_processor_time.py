"""A job that hardly gets a processor says so; one that waits for something else does not."""

import subprocess
import sys
import time
from pathlib import Path

from tests.support.job_farm import JobFarm
from workers.runtime.job_monitor import ProcessorTime, processor_seconds

_BUSY_THREAD_THAT_ENDS = """
import threading, time

def work():
    until = time.thread_time() + 0.5
    while time.thread_time() < until:
        pass

thread = threading.Thread(target=work)
thread.start()
thread.join()
print(time.process_time(), flush=True)
input()
"""


def test_a_process_that_waits_for_something_else_is_not_reported_to_wait_for_a_processor() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:  # noqa: S607  # whichever sleep there is
        watched = ProcessorTime(process.pid)
        for _ in range(12):
            time.sleep(0.25)  # it is looked at as often
            watched.sample()
        message = watched.describe()
        process.kill()

    assert message == ""


def test_a_process_that_is_gone_waits_for_nothing() -> None:
    watched = ProcessorTime(1 << 30)  # no process has such a number
    watched.sample()

    assert watched.describe() == ""


def test_the_time_of_threads_that_have_ended_counts() -> None:
    command = [sys.executable, "-c", _BUSY_THREAD_THAT_ENDS]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:  # our own
        assert process.stdout is not None
        own = float(process.stdout.readline())
        found = processor_seconds(Path(f"/proc/{process.pid}"))
        process.kill()

    assert own >= 0.5
    assert found >= own - 0.05  # it is counted in hundredths of a second


def test_a_job_that_others_keep_from_its_processor_says_so(farm: JobFarm) -> None:
    farm.start_worker(LEAFSPACE_RENEW_SECONDS="3", LEAFSPACE_LEASE_SECONDS="30")
    requested = farm.request_job("compete_for_a_processor")

    farm.wait_until(lambda: "processor time" in farm.jobs.get(requested.job).progress.message)

    found = farm.jobs.get(requested.job)
    assert (found.status, found.progress.stage) == ("running", "competing")
    farm.jobs.request_cancel(requested.job)
    assert farm.wait_for_end(requested).status == "cancelled"
