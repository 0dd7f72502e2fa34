"""A real cluster of Dask on this machine: a scheduler and workers, each a process that can be killed.

Or partitions of this process in its place, with which jobs do the same.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leafspace.embedded import module_command
from leafspace.processes import start_process
from tree_explainers.compute.partitions import LocalPartitions

from .processes import descendants_of

_READY = "Leafspace's cluster is at "


@dataclass(frozen=True)
class PartitionsHere:
    """What a job takes for its cluster, but that two threads of this process work on a number of partitions."""

    n_partitions: int
    n_threads: int = 2

    def rows_of_partition(self, n_rows: int, bytes_a_row: int) -> int:  # as a cluster's
        return -(-n_rows // self.n_partitions)

    def items_of_partition(self, n_items: int, most: int) -> int:  # as a cluster's
        return -(-n_items // self.n_partitions)

    def spread(self, values: Sequence[tuple[Any, ...]]) -> LocalPartitions:
        return LocalPartitions(values, self.n_threads)


class SmallCluster:
    """A scheduler, and workers that come and go; all read the objects of one data directory."""

    def __init__(self, data_dir: Path, environment: Mapping[str, str] | None = None, port: int = 0) -> None:
        self._environment = {
            **os.environ,
            **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
            "LEAFSPACE_DATA_DIR": str(data_dir),
            **(environment or {}),
        }
        self._scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []
        self.address = ""
        self.start_scheduler(port)

    def start_scheduler(self, port: int) -> None:
        reader, writer = os.pipe()
        with os.fdopen(reader) as lines:
            with os.fdopen(writer, "wb") as output:
                self._scheduler = subprocess.Popen(  # our own command
                    module_command("workers.cluster_node", "scheduler", "--port", str(port)),
                    env=self._environment,
                    stdout=output,
                    stderr=sys.stderr,
                )
            line = lines.readline()
        assert line.startswith(_READY), line
        self.address = line.removeprefix(_READY).strip()

    def add_worker(self, *options: str, memory: str = "1GiB") -> "subprocess.Popen[bytes]":
        command = module_command("workers.cluster_node", "worker", self.address, "--memory", memory, *options)
        worker = start_process(command, environment=self._environment)
        self.workers.append(worker)
        return worker

    def kill_work_of(self, worker: "subprocess.Popen[bytes]") -> None:
        """Kill what works in a worker, as the kernel does for lack of memory; its nanny starts it again."""
        for pid in descendants_of(worker.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def kill_worker(self, worker: "subprocess.Popen[bytes]") -> None:
        """Kill a worker for good."""
        for pid in (worker.pid, *descendants_of(worker.pid)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        worker.wait()
        self.workers.remove(worker)

    def kill_scheduler(self) -> None:
        assert self._scheduler is not None
        self._scheduler.kill()
        self._scheduler.wait()

    def stop(self) -> None:
        for worker in list(self.workers):
            self.kill_worker(worker)
        self.kill_scheduler()


@contextmanager
def small_cluster(
    data_dir: Path, workers: Sequence[str] = ("1GiB", "1GiB"), environment: Mapping[str, str] | None = None
) -> Iterator[SmallCluster]:
    """Yield a cluster whose workers have so much memory each."""
    cluster = SmallCluster(data_dir, environment)
    try:
        for memory in workers:
            cluster.add_worker(memory=memory)
        yield cluster
    finally:
        cluster.stop()
