"""What the process of a tree's job holds of many rows: all of them, or a sample and sums; here, and with a cluster.

A forest of ``--trees`` trees of 31 leaves, fitted on 4,000 made-up rows of ten numbers (seed 0), is approximated on
``--rows`` such rows with a target. Each job runs in a process forked for it, whose own memory in use (``RssAnon``) is
looked at every two milliseconds; what it began with is that of libraries, and is not counted. "All rows held" is what
jobs do with fewer than ``MAX_ROWS_HELD`` rows: that number is raised for it. The cluster has two workers of one thread.
Estimates are what the service would reckon with, libraries left out. Loops are compiled before (``leafspace warm``).
``python -m benchmarks.partitioned_trees [--rows 500000]``
"""

import argparse
import hashlib
import multiprocessing
import sys
import tempfile
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import structlog
from sklearn.ensemble import RandomForestClassifier

from schemas.approximation_trees import MAX_ROWS_HELD, ApproximationTreeRequest
from service.operations.artefacts import MadeFrom
from service.operations.job_estimates import JobEstimate
from tests.support.clusters import SmallCluster, small_cluster
from tests.support.job_contexts import forget_leaf_tables, job_context
from tests.support.models import onnx_of
from tests.support.workshop import Workshop, workshop_in
from tree_explainers.compute.partitions import BLOCK_ROWS
from workers.cluster.connection import open_cluster
from workers.cluster.settings import ClusterSettings
from workers.job_kinds import load_job_kinds, load_late
from workers.jobs import approximation_tree_growth

from .machine import describe_machine

N_FEATURES, N_FITTED, N_LEAVES = 10, 4_000, 31
METHODS: dict[str, dict[str, Any]] = {
    "sta": {"method": "sta", "fitted_on": "generator", "max_depth": 3, "max_pseudo_samples": 10_000},
    "cart, pseudo rows": {"method": "cart", "fitted_on": "generator", "max_pseudo_samples": 20_000},
    "born again": {"method": "born_again", "fitted_on": "generator", "max_pseudo_samples": 20_000},
    "cart, dataset": {"method": "cart", "fitted_on": "dataset"},
    "ism, dataset": {"method": "ism", "fitted_on": "dataset"},
    "ism, pseudo rows": {"method": "ism", "fitted_on": "generator", "max_pseudo_samples": 20_000},
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--trees", type=int, default=20)
    options = parser.parse_args()
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    print(describe_machine())
    print(f"{options.rows:,} rows x {N_FEATURES} features, {options.trees} trees; the most that a job's process held")
    with tempfile.TemporaryDirectory() as name, workshop_in(Path(name) / "data") as workshop:
        folder = Path(name)
        # Elsewhere, so that nothing of it is left in the memory that jobs begin with.
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            pool.apply(_prepare, (options.rows, options.trees, folder))
        bench = _Bench(workshop, folder)
        with small_cluster(folder / "data", ["1GiB", "1GiB"]) as cluster:
            print(f"  {'tree by':20} {'rows':14} {'where':12} {'held MB':>8} {'estimate MB':>12} {'processor s':>12}")
            for method in METHODS:
                bench.compare(method, cluster)
    print("the same bytes in one process and on the cluster")


def _prepare(n_rows: int, n_trees: int, folder: Path) -> None:
    """Write a model and its rows into the folder."""
    rng = np.random.default_rng(0)
    features = rng.standard_normal((n_rows, N_FEATURES), dtype=np.float32)
    noise = 0.3 * rng.standard_normal(n_rows)
    target = (features[:, 0] * features[:, 1] + features[:, 2] + noise > 0).astype(int)
    forest = RandomForestClassifier(n_trees, max_leaf_nodes=N_LEAVES, random_state=0)
    forest.fit(features[:N_FITTED], target[:N_FITTED])
    (folder / "model.onnx").write_bytes(onnx_of(forest, features[:100]))
    frame = pd.DataFrame(features, columns=[f"x{index}" for index in range(N_FEATURES)]).assign(t=target.astype(str))
    frame.to_parquet(folder / "rows.parquet", index=False)


@dataclass(frozen=True)
class _Measured:
    held: int
    processor: float
    digest: str


class _Bench:
    """Runs the same requests in several places."""

    def __init__(self, workshop: Workshop, folder: Path) -> None:
        self._workshop, self._folder, self._n_runs = workshop, folder, 0
        names = [f"x{index}" for index in range(N_FEATURES)]
        onnx = (folder / "model.onnx").read_bytes()
        model = workshop.register_model(onnx, feature_names=names, ensemble="random_forest")
        dataset = workshop.register_dataset(pd.read_parquet(folder / "rows.parquet"), target="t")
        self._about = {"model": model, "dataset": dataset}
        load_late("approximation_trees")

    def compare(self, method: str, cluster: SmallCluster) -> None:
        """Print what each way takes; all rows held come last, as they leave a leaf table."""
        request = ApproximationTreeRequest.model_validate({**self._about, **METHODS[method]}).model_dump(mode="json")
        digests = set()
        for where, there in (("one process", None), ("cluster", cluster)):
            found = self._measure(request, there, MAX_ROWS_HELD)
            digests.add(found.digest)
            self._print(method, "in partitions", where, found, self._estimate(request, on_cluster=there is not None))
        assert len(digests) == 1, "the bytes differ"
        for where, there in (("one process", None), ("cluster", cluster)):
            self._print(method, "all held", where, self._measure(request, there, 10**12), None)

    def _estimate(self, request: dict[str, Any], *, on_cluster: bool) -> int:
        context = self._workshop.context
        model, dataset = context.models.get(self._about["model"]), context.datasets.get(self._about["dataset"])
        estimate = MadeFrom(model.view, dataset).estimate("approximation_trees", request, on_cluster=on_cluster)
        return estimate.n_bytes - JobEstimate(()).n_bytes

    def _print(self, method: str, rows: str, where: str, found: _Measured, estimate: int | None) -> None:
        shown = "" if estimate is None else f"{estimate / 1e6:.0f}"
        figures = f"{found.held / 1e6:8.0f} {shown:>12} {found.processor:12.1f}"
        print(f"  {method:20} {rows:14} {where:12} {figures}", flush=True)

    def _measure(self, request: dict[str, Any], cluster: SmallCluster | None, n_held: int) -> _Measured:
        forget_leaf_tables(self._workshop)
        self._n_runs += 1
        workspace = self._folder / f"run {self._n_runs}"
        workspace.mkdir()
        taken = self._workshop.in_a_fork(lambda: self._work(request, cluster, n_held, workspace))
        return _Measured(taken.n_bytes, taken.processor, (workspace / "digest").read_text())

    def _work(self, request: dict[str, Any], cluster: SmallCluster | None, n_held: int, workspace: Path) -> None:
        approximation_tree_growth.MAX_ROWS_HELD = n_held  # type: ignore[attr-defined]
        context = replace(job_context(self._workshop, workspace), request=request, rng=np.random.default_rng(0))
        settings = None if cluster is None else ClusterSettings(cluster.address, None, BLOCK_ROWS, 120)
        with nullcontext() if settings is None else open_cluster(settings, lambda: None) as opened:
            produced = load_job_kinds()["approximation_trees"](replace(context, cluster=opened))
        (workspace / "digest").write_text(hashlib.sha256(produced.result or b"").hexdigest())


if __name__ == "__main__":
    main()
