"""One tree for a forest by ISM, against scikit-learn's tree by entropy on the same rows.

Higgs, 5,000 rows with 28 features, and a forest of 100 fully grown trees. Both trees may have six splits on the
longest path. Scikit-learn looks for thresholds between all values, by the rows' own classes; ours takes the tests of
the forest, by the classes that the forest predicts, with safe pruning and without. What comes before is timed apart, as
it is done once for a model and a data set: the tests of the forest (statements), the rows' bins, and the forest's
predictions for the rows. Everything is timed in turns, and the median is printed; loops were compiled before.
``python -m benchmarks.ism_trees``
"""

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from tests.support.models import onnx_of, rows_of_matrix
from tests.support.shared import shared_path
from tree_explainers.approximation_trees.ism import IsmSettings, IsmTraining, grow_ism
from tree_explainers.approximation_trees.oracle import oracle_scores
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.approximation_trees.trees import ApproximationTree
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.statements import statements_of

from .machine import describe_machine

N_ROWS, N_TREES, MAX_DEPTH, MIN_SAMPLES_LEAF = 5_000, 100, 6, 5
N_ROUNDS, TO_STAY_UNDER, SEED = 9, 5, 0

Features = NDArray[np.float32]
Classes = NDArray[np.int64]


@dataclass(frozen=True)
class Problem:
    """Rows, and a forest fitted to them as the service has it."""

    features: Features
    classes: Classes
    read: ReadModel
    training: IsmTraining

    def grow(self, *, prune_safely: bool) -> ApproximationTree:
        """Return our tree."""
        limits = TreeLimits(MAX_DEPTH, MIN_SAMPLES_LEAF)
        settings = IsmSettings(limits, prune_safely=prune_safely)
        return grow_ism(self.training, self.read.ensemble, self.read.description, settings)

    def fit(self) -> DecisionTreeClassifier:
        """Return scikit-learn's tree."""
        tree = DecisionTreeClassifier(
            criterion="entropy", max_depth=MAX_DEPTH, min_samples_leaf=MIN_SAMPLES_LEAF, random_state=SEED
        )
        return tree.fit(self.features, self.classes)


def main() -> None:
    """Measure all in turns, and print."""
    print(describe_machine())
    problem = _problem()
    read, rows = problem.read, problem.training.rows
    statements = problem.training.binned.statements
    print(f"\n{N_ROWS:,} rows, 28 features; {N_TREES} trees, {statements.n_statements:,} tests; depth {MAX_DEPTH}")
    seconds = _in_turns(
        {
            "statements of the forest": lambda: statements_of(read.ensemble, read.description),
            "bins of the rows": lambda: BinnedRows.of(statements, rows),
            "what the forest predicts for the rows": lambda: ModelSession(read.leaf_graph, read.description).predict(
                rows
            ),
            "scikit-learn, entropy": problem.fit,
            "ISM": lambda: problem.grow(prune_safely=True),
            "ISM without safe pruning": lambda: problem.grow(prune_safely=False),
            "ISM on one core": lambda: _on_one_core(lambda: problem.grow(prune_safely=True)),
        }
    )
    for name, own in seconds.items():
        print(f"  {name:34s}{own * 1000:8.1f} ms")
    theirs = seconds["scikit-learn, entropy"]
    for name in ("ISM", "ISM without safe pruning", "ISM on one core"):
        print(f"  {name} takes {seconds[name] / theirs:.2f} x scikit-learn's time (to stay under: {TO_STAY_UNDER})")
    before = sum(list(seconds.values())[:2])
    print(f"  with statements and bins, ISM takes {(before + seconds['ISM']) / theirs:.2f} x")
    _print_trees(problem)


def _print_trees(problem: Problem) -> None:
    labels, rows = problem.training.labels, problem.training.rows
    for name, prune_safely in (("ISM", True), ("ISM without safe pruning", False)):
        tree = problem.grow(prune_safely=prune_safely)
        agreement = (tree.labels_of(rows) == labels).mean()
        print(f"  {name}: {tree.n_leaves} leaves, the forest's class for {agreement:.1%} of the rows")
    tree = problem.fit()
    print(f"  scikit-learn: {tree.get_n_leaves()} leaves, {(tree.predict(problem.features) == labels).mean():.1%}")


def _in_turns(ways: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Return the median of the seconds that each takes; the first round, which compiles loops, does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(N_ROUNDS + 1):
        for name, way in ways.items():
            started = time.perf_counter()
            way()
            seconds[name].append(time.perf_counter() - started)
    return {name: statistics.median(own[1:]) for name, own in seconds.items()}


def _on_one_core(work: Callable[[], Any]) -> None:
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        work()
    finally:
        os.sched_setaffinity(0, cores)


def _problem() -> Problem:
    frame = pd.read_parquet(shared_path("data/higgs_11k.parquet")).sample(N_ROWS, random_state=SEED)
    features = frame.drop(columns="label").to_numpy(np.float32)
    classes = frame["label"].to_numpy(np.int64)
    forest = RandomForestClassifier(N_TREES, random_state=SEED, n_jobs=-1).fit(features, classes)
    rows = rows_of_matrix(features)
    declared = DeclaredModel(feature_names=rows.names)
    read = read_model(onnx_of(forest, features), declared, ModelLimits(max_nodes=10_000_000))
    predicted = ModelSession(read.leaf_graph, read.description).predict(rows)
    assert predicted.labels is not None
    binned = BinnedRows.of(statements_of(read.ensemble, read.description), rows)
    training = IsmTraining(rows, binned, oracle_scores(predicted, read.description), predicted.labels, classes)
    return Problem(features, classes, read, training)


if __name__ == "__main__":
    main()
