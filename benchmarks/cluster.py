"""Rows on a cluster: the same bytes as one process, how much faster two workers are, what the engine takes; a forecast.

A forest of ``--trees`` trees with 500 leaves each, fitted on 20,000 made-up rows (seed 0), is applied to ``--rows``
such rows of ten columns; ``--prototypes`` (50) are selected by ``sm_a`` from ``--candidates`` sampled rows, with their
certificate. The same job runs in one process on one thread and on two, on one Dask worker, on two (of one thread and
``--memory`` each), and on two of which one is killed every 30 s. Files are those of a data directory on this machine.

The cost model: a job takes what its own process does, what tasks compute, shared by the workers' threads (both grow
with the rows, from what happens once), and what the engine takes for each map and for each task. Its constants are
those of a quarter and of half of the rows on one worker; what it says of the other runs is printed beside what they
took, and what it says of a billion rows is a forecast. Loops are compiled before (``leafspace warm``).
``python -m benchmarks.cluster [--rows 10000000]``; with ``--only-bytes`` only one process and two workers run, and
no speed is printed but their seconds: for rows whose codes two workers of ``--memory`` cannot hold.
"""

import argparse
import hashlib
import os
import resource
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from dask.sizeof import sizeof
from distributed import Client, Future
from sklearn.ensemble import RandomForestClassifier

from tests.support.clusters import SmallCluster, small_cluster
from tests.support.job_contexts import forget_leaf_tables, job_context
from tests.support.models import onnx_of
from tests.support.workshop import Workshop, workshop_in
from tree_explainers.compute.partitions import BLOCK_ROWS
from tree_explainers.compute.threads import limit_cores
from workers.cluster import partitions
from workers.cluster.connection import open_cluster
from workers.cluster.settings import ClusterSettings
from workers.job_kinds import load_job_kinds

from .cluster_tasks import TIMES, timed_task
from .machine import describe_machine

N_FEATURES, N_LEAVES, N_FITTED = 10, 500, 20_000
BYTES_OF_ROW = 100 * (2 * 2 + 4) + 40 * N_FEATURES  # as ``score_on_cluster`` reckons with 100 trees
SECONDS_BETWEEN_KILLS = 30
BILLION, N_FORECAST_WORKERS, FORECAST_BYTES = 1_000_000_000, 100, 16 << 30


def main() -> None:
    """Measure and print."""
    options = _options()
    print(describe_machine())
    print(
        f"{options.rows:,} rows x {options.trees} trees, {options.prototypes} prototypes of {options.candidates} "
        f"candidates; workers of one thread and {options.memory}; load of the machine before: {os.getloadavg()[0]:.1f}"
    )
    with tempfile.TemporaryDirectory() as folder, workshop_in(Path(folder)) as workshop:
        bench = _Bench(workshop, Path(folder), options.memory)
        (_compare_bytes if options.only_bytes else _compare_speed)(bench, options)


