"""``ClusterPartitions``: parts that lie with the workers of a Dask cluster, which make them again where one is lost.

Nothing that a worker holds is the only copy of anything: a part is the result of a task whose arguments the scheduler
knows, down to the files that it was read from. What a mapped function yields comes back to the job's process in the
order of the parts, and is reduced there.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from dask.sizeof import sizeof
from distributed import Client, Future, KilledWorker, Worker, get_worker
from distributed.client import FutureCancelledError
from distributed.comm import CommClosedError
from distributed.worker import thread_state

from storage.errors import StorageError
from tree_explainers.compute.partitions import Partitions, cancellation_check
from tree_explainers.compute.progress import Tick
from tree_explainers.errors import ExplainerError, RowRefused

from .errors import ClusterAway, ClusterRefusal

Result = TypeVar("Result")

_SENT_WITH_TASKS = 1 << 19  # bytes, with all tasks of a map; more is sent once, and passed on among workers
_MOST_GATHERED = 16  # results at once: those that wait for their turn stay with the workers
_SECONDS_BETWEEN_TICKS = 0.2
# The last is how Dask's client ends where what it waits for is cancelled under it.
_AWAY = (
    FutureCancelledError,
    asyncio.CancelledError,
    CommClosedError,
    TimeoutError,
    ConnectionError,
    UnboundLocalError,
)
_WAITS = "the scheduler of the cluster is lost"


class TaskRefusal(Exception):  # what a task refuses, as it travels
    """A refusal with a code, in a form that other processes can read."""

    def __init__(self, kind: str, code: str, detail: str, where: Any) -> None:  # a row, or a pointer
        super().__init__(kind, code, detail, where)


def run_task(function: Callable[..., Result], broadcast: tuple[Any, ...], *part: Any) -> Result:
    """Do one part's share; what it refuses is sent to the job's process."""
    token = cancellation_check.set(_still_wanted(get_worker(), thread_state.key))
    try:
        return function(*part, *broadcast)
    except RowRefused as refusal:
        raise TaskRefusal("row", refusal.code, refusal.detail, refusal.row) from None
    except ExplainerError as refusal:
        raise TaskRefusal("method", refusal.code, refusal.detail, None) from None
    except StorageError as refusal:
        raise TaskRefusal("storage", refusal.code, refusal.detail, refusal.pointer) from None
    except _AWAY as error:
        message = f"a task of the cluster failed: {error!r}"  # by itself: this is not the cluster that is away
        raise RuntimeError(message) from error
    finally:
        cancellation_check.reset(token)


def _still_wanted(worker: Worker, key: Any) -> Tick:  # Dask's
    """Return what raises once the scheduler has had the worker forget a task, which Dask does not interrupt."""

    def check() -> None:
        task = worker.state.tasks.get(key)
        if task is None or task.state == "cancelled":
            message = "nobody wants the result of this task any more"
            raise RuntimeError(message)

    return check


class ClusterPartitions:
    """Parts with the workers of a cluster.

    Parameters
    ----------
    client
        Connected to the scheduler.
    parts
        Of each, futures and values that are sent with every task.
    tick
        Called five times a second while results are awaited; may raise to stop.
    n_threads
        Of all workers.
    """

    def __init__(self, client: Client, parts: Sequence[tuple[Any, ...]], tick: Tick, n_threads: int) -> None:
        self._client, self._parts, self._tick, self.n_threads = client, list(parts), tick, n_threads

    def __len__(self) -> int:
        """Return how many parts there are."""
        return len(self._parts)

    def map(self, function: Callable[..., Result], *broadcast: Any) -> Iterator[Result]:
        """Yield what the function makes of each part, in their order; whatever ends it, no task is left."""
        futures = self._submit(function, broadcast)
        try:
            yield from self._results(futures)
        finally:
            _cancel(self._client, futures)

    def keep(self, function: Callable[..., Any], *broadcast: Any) -> "ClusterPartitions":
        """Return what the function makes of each part, which stays with its worker."""
        return self._of([(future,) for future in self._submit(function, broadcast)])

    def beside(self, other: Partitions) -> "ClusterPartitions":
        """Return parts that are the parts of both."""
        assert isinstance(other, ClusterPartitions)  # one executor has them all
        return self._of([(*first, *second) for first, second in zip(self._parts, other._parts, strict=True)])  # noqa: SLF001

    def beside_values(self, values: Sequence[Any]) -> "ClusterPartitions":
        """Return parts that have one more value each, which is sent with every task."""
        return self._of([(*part, value) for part, value in zip(self._parts, values, strict=True)])

    def followed_by(self, other: Partitions) -> "ClusterPartitions":
        """Return these parts, and then the other's."""
        assert isinstance(other, ClusterPartitions)  # one executor has them all
        return self._of(self._parts + other._parts)  # noqa: SLF001  # its own kind

    def some(self, indices: Sequence[int]) -> "ClusterPartitions":
        """Return some of the parts."""
        return self._of([self._parts[index] for index in indices])

    def regrouped(self, function: Callable[..., Any], groups: Sequence[Any]) -> "ClusterPartitions":
        """Return parts that are the groups, to whose workers the others send what the function makes for them."""
        return self._of([(group, self._submit(function, (group,))) for group in groups])

    def _of(self, parts: Sequence[tuple[Any, ...]]) -> "ClusterPartitions":
        return ClusterPartitions(self._client, parts, self._tick, self.n_threads)

    def _submit(self, function: Callable[..., Any], broadcast: tuple[Any, ...]) -> list[Future]:
        with _translated():
            _refuse_lost(self._client)
            sent: Any = broadcast
            if sizeof(broadcast) * len(self._parts) > _SENT_WITH_TASKS and len(self._parts) > 1:
                sent = self._client.submit(_unchanged, broadcast, pure=False)
            with_each = [function] * len(self), [sent] * len(self)
            # In one message: the scheduler takes as long for a graph as for many tasks.
            return self._client.map(run_task, *with_each, *zip(*self._parts, strict=True), pure=False)  # type: ignore[no-any-return]

    def _results(self, futures: Sequence[Future]) -> Iterator[Any]:
        n_taken = 0
        while n_taken < len(futures):
            n_done = n_taken
            while n_done < min(len(futures), n_taken + _MOST_GATHERED) and futures[n_done].done():
                n_done += 1
            if n_done == n_taken:
                self._wait(futures[n_taken])
                continue
            with _translated():
                results = self._client.gather(futures[n_taken:n_done])
            for future in futures[n_taken:n_done]:
                future.release()  # its worker need not keep it until the last one is done
            yield from results
            n_taken = n_done
            self._tick()

    def _wait(self, future: Future) -> None:
        """Wait until it is done; its result stays where it is, as several are gathered at once."""
        with _translated():
            try:
                future.exception(timeout=_SECONDS_BETWEEN_TICKS)
            except TimeoutError:
                _refuse_lost(self._client)
        self._tick()


