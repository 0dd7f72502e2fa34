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


def test_a_worker_is_as_nice_as_configured_and_never_less() -> None:
    printed = subprocess.check_output([sys.executable, "-c", _PRINT_NICENESS], text=True)  # our own

    assert int(printed) == max(12, os.nice(0))
