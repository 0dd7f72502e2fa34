"""What the kernel holds a worker to."""

import os
import subprocess
import sys

_PRINT_NICENESS = """
import os
from workers.runtime.process_limits import lower_priority
lower_priority(12)
lower_priority(7)
print(os.nice(0))
"""

_PRINT_MEMORY_HELD_AFTER_ARRAYS = """
import os, time
import numpy as np
from tests.support.processes import own_bytes_of
from workers.runtime.job_process import JobProcess

def make_arrays():
    np.ones(1 << 21)  # 16 MiB, freed at once
    before = own_bytes_of(os.getpid())
    large_and_small = [(np.ones(1 << 19), np.ones(1 << 9)) for _ in range(8)]
    small = [each for _, each in large_and_small]  # between the large ones, which are freed
    del large_and_small
    print(own_bytes_of(os.getpid()) - before, len(small), flush=True)

process = JobProcess.fork(make_arrays)
while not process.has_ended():
    time.sleep(0.01)
"""


_PRINT_PAGES_OF_SMALLER_ARRAYS = """
import time
from resource import RUSAGE_SELF, getrusage
import numpy as np
from workers.runtime.job_process import JobProcess

def make_arrays():
    np.ones(1 << 18)  # 2 MiB, freed at once
    before = getrusage(RUSAGE_SELF).ru_minflt
    for _ in range(8):
        np.ones(1 << 18)
    print(getrusage(RUSAGE_SELF).ru_minflt - before, flush=True)

process = JobProcess.fork(make_arrays)
while not process.has_ended():
    time.sleep(0.01)
"""


def test_a_job_uses_the_memory_of_smaller_arrays_again() -> None:
    printed = subprocess.check_output([sys.executable, "-c", _PRINT_PAGES_OF_SMALLER_ARRAYS], text=True)

    assert int(printed) < 1_024  # of 8 x 512 pages


def test_what_a_job_frees_of_large_arrays_goes_back_to_the_machine() -> None:
    printed = subprocess.check_output([sys.executable, "-c", _PRINT_MEMORY_HELD_AFTER_ARRAYS], text=True)

    assert int(printed.split()[0]) < 4 << 20  # of 32 MiB


def test_a_worker_is_as_nice_as_configured_and_never_less() -> None:
    printed = subprocess.check_output([sys.executable, "-c", _PRINT_NICENESS], text=True)  # our own

    assert int(printed) == max(12, os.nice(0))
