"""Rules of many rows: what the job's process holds at most, alone and where rows lie with the workers of a cluster.

A forest of 20 trees with 64 leaves each, fitted on 20,000 made-up rows (seed 0), is described by five rules on
``--rows`` such rows of ten columns: by FAB from two random starts, and by the default, a rule list from one. Each job
runs in a process of its own, whose private memory is looked at every 2 ms; two Dask workers of one thread and 2 GiB
each are processes beside it. Seconds are of its own processor time. The results are compared byte for byte.

``python -m benchmarks.rules_of_many_rows [--rows 500000] [--only fab]``
"""

import argparse
import hashlib
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

from tests.support.clusters import small_cluster
from tests.support.job_contexts import job_context
from tests.support.models import onnx_of
from tests.support.workshop import Workshop, workshop_in
from tree_explainers.compute.partitions import BLOCK_ROWS
from workers.cluster.connection import open_cluster
from workers.cluster.settings import ClusterSettings
from workers.job_kinds import load_job_kinds
from workers.runtime.context import JobContext

from .machine import describe_machine

N_FEATURES, N_TREES, N_LEAVES, N_FITTED = 10, 20, 64, 20_000
_REQUESTS = {
    "fab": {"method": "fab", "n_restarts": 2, "max_rules": 5},
    "rule_list": {"method": "rule_list", "n_restarts": 1, "max_rules": 5},
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--only", choices=_REQUESTS)
    options = parser.parse_args()
    print(describe_machine())
    print(f"{options.rows:,} rows x {N_FEATURES} features, {N_TREES} trees x {N_LEAVES} leaves")
    with (
        tempfile.TemporaryDirectory() as folder,
        _workshop(Path(folder), options.rows) as (workshop, about),
        small_cluster(Path(folder), ("2GiB", "2GiB")) as cluster,
    ):
        for method in [options.only] if options.only else _REQUESTS:
            request = {**_REQUESTS[method], "model": about["model"]}
            _held_by_job(workshop, {**request, "dataset": about["few"]}, None)  # which compiles loops
            for scheduler in (None, cluster.address):
                where = "one process" if scheduler is None else "two workers"
                taken = _held_by_job(workshop, {**request, "dataset": about["all"]}, scheduler)
                print(f"{method:10} {where:12} {taken}", flush=True)


@contextmanager
def _workshop(folder: Path, n_rows: int) -> Iterator[tuple[Workshop, dict[str, str]]]:
    rng = np.random.default_rng(0)
    features = rng.random((n_rows, N_FEATURES)).astype(np.float32)
    target = (features[:, 0] + features[:, 1] * features[:, 2] + rng.normal(0, 0.2, n_rows) > 0.8).astype(int)
    forest = RandomForestClassifier(N_TREES, max_leaf_nodes=N_LEAVES, random_state=0)
    forest.fit(features[:N_FITTED], target[:N_FITTED])
    names = [f"f{at}" for at in range(N_FEATURES)]
    frame = pd.DataFrame(features, columns=names).assign(t=target.astype(str))
    onnx = onnx_of(forest, features[:10])
    del features, target, forest
    with workshop_in(folder, dask_scheduler="tcp://somewhere:8786", max_dataset_rows=max(n_rows, 1_000_000)) as opened:
        model = opened.register_model(onnx, feature_names=names, ensemble="random_forest")
        few, every = (opened.register_dataset(own, target="t") for own in (frame[:2_000], frame))
        del frame
        yield opened, {"model": model, "few": few, "all": every}


def _held_by_job(workshop: Workshop, request: dict[str, object], scheduler: str | None) -> str:
    """Do a job in a process of its own; return what it took, and the hash of its result."""
    with tempfile.TemporaryDirectory() as folder:
        context = replace(job_context(workshop, Path(folder) / "work"), request=request, rng=np.random.default_rng(0))
        begun, digest = time.perf_counter(), Path(folder) / "digest"
        taken = workshop.in_a_fork(lambda: digest.write_text(_digest(context, scheduler)))
        return (
            f"most memory of the job's process {taken.n_bytes / 2**20:6,.0f} MiB, its processor "
            f"{taken.processor:6.1f} s, elapsed {time.perf_counter() - begun:6.1f} s, result {digest.read_text()}"
        )


def _digest(context: JobContext, scheduler: str | None) -> str:
    context.workspace.mkdir()
    settings = None if scheduler is None else ClusterSettings(scheduler, None, BLOCK_ROWS, 60)
    with nullcontext() if settings is None else open_cluster(settings, lambda: None) as cluster:
        made = load_job_kinds()["rule_sets"](replace(context, cluster=cluster))
    return hashlib.sha256(made.result or b"").hexdigest()[:12]


if __name__ == "__main__":
    main()