def _compare_speed(bench: "_Bench", options: argparse.Namespace) -> None:
    quarter = bench.request(options, options.rows // 4)
    half = bench.request(options, options.rows // 2)
    whole = bench.request(options, options.rows)
    small = bench.on_cluster("a quarter of the rows, one worker", quarter, 1)
    middle = bench.on_cluster("half of the rows, one worker", half, 1)
    model = _Model.of(small, middle)
    _print_constants(model, middle)
    here = bench.in_process("one process, two threads", whole, 2)
    bench.in_process("one process, one thread", whole, 1)
    one = bench.on_cluster("one worker", whole, 1)
    two = bench.on_cluster("two workers", whole, 2)
    killed = bench.on_cluster("two workers, with kills", whole, 2, kills=True)
    assert {one.digest, two.digest, killed.digest} == {here.digest}, "the bytes differ"
    print("all have the same bytes")
    print(f"two workers are {one.seconds / two.seconds:.2f} times as fast as one")
    print(f"maps alone: {one.seconds_of_maps / two.seconds_of_maps:.2f} times")
    print(f"two workers take {two.seconds / here.seconds:.2f} times as long as two threads of one process")
    print(f"with a worker killed every {SECONDS_BETWEEN_KILLS} s: {killed.seconds / two.seconds:.2f} times as long")
    _print_model(model, (one, two))


def _compare_bytes(bench: "_Bench", options: argparse.Namespace) -> None:
    request = bench.request(options, options.rows)
    two = bench.on_cluster("two workers", request, 2)
    here = bench.in_process("one process, two threads", request, 2)
    assert two.digest == here.digest, "the bytes differ"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"both have the same bytes; most memory of the process that did both: {peak:.1f} GiB")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--prototypes", type=int, default=50)
    parser.add_argument("--candidates", type=int, default=10_000)
    parser.add_argument("--memory", default="2GiB")
    parser.add_argument("--only-bytes", action="store_true")
    return parser.parse_args()


def _target(features: np.ndarray, rng: np.random.Generator) -> Any:  # (n_rows,)
    noise = rng.standard_normal(len(features))
    return (features[:, 0] * features[:, 1] + features[:, 2] + 0.3 * noise > 0).astype(int)


@dataclass
class _Run:
    """What a run took."""

    n_rows: int
    n_workers: int
    digest: str = ""
    seconds: float = 0.0
    seconds_of_maps: float = 0.0  # in which results of tasks were awaited
    n_maps: int = 0
    n_parts: int = 0  # of a map, at most
    n_bytes_sent: int = 0  # with all tasks of a map, to whichever worker
    n_bytes_received: int = 0
    n_tasks: Counter[str] = field(default_factory=Counter)  # by function
    computing: dict[str, float] = field(default_factory=dict)  # processor seconds of tasks, by function


class _Bench:
    """Runs the same request in several places."""

    def __init__(self, workshop: Workshop, folder: Path, memory: str) -> None:
        self._workshop, self._folder, self._memory = workshop, folder, memory
        self._n_runs = 0

    def request(self, options: argparse.Namespace, n_rows: int) -> dict[str, Any]:
        """Register model and rows; return the request."""
        rng = np.random.default_rng(0)
        names = [f"x{index}" for index in range(N_FEATURES)]
        features = rng.standard_normal((n_rows, N_FEATURES), dtype=np.float32)
        target = _target(features[:N_FITTED], rng)
        forest = RandomForestClassifier(options.trees, max_leaf_nodes=N_LEAVES, n_jobs=2, random_state=0)
        forest.fit(features[:N_FITTED], target)
        onnx = onnx_of(forest, features[:100])
        model = self._workshop.register_model(onnx, feature_names=names, ensemble="random_forest")
        dataset = self._workshop.register_dataset(pd.DataFrame(features, columns=names))
        return {
            "model": model, "dataset": dataset, "method": "sm_a", "min_leaf_rows": 1,
            "n_prototypes": options.prototypes, "n_candidates": options.candidates, "proximity_kind": "random_forest",
            "nearest_rows": {"proximity_kind": "random_forest"},  # as the service resolves "auto"
        }  # fmt: skip

    def in_process(self, name: str, request: dict[str, Any], n_threads: int) -> _Run:
        limit_cores(n_threads)
        run = _Run(self._n_rows(request), 0)
        with _timed(name, run):
            run.digest = self._made(request, None)
        limit_cores(os.cpu_count() or 1)
        return run

    def on_cluster(self, name: str, request: dict[str, Any], n_workers: int, *, kills: bool = False) -> _Run:
        times = self._folder / f"times {self._n_runs}"
        times.mkdir()
        environment = {TIMES: str(times), "PYTHONPATH": str(Path(__file__).parents[1])}
        run = _Run(self._n_rows(request), n_workers)
        with small_cluster(self._folder, [self._memory] * n_workers, environment) as cluster:
            _wait_for_workers(cluster)
            settings = ClusterSettings(cluster.address, None, BLOCK_ROWS, 120)
            killing = _killing(cluster) if kills else nullcontext()
            with killing, _counted(run), _timed(name, run), open_cluster(settings, lambda: None) as opened:
                run.digest = self._made(request, opened)
        for line in (line for path in times.iterdir() for line in path.read_text().splitlines()):
            function, _, processor, n_bytes = line.split()
            run.computing[function] = run.computing.get(function, 0.0) + float(processor)
            run.n_bytes_received += int(n_bytes) if function not in _KEPT else 0
        return run

    def _n_rows(self, request: dict[str, Any]) -> int:
        return self._workshop.context.datasets.get(request["dataset"]).view.n_rows

    def _made(self, request: dict[str, Any], cluster: Any) -> str:  # imported late
        forget_leaf_tables(self._workshop)
        self._n_runs += 1
        folder = self._folder / f"run {self._n_runs}"
        folder.mkdir()
        context = replace(job_context(self._workshop, folder), request=request, rng=np.random.default_rng(0))
        produced = load_job_kinds()["prototype_sets"](replace(context, cluster=cluster))
        return hashlib.sha256(produced.result or b"").hexdigest()


# Functions whose results stay with the workers.
_KEPT = {"score_rows", "_table", "_covered_rows", "_targets_and_limits"}


class _Awaiting:
    """Adds up the time in which results are awaited, by one thread of the job or by several."""

    def __init__(self, run: _Run) -> None:
        self._run, self._lock, self._n_threads, self._since = run, threading.Lock(), 0, 0.0

    def __enter__(self) -> None:
        with self._lock:
            self._n_threads += 1
            if self._n_threads == 1:
                self._since = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._n_threads -= 1
            if self._n_threads == 0:
                self._run.seconds_of_maps += time.perf_counter() - self._since


@contextmanager
def _counted(run: _Run) -> Iterator[None]:
    """Count maps and tasks by function, what is sent, and the time in which results are awaited."""
    parted, plain = partitions.ClusterPartitions, partitions.run_task
    submit, results = parted._submit, parted._results  # noqa: SLF001

    def counting_submit(self: Any, function: Any, broadcast: Any) -> Any:
        run.n_maps += 1
        run.n_parts = max(run.n_parts, len(self))
        run.n_tasks[function.__name__] += len(self)
        own = (value for part in self._parts for value in part if not isinstance(value, Future))
        run.n_bytes_sent += sizeof(broadcast) + sum(map(sizeof, own))
        return submit(self, function, broadcast)

    awaiting = _Awaiting(run)

    def timed_results(self: Any, futures: Any) -> Iterator[Any]:
        found = results(self, futures)
        while True:
            with awaiting:
                result = next(found, awaiting)
            if result is awaiting:
                return
            yield result

    parted._submit, parted._results = counting_submit, timed_results  # type: ignore[method-assign]  # noqa: SLF001
    partitions.run_task = timed_task
    try:
        yield
    finally:
        parted._submit, parted._results = submit, results  # type: ignore[method-assign]  # noqa: SLF001
        partitions.run_task = plain


@contextmanager
def _timed(name: str, run: _Run) -> Iterator[None]:
    start = time.perf_counter()
    yield
    run.seconds = time.perf_counter() - start
    tasks = ""
    if run.n_tasks:
        tasks = f"; {run.n_maps:,} maps, {run.n_tasks.total():,} tasks, {run.seconds_of_maps:.0f} s awaited"
    print(f"{name:34} {run.seconds:7.0f} s{tasks}", flush=True)


@dataclass(frozen=True)
class _Line:
    """What grows in proportion, from what happens once."""

    once: float
    of_each: float

    @staticmethod
    def through(smaller: tuple[float, float], larger: tuple[float, float]) -> "_Line":
        of_each = (larger[1] - smaller[1]) / (larger[0] - smaller[0])
        return _Line(max(0.0, smaller[1] - of_each * smaller[0]), of_each)

    def of(self, n: float) -> float:
        return self.once + self.of_each * n


@dataclass(frozen=True)
class _Model:
    """What a job costs: constants that were measured in two runs on one worker."""

    job: _Line  # seconds of its own process, by rows
    tasks: _Line  # their processor seconds, by rows, all maps together
    engine: _Line  # seconds beside, of a map, by its tasks
    n_maps: int

    @staticmethod
    def of(small: _Run, middle: _Run) -> "_Model":
        return _Model(
            _Line.through(*((run.n_rows, run.seconds - run.seconds_of_maps) for run in (small, middle))),
            _Line.through(*((run.n_rows, sum(run.computing.values())) for run in (small, middle))),
            _Line.through(*(_engine(run) for run in (small, middle))),
            middle.n_maps,
        )

    def seconds(self, n_rows: int, n_workers: int, n_tasks: float) -> tuple[float, float, float]:
        """Return what the job's own process, the tasks, and the engine take."""
        tasks = self.tasks.of(n_rows) / n_workers  # what is bounded, whatever the rows, is shared as well
        return self.job.of(n_rows), tasks, self.n_maps * self.engine.of(n_tasks / self.n_maps)


def _engine(run: _Run) -> tuple[float, float]:
    """Return the tasks of a map, and the seconds that a map takes in which no task computes."""
    beside = max(0.0, run.seconds_of_maps - sum(run.computing.values()) / run.n_workers)
    return run.n_tasks.total() / run.n_maps, beside / run.n_maps


def _print_constants(model: _Model, run: _Run) -> None:
    print(f"  the model's constants, from these runs of {run.n_rows // 2:,} and {run.n_rows:,} rows:")
    print(f"    the job's own process: {model.job.once:.1f} s, and {1e6 * model.job.of_each:.1f} s for a million rows")
    print(
        f"    tasks: {model.tasks.once:.1f} s of processor, and {1e6 * model.tasks.of_each:.1f} s for a million rows; "
        f"of {run.n_rows:,} rows:"
    )
    for function, seconds in sorted(run.computing.items(), key=lambda item: -item[1])[:6]:
        print(f"      {function:28} {seconds:8.2f} s in {run.n_tasks[function]:,} tasks")
    print(
        f"    the engine: {1e3 * model.engine.once:.1f} ms for a map, and {1e3 * model.engine.of_each:.1f} for a task"
    )
    sent, received = run.n_bytes_sent / run.n_maps / 1e3, run.n_bytes_received / run.n_rows
    print(f"    {run.n_maps:,} maps; {sent:,.0f} kB sent for each, {received:.0f} bytes received for each row")


def _print_model(model: _Model, runs: Sequence[_Run]) -> None:
    for run in runs:
        parts = model.seconds(run.n_rows, run.n_workers, run.n_tasks.total())
        print(
            f"the model says of {run.n_rows:,} rows on {run.n_workers}: {sum(parts):.0f} s "
            f"({parts[0]:.0f} job + {parts[1]:.0f} tasks + {parts[2]:.0f} engine), measured {run.seconds:.0f} s "
            f"({sum(parts) / run.seconds - 1:+.0%})"
        )
    bytes_a_row = runs[0].n_bytes_received / runs[0].n_rows
    length = int(FORECAST_BYTES / 8 / BYTES_OF_ROW) // BLOCK_ROWS * BLOCK_ROWS
    n_parts = -(-BILLION // length)
    parts = model.seconds(BILLION, N_FORECAST_WORKERS, float(model.n_maps * n_parts))
    print(
        f"FORECAST, not measured: {BILLION:,} rows on {N_FORECAST_WORKERS} workers of one thread and "
        f"{FORECAST_BYTES >> 30} GiB, each with a core of its own: {n_parts:,} partitions x {model.n_maps:,} maps = "
        f"{n_parts * model.n_maps:,} tasks; {parts[0] / 60:.0f} min in the job's own process, {parts[1] / 60:.0f} min "
        f"in tasks, {parts[2] / 60:.0f} min in the engine if tasks overlap no more than here; "
        f"{BILLION * bytes_a_row / 1e9:.0f} GB come back to the job"
    )


def _wait_for_workers(cluster: SmallCluster) -> None:
    with Client(cluster.address, set_as_default=False) as client:
        client.wait_for_workers(len(cluster.workers), timeout=120)


@contextmanager
def _killing(cluster: SmallCluster) -> Iterator[None]:
    """Kill what works in one worker after the other, again and again; its nanny starts it again."""
    has_ended = threading.Event()

    def kill() -> None:
        turn = 0
        while not has_ended.wait(SECONDS_BETWEEN_KILLS):
            cluster.kill_work_of(cluster.workers[turn % len(cluster.workers)])
            turn += 1

    killing = threading.Thread(target=kill)
    killing.start()
    try:
        yield
    finally:
        has_ended.set()
        killing.join()


if __name__ == "__main__":
    main()
