"""Where the time of a job on a cluster goes: a simulation of its maps, tasks and messages, fed by what was measured.

``benchmarks.cluster`` measures what a job takes: the seconds of its own process, the processor seconds of its tasks by
function, and what the engine takes beside for a map and for a task. Here the same maps run in a simulated cluster. The
job's process sends a map; the scheduler hands out its tasks, one at a time; each worker takes those of the parts that
lie with it; results come back over one line, and the job's process goes on when it has them all. Each of them does one
thing at a time.

On a machine that all share, as the one that was measured, those that are busy share what its two threads are worth
(1.33 of one); the simulated 1 and 2 workers there are held against the measured ones. On machines of their own, nobody
waits for a processor. What is not measured is the network: ``BYTES_PER_SECOND`` is assumed.
``python -m benchmarks.cluster_simulation``
"""

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tree_explainers.compute.partitions import BLOCK_ROWS
from tree_explainers.compute.progress import no_tick
from workers.cluster.connection import Cluster
from workers.cluster.settings import ClusterSettings

from .cluster import BYTES_OF_ROW

BYTES_PER_SECOND = 1e9  # 10 Gbit/s less what protocols take
WORKER_BYTES = 2 << 30
SHARED_THREADS = 1.33  # of one thread, what both of the machine that was measured do together
_JOB, _SCHEDULER, _LINE = "the job's own process", "the scheduler", "the network"


@dataclass(frozen=True)
class Measured:
    """What ``benchmarks.cluster`` printed; seconds, by rows in millions where they grow with them."""

    job: tuple[float, float]  # of the job's own process: once, and for a million rows
    tasks: tuple[float, float]  # of processors, all maps together: likewise
    engine: tuple[float, float]  # beside: for a map, and for a task
    n_bytes_sent: float  # for a map
    n_bytes_received: float  # for a row
    functions: Sequence[tuple[int, float]]  # maps of each function, and its share of the seconds of tasks
    seconds: Sequence[tuple[int, int, float]]  # rows, workers, and what a run took


# benchmarks/results/cluster.txt: constants, functions of 200,000 rows in two parts, and runs.
MEASURED = Measured(
    job=(0.8, 7.2),
    tasks=(3.0, 33.0),
    engine=(0.0142, 0.0031),
    n_bytes_sent=281e3,
    n_bytes_received=600,
    functions=((1, 2.53), (2, 2.00), (28, 1.21), (49, 0.99), (1, 0.73), (2, 0.56), (51, 1.58)),
    seconds=((400_000, 1, 24.0), (400_000, 2, 18.0)),
)


@dataclass
class Simulation:
    """Who is there, what each does now and next, and the time."""

    threads: float | None  # that all share; None: each has one of its own
    now: float = 0.0
    busy: defaultdict[str, float] = field(
        default_factory=lambda: defaultdict(float)
    )  # seconds in which each did something
    _queues: dict[str, deque[list[float]]] = field(
        default_factory=dict
    )  # seconds that are left, first come first served

    def do(self, who: str, seconds: float) -> list[float]:
        """Have somebody do something after what they have to do already; returns it, [0.0] when it is done."""
        work = [max(seconds, 1e-9)]
        self._queues.setdefault(who, deque()).append(work)
        return work

    def step(self) -> None:
        """Go on until the next thing is done."""
        active = {who: queue for who, queue in self._queues.items() if queue}
        n_processors = sum(who != _LINE for who in active)
        speed = 1.0 if self.threads is None or n_processors < 2 else min(1.0, self.threads / n_processors)
        speeds = {who: 1.0 if who == _LINE else speed for who in active}
        seconds = min(queue[0][0] / speeds[who] for who, queue in active.items())
        self.now += seconds
        for who, queue in active.items():
            self.busy[who] += seconds
            queue[0][0] -= seconds * speeds[who]
            if queue[0][0] <= 1e-12:
                queue.popleft()[0] = 0.0

    def until(self, work: Sequence[list[float]]) -> None:
        """Go on until all of this is done."""
        while any(each[0] for each in work):
            self.step()


@dataclass(frozen=True)
class Map:
    """A function over all parts."""

    seconds: Sequence[float]  # of each part's task
    n_bytes: float  # that come back for each