def _unchanged(broadcast: tuple[Any, ...]) -> tuple[Any, ...]:
    return broadcast


def _refuse_lost(client: Client) -> None:
    if client.status != "running":
        raise ClusterAway(_WAITS)


def _cancel(client: Client, futures: Sequence[Future]) -> None:
    """Have the scheduler forget what is not done; where it is lost itself, there is nothing to forget."""
    unfinished = [future for future in futures if not future.done()]
    if unfinished and client.status == "running":
        try:
            client.cancel(unfinished, force=True)
        except _AWAY:
            return


@contextmanager
def _translated() -> Iterator[None]:
    """Raise what a task refused, and what became of the cluster, as the errors of this project."""
    try:
        yield
    except TaskRefusal as refusal:
        raise _refusal(*refusal.args) from None
    except KilledWorker as error:
        detail = (
            f"{error.allowed_failures + 1} workers of the cluster were lost while they worked on the same rows, as "
            "a rule for lack of memory: give workers more (leafspace cluster-worker --memory)"
        )
        raise ClusterRefusal("cluster_worker_lost", detail) from error
    except _AWAY as error:
        raise ClusterAway(_WAITS) from error


def _refusal(kind: str, code: str, detail: str, where: Any) -> Exception:  # a row, or a pointer
    if kind == "row":
        return RowRefused(code, detail, where)
    return ExplainerError(code, detail) if kind == "method" else StorageError(code, detail, where)
