"""Explanations while a heavy job keeps both cores busy, against explanations at rest, at the same rate.

Open loop: one row, 200 times a second, whether the one before is answered or not; latencies count from when a request
was meant to be sent. 300 trees x 50 prototypes, breast cancer (30 features), one API process, one worker. The jobs are
over 200,000 rows (the same, with copies, jittered): choosing prototypes (compiled loops, in two threads), and an
explanation set (onnxruntime, compression). At rest and during a job are measured in turns; figures are medians.
``python -m benchmarks.heavy_job [seconds [turns [niceness]]]``
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil
from leafspace_client import Leafspace
from sklearn.datasets import load_breast_cancer

from .explained_service import HOST, ExplainedService, explained_service
from .http_load import Load, run_open_load
from .machine import describe_machine

SECONDS, N_TURNS = 20.0, 5
N_ROWS, PER_SECOND = 200_000, 200
_AUTOGROUP = Path("/proc/sys/kernel/sched_autogroup_enabled")

CreateJob = Callable[[int], Any]


def main() -> None:
    """Measure and print."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    n_turns = int(sys.argv[2]) if len(sys.argv) > 2 else N_TURNS
    if len(sys.argv) > 3:
        os.environ["LEAFSPACE_WORKER_NICENESS"] = sys.argv[3]
    print(describe_machine())
    print(f"autogroups of the scheduler: {_AUTOGROUP.read_text().strip() if _AUTOGROUP.exists() else 'none'}")
    with explained_service(300, 50) as service, Leafspace(service.url) as client:
        dataset = client.register_dataset(_many_rows(), target="target")

        def choose(seed: int) -> Any:  # an artefact of the SDK
            return client.prototype_sets.create(service.model, dataset, n_prototypes=50, seed=seed)

        def explain(seed: int) -> Any:  # an artefact of the SDK
            return client.explanation_sets.create(service.explainer, dataset, n_prototypes=1 + seed)

        _load(service, 5)
        for name, create_job in (("choosing prototypes", choose), ("explaining all rows", explain)):
            _compare(name, service, create_job, seconds, n_turns)


def _compare(name: str, service: ExplainedService, create_job: CreateJob, seconds: float, n_turns: int) -> None:
    at_rest, during, busy = list[Load](), list[Load](), list[float]()
    for turn in range(n_turns):
        at_rest.append(_load(service, seconds))
        with _job(create_job(turn)):
            before = time.perf_counter(), _job_seconds()
            during.append(_load(service, seconds))
            busy.append((_job_seconds() - before[1]) / (time.perf_counter() - before[0]))
    print(f"\n{name}, medians of {n_turns} turns of {seconds:g} s; the job kept {np.median(busy):.2f} cores busy")
    rest, beside = _show("at rest", at_rest), _show("during the job", during)
    print(
        f"  ratio of p50 {beside[0] / rest[0]:.2f}   ratio of p99 {beside[1] / rest[1]:.2f} (to stay within: 2)",
        flush=True,
    )


def _show(name: str, turns: list[Load]) -> tuple[float, float]:
    per_turn = [(load.quantile_ms(0.5), load.quantile_ms(0.99), load.latencies.max() * 1000) for load in turns]
    median, slow, slowest = map(float, np.median(per_turn, axis=0))
    n_answers = sum(len(load.latencies) for load in turns)
    print(
        f"  {name:15s} {n_answers:6d} answers   p50 {median:5.2f} ms   p99 {slow:6.2f} ms   slowest {slowest:6.1f} ms"
    )
    print("    p99 of each turn: " + " ".join(f"{values[1]:.2f}" for values in per_turn))
    return median, slow


def _load(service: ExplainedService, seconds: float) -> Load:
    return run_open_load(HOST, service.port, service.request(), per_second=PER_SECOND, seconds=seconds)


@contextmanager
def _job(artefact: Any) -> Iterator[None]:  # of the SDK
    """Wait until the job keeps processors busy; it must still run at the end, and is cancelled then."""
    start = _job_seconds()
    while _job_seconds() < start + 1:
        time.sleep(0.1)
    yield
    if artefact.refresh().status != "pending":
        message = f"the job had ended before the measurement: {artefact.status}"
        raise RuntimeError(message)
    artefact.cancel()
    while _jobs():
        time.sleep(0.1)


def _jobs() -> list[psutil.Process]:
    """Return the processes that workers, which are forked themselves, have forked for jobs."""
    return [process for process in psutil.Process().children(recursive=True) if _is_job(process)]


def _is_job(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        above = [parent.cmdline() for parent in process.parents()[:2]]
        return len(above) > 1 and all("workers" in command for command in above)
    return False


def _job_seconds() -> float:
    """Return the processor time that jobs have taken, in seconds."""
    return sum(sum(process.cpu_times()[:2]) for process in _jobs())


def _many_rows() -> pd.DataFrame:
    data, rng = load_breast_cancer(as_frame=True), np.random.default_rng(0)
    frame: pd.DataFrame = data.frame.iloc[rng.integers(0, len(data.frame), N_ROWS)].reset_index(drop=True)
    spread = data.data.std().to_numpy() / 10
    frame[data.data.columns] += rng.normal(0, 1, (N_ROWS, len(spread))) * spread
    return frame


if __name__ == "__main__":
    main()