def main() -> None:
    """Simulate and print."""
    print("on one machine of two threads, which all share, against what was measured:")
    for n_rows, n_workers, measured in MEASURED.seconds:
        cluster = simulated(n_rows, n_workers, SHARED_THREADS)
        print(f"  {n_rows:,} rows, {n_workers} worker(s): {cluster.now:.0f} s, measured {measured:.0f} s", end="")
        print(f" ({cluster.now / measured - 1:+.0%})")
    (n_rows, _, one), (_, _, two) = MEASURED.seconds
    ratio = simulated(n_rows, 1, SHARED_THREADS).now / simulated(n_rows, 2, SHARED_THREADS).now
    print(f"  a second worker: {ratio:.2f} times as fast, measured {one / two:.2f}")
    for n_rows in (400_000, 10_000_000):
        print(f"\n{n_rows:,} rows, each process on a machine of its own (simulated, not measured):")
        alone = simulated(n_rows, 1, None).now
        for n_workers in (1, 2, 8, 64):
            _print(n_workers, simulated(n_rows, n_workers, None), alone)


def _print(n_workers: int, cluster: Simulation, alone: float) -> None:
    workers = sum(seconds for who, seconds in cluster.busy.items() if who.startswith("worker")) / n_workers
    shares = [(who, cluster.busy[who] / cluster.now) for who in (_JOB, _SCHEDULER, _LINE)]
    parts = ", ".join(f"{who} {share:.0%}" for who, share in [("a worker", workers / cluster.now), *shares])
    print(f"  {n_workers:2} worker(s): {cluster.now:7.0f} s, {alone / cluster.now:5.2f} times one; busy: {parts}")


def simulated(n_rows: int, n_workers: int, threads: float | None, measured: Measured = MEASURED) -> Simulation:
    """Return the cluster after the job."""
    cluster = Simulation(threads)
    maps = list(_maps(n_rows, n_workers, measured))
    between = (measured.job[0] + measured.job[1] * n_rows / 1e6) / len(maps)  # the job's own share, spread evenly
    of_map, of_task = measured.engine
    for each in maps:
        cluster.until([cluster.do(_JOB, between + of_map), cluster.do(_LINE, measured.n_bytes_sent / BYTES_PER_SECOND)])
        _run(cluster, each, n_workers, of_task)
    return cluster


def _run(cluster: Simulation, each: Map, n_workers: int, of_task: float) -> None:
    """Have a map done: handed out, computed and gathered, all at once as far as each is free."""
    handed = [cluster.do(_SCHEDULER, of_task) for _ in each.seconds]
    computing: dict[int, list[float]] = {}
    gathered: list[list[float]] = []
    n_handed = 0
    while len(gathered) < len(each.seconds) or any(work[0] for work in gathered):
        while n_handed < len(handed) and not handed[n_handed][0]:
            computing[n_handed] = cluster.do(f"worker {n_handed % n_workers}", each.seconds[n_handed])
            n_handed += 1
        for part in [part for part, work in computing.items() if not work[0]]:
            del computing[part]
            gathered.append(cluster.do(_LINE, each.n_bytes / BYTES_PER_SECOND))
        if len(gathered) < len(each.seconds) or any(work[0] for work in gathered):
            cluster.step()


def _maps(n_rows: int, n_workers: int, measured: Measured) -> Iterator[Map]:
    """Yield the maps of a job, whose rows are cut as ``benchmarks.cluster`` has them cut for as many workers."""
    settings = ClusterSettings("", None, BLOCK_ROWS, 0)
    length = Cluster(None, settings, no_tick, n_workers, WORKER_BYTES).rows_of_partition(n_rows, BYTES_OF_ROW)
    lengths = [min(length, n_rows - start) for start in range(0, n_rows, length)]
    shares = [length / n_rows for length in lengths]
    total, n_maps = measured.tasks[0] + measured.tasks[1] * n_rows / 1e6, sum(n for n, _ in measured.functions)
    whole = sum(seconds for _, seconds in measured.functions)
    n_bytes = measured.n_bytes_received * n_rows / n_maps
    for n, seconds in measured.functions:
        for _ in range(n):
            yield Map([share * total * seconds / whole / n for share in shares], n_bytes / len(lengths))


if __name__ == "__main__":
    main()
