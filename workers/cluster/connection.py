"""A job's connection to its cluster: who is there, whether they are like us, and what one of them can hold."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from distributed import Client
from distributed.comm import connect
from distributed.security import Security

from tree_explainers.compute.progress import Tick

from .errors import ClusterAway, ClusterRefusal
from .identity import identity, refuse_others
from .partitions import ClusterPartitions
from .settings import ClusterSettings, TlsFiles

_SHARE_OF_A_WORKER = 1 / 8  # of its memory, that a partition may take: several lie with each, beside what they make
_MOST_OF_A_WORKER = 1 / 2  # of its memory, that a single block may take: beside it lies what the process is made of
_BLOCKS_OF_A_TASK = 0.2  # of rows, that a map works on in the time that the engine takes for a task
_ITEMS_PER_THREAD = 4  # partitions of items, at least, so that no worker waits for the last one


@dataclass(frozen=True, slots=True)
class Cluster:
    """An open cluster."""

    client: Client
    settings: ClusterSettings
    tick: Tick
    n_threads: int
    memory_bytes: int  # of the worker that has least

    def rows_of_partition(self, n_rows: int, bytes_a_row: int) -> int:
        """Return the number of rows of a partition: as many whole blocks as a worker holds easily, or fewer.

        It is the number with which maps take least: what the busiest thread works on, and the tasks.

        Raises
        ------
        ClusterRefusal
            ``resource_estimate_exceeds_limit`` where the smallest worker is too small for a single block.
        """
        self._refuse_too_small(min(n_rows, self.settings.block_rows), bytes_a_row)
        block = self.settings.block_rows
        most = min(int(self.memory_bytes * _SHARE_OF_A_WORKER / bytes_a_row), n_rows + block - 1) // block
        lengths = [n_blocks * block for n_blocks in range(1, max(1, most) + 1)]
        return min(lengths, key=lambda length: self._cost(n_rows, length))

    def _cost(self, n_rows: int, length: int) -> float:
        """Return what a map takes, in rows, where partitions of this length are dealt to all threads in turn."""
        partitions = [min(length, n_rows - start) for start in range(0, n_rows, length)]
        busiest = max(sum(partitions[thread :: self.n_threads]) for thread in range(self.n_threads))
        return busiest + _BLOCKS_OF_A_TASK * self.settings.block_rows * len(partitions)

    def _refuse_too_small(self, n_rows: int, bytes_a_row: int) -> None:
        needed = int(n_rows * bytes_a_row / _MOST_OF_A_WORKER)
        if needed > self.memory_bytes:
            detail = (
                f"the smallest worker of the cluster has {_mebibytes(self.memory_bytes)} of memory, and {n_rows:,} "
                f"rows of this request, the fewest that are worked on together, take a worker of {_mebibytes(needed)}: "
                "start workers with more (leafspace cluster-worker --memory), or use a smaller model"
            )
            raise ClusterRefusal(code="resource_estimate_exceeds_limit", detail=detail)

    def items_of_partition(self, n_items: int, most: int) -> int:
        """Return how many of some items that take time, and little memory, a partition has: 1 to ``most``."""
        return max(1, min(most, -(-n_items // (_ITEMS_PER_THREAD * self.n_threads))))

    def spread(self, values: Sequence[tuple[Any, ...]]) -> ClusterPartitions:
        """Return parts that are these values, to make more of."""
        return ClusterPartitions(self.client, values, self.tick, self.n_threads)


@contextmanager
def open_cluster(settings: ClusterSettings, tick: Tick) -> Iterator[Cluster]:
    """Yield the cluster; nothing that was begun there is left when it is closed.

    Raises
    ------
    ClusterAway
        If its scheduler does not answer, or no worker comes.
    ClusterRefusal
        ``cluster_mismatch`` for workers that would give other results.
    """
    tick()
    client = _connect(settings)
    try:
        try:
            client.wait_for_workers(1, timeout=settings.patience_seconds)
            identities = client.run(identity, on_error="return")
        except (TimeoutError, OSError) as error:
            detail = f"no worker has come to {settings.scheduler}"
            raise ClusterAway(detail) from error
        for address, other in identities.items():
            if isinstance(other, OSError):
                continue  # it is lost; those that take its place are looked at when they begin with their first rows
            # A worker that was started by something else than `leafspace cluster-worker` may have nothing of ours.
            known = {} if isinstance(other, Exception) else other
            refuse_others(identity(), known, f"worker {address} of the cluster")
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        yield Cluster(
            client,
            settings,
            tick,
            sum(worker["nthreads"] for worker in workers),
            min(worker["memory_limit"] or (1 << 62) for worker in workers),
        )
    finally:
        client.close(timeout=1)


def security_of(tls: TlsFiles | None) -> Security | None:
    """Return what encrypts and checks connections: both sides show a certificate of the one authority."""
    if tls is None:
        return None
    files = {"cert": str(tls.certificate), "key": str(tls.key)}
    sides = {f"tls_{side}_{name}": path for side in ("client", "scheduler", "worker") for name, path in files.items()}
    return Security(tls_ca_file=str(tls.authority), require_encryption=True, **sides)


def _connect(settings: ClusterSettings) -> Client:
    security = security_of(settings.tls) or Security()
    try:
        asyncio.run(asyncio.wait_for(_greet(settings, security), settings.patience_seconds))
        return Client(
            settings.scheduler,
            timeout=settings.patience_seconds,
            security=security,
            set_as_default=False,
            direct_to_workers=False,
        )
    except (OSError, TimeoutError, RuntimeError) as error:
        first_line = str(error).partition("\n")[0][:200]
        reason = first_line or f"no scheduler of Dask has greeted within {settings.patience_seconds:g} s"
        detail = f"the scheduler at {settings.scheduler} does not answer: {reason}"
        raise ClusterAway(detail) from error


async def _greet(settings: ClusterSettings, security: Security) -> None:
    """Exchange the greeting of a connection: a client waits for it without end, and cannot be closed meanwhile."""
    arguments = security.get_connection_args("client")
    try:
        connection = await connect(settings.scheduler, timeout=settings.patience_seconds, **arguments)
    except (OSError, ValueError):  # it is away, or the address is none
        raise
    except Exception as error:  # any bytes are read as a greeting: those of HTTP are a length of 3 EiB, a MemoryError
        message = "what answers there is no scheduler of Dask"
        raise ConnectionError(message) from error
    await connection.close()


def _mebibytes(n_bytes: int) -> str:
    return f"{-(-n_bytes >> 20):,} MiB"
