"""What the queue and the table of kinds name does exist."""

import subprocess
import sys
from importlib import import_module

import pytest

from storage.job_notifications import RUN_JOB
from workers.job_kinds import JOB_KINDS, load_job_kinds


def test_the_function_that_messages_name_exists() -> None:
    module, _, function = RUN_JOB.rpartition(".")

    assert callable(getattr(import_module(module), function))


def test_every_kind_of_job_has_a_function() -> None:
    kinds = load_job_kinds()

    assert set(kinds) == set(JOB_KINDS)
    assert all(callable(kind) for kind in kinds.values())


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_importing_everything_starts_no_thread_that_a_fork_would_lose() -> None:
    program = """
from pathlib import Path
from workers.__main__ import prepare_environment
prepare_environment()
from workers.job_kinds import load_job_kinds
load_job_kinds()
print(*(task.read_text().strip() for task in Path("/proc/self/task").glob("*/comm")))
"""

    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    # The allocator of pyarrow stops its thread before a fork and starts it again afterwards.
    names = printed.stdout.split()
    assert sorted(set(names) - {"jemalloc_bg_thd"}) == [names[0]]
    assert names.count(names[0]) == 1
