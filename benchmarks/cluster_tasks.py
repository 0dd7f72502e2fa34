"""What a node does in the benchmark of clusters: the same tasks, whose time it writes down."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dask.sizeof import sizeof

from workers.cluster.partitions import run_task

TIMES = "LEAFSPACE_BENCHMARK_TIMES"
"""Names the folder in which each node keeps a file of its own."""


def timed_task(function: Callable[..., Any], broadcast: tuple[Any, ...], *part: Any) -> Any:  # as run_task
    """Do one part's share; write down its function, elapsed seconds, processor seconds, and bytes of the result."""
    start, processor = time.perf_counter(), time.thread_time()
    result = run_task(function, broadcast, *part)
    taken = time.perf_counter() - start, time.thread_time() - processor
    with (Path(os.environ[TIMES]) / str(os.getpid())).open("a") as file:
        file.write(f"{function.__name__} {taken[0]} {taken[1]} {sizeof(result)}\n")
    return result
