"""What the kernel holds a worker to."""

import subprocess
import sys
from pathlib import Path

import pytest

_TELL = """
import os
from pathlib import Path
from workers.process_limits import lower_priority
lower_priority(12)
lower_priority(7)
print(os.nice(0), Path("/proc/self/autogroup").read_text().strip())
"""
_AUTOGROUP = Path("/proc/self/autogroup")


def _told(*, own_session: bool) -> tuple[int, str]:
    """The niceness of a process that lowered its priority, and what the kernel says of its session (maybe nothing)."""
    command = [sys.executable, "-c", _TELL]
    output = subprocess.check_output(command, start_new_session=own_session, text=True)  # noqa: S603  # our own
    niceness, _, session = output.strip().partition(" ")
    return int(niceness), session


@pytest.mark.skipif(not _AUTOGROUP.exists(), reason="the kernel has no autogroups")
def test_a_worker_is_as_nice_among_sessions_as_inside_its_own() -> None:
    niceness, session = _told(own_session=True)
    assert niceness >= 12
    assert session.split()[-1:] == [str(niceness)]


@pytest.mark.skipif(not _AUTOGROUP.exists(), reason="the kernel has no autogroups")
def test_a_shell_from_which_a_worker_is_started_by_hand_is_left_alone() -> None:
    niceness, session = _told(own_session=False)
    assert niceness >= 12
    assert session == _AUTOGROUP.read_text().strip()  # nothing, where this session is the machine's first
