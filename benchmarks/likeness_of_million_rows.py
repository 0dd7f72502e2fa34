"""What likeness costs with a million rows: each job against the leaf table that all of them read.

The model and the rows are those of ``million_rows``: 200 boosted trees of 31 leaves, rows of higgs_11k drawn and
jittered. Every job goes over HTTP to ``leafspace serve`` with one worker, one after the other; the first one assigns
the rows to leaves, and the others find its table. To reach: each within twice the seconds of the table and 2 GiB. A
job that the service refuses is printed with the reason that it gives: this is its limit;
one that takes longer than ``LIMIT_SECONDS`` is cancelled.
``python -m benchmarks.likeness_of_million_rows [n_rows]``
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from leafspace_client import JobNotFinished, Leafspace, LeafspaceError
from sklearn.ensemble import HistGradientBoostingClassifier

from tests.support.shared import shared_path

from .machine import describe_machine
from .million_rows import GIB, MEMORY_GIB, N_LEAVES, N_ROWS, N_TREES, jittered, memory_of_jobs, upload
from .serving import served

LIMIT_SECONDS = 600


def main() -> None:
    """Measure and print."""
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else N_ROWS
    real = pd.read_parquet(shared_path("data/higgs_11k.parquet"))
    features, target = real.drop(columns="label").astype(np.float32), real["label"]
    os.environ["LEAFSPACE_JOB_MEMORY_BYTES"] = str(MEMORY_GIB * GIB)
    print(describe_machine())
    with served() as url, Leafspace(url, timeout=3600) as client, tempfile.TemporaryDirectory() as folder:
        model, other = (_register(client, features, target, seed) for seed in (0, 1))
        rows = upload(client, jittered(features, target, n_rows), Path(folder))
        newer = upload(client, jittered(features, target, n_rows, seed=1), Path(folder))
        table = _measure(
            "leaf table", lambda: client.prototype_sets.create(model, rows, n_prototypes=2, min_leaf_rows=1)
        )
        jobs = {
            "prototype set, 50": lambda: client.prototype_sets.create(model, rows, n_prototypes=50),
            "label audit": lambda: client.label_audits.create(model, rows),
            "two models": lambda: client.comparisons.create(model, rows, other_model=other),
            "drift": lambda: client.comparisons.create(model, rows, other_dataset=newer),
            "map": lambda: client.maps.create(model, rows),
            "label audit, neighbours": lambda: client.label_audits.create(model, rows, method="neighbors"),
            "proximity, 10 nearest": lambda: client.proximities.create(model, rows),
        }
        for name, job in jobs.items():
            seconds = _measure(name, job)
            if seconds and table:
                print(f"  {seconds / table:.2f} of the leaf table's")


def _register(client: Leafspace, features: pd.DataFrame, target: pd.Series, seed: int) -> Any:  # a model
    boosting = HistGradientBoostingClassifier(
        max_iter=N_TREES, max_leaf_nodes=N_LEAVES, early_stopping=False, random_state=seed, max_features=0.5
    ).fit(features, target)
    return client.register_model(boosting, X=features, name=f"higgs {seed}", feature_names=list(features.columns))


def _measure(name: str, request: Callable[[], Any]) -> float | None:
    start = time.perf_counter()
    with memory_of_jobs() as memory:
        try:
            artefact = request()
            artefact.wait(timeout=LIMIT_SECONDS)
        except JobNotFinished:
            artefact.cancel()
            print(
                f"{name}: cancelled after {LIMIT_SECONDS} s, job's peak memory {memory.job / GIB:.2f} GiB", flush=True
            )
            return None
        except LeafspaceError as error:
            print(f"{name}: refused or failed after {time.perf_counter() - start:.0f} s: {error}", flush=True)
            return None
    seconds = time.perf_counter() - start
    print(f"{name}: {seconds:.0f} s, job's peak memory {memory.job / GIB:.2f} GiB", flush=True)
    return seconds


if __name__ == "__main__":
    main()
