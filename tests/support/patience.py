"""How long tests wait: until what they wait for has happened, however busy the machine is."""

import os
from pathlib import Path

PATIENCE_SECONDS = 300.0  # for what will surely happen; a hang, not a slow machine, takes longer


def when_idle(seconds: float) -> float:
    """Return how long what takes ``seconds`` on an idle machine may take on this one now, with others at work on it.

    What wants to run now counts, and what did during the last minute.
    """
    last_minute, _, _, now, *_ = Path("/proc/loadavg").read_text().split()
    n_running = max(float(last_minute), float(now.partition("/")[0]))
    return seconds * max(1.0, 2.0 * n_running / len(os.sched_getaffinity(0)))
