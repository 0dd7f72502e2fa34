"""Auditing a million rows x 200 trees, against finding the leaves of these rows in the same trees.

Rows and model are those of ``benchmarks.million_rows``: higgs_11k drawn with replacement and jittered, in 200 boosted
trees of 31 leaves; and a forest of 200 trees of at most 1,024 leaves on the same rows. Leaves are found by the walker,
as a job does it, predictions included. The audit is what its job does with them: which rows share leaves with rows of
their own label alone, and the vote of all rows times the scores of their labels. Seconds are of processor, in all
threads.

``python -m benchmarks.label_audit.million_rows [rows]``
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from leafspace_client.conversion.models import convert_model
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from tests.support.shared import shared_path
from tree_explainers.label_audits import audit_by_all_rows, share_unopposed
from tree_explainers.leaf_space.leaves import LeafTable, smallest_dtype, tree_weights
from tree_explainers.leaf_space.votes import votes_of_all_rows
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.onnx_models.walked_session import WalkedSession
from tree_explainers.rows import Rows

from ..machine import describe_machine
from ..million_rows import N_LEAVES, N_ROWS, N_TREES, jittered

TO_STAY_UNDER = 1.1


def main(n_rows: int = N_ROWS) -> None:
    """Measure and print."""
    print(describe_machine())
    real = pd.read_parquet(shared_path("data/higgs_11k.parquet"))
    features, target = real.drop(columns="label").astype(np.float32), real["label"]
    many = jittered(features, target, n_rows)
    boosting = HistGradientBoostingClassifier(
        max_iter=N_TREES, max_leaf_nodes=N_LEAVES, early_stopping=False, random_state=0
    )
    forest = RandomForestClassifier(N_TREES, max_leaf_nodes=1024, random_state=0, n_jobs=2)
    for name, estimator in (("boosting", boosting), ("random_forest", forest)):
        fitted = estimator.fit(features.to_numpy(), target)
        _compare(name, fitted, many)


def _compare(kind: Any, estimator: Any, many: pd.DataFrame) -> None:  # of scikit-learn
    features = many.drop(columns="label").to_numpy(np.float32)
    names = tuple(f"f{index}" for index in range(features.shape[1]))
    onnx = convert_model(estimator, features[:10], parity=False).onnx
    read = read_model(onnx, DeclaredModel(feature_names=names), ModelLimits())
    session = WalkedSession(lambda: read.leaf_graph, read.description, read.ensemble, read.for_walker)
    n_leaves = read.ensemble.n_leaves
    codes = np.zeros((len(n_leaves), len(features)), smallest_dtype(int(n_leaves.max())))
    rows = Rows(read.description.feature_names, tuple(features.T.astype(np.float64)))
    few = session.fill(codes[:, :1000], [rows.take(slice(0, 1000))])
    table = LeafTable.from_codes(codes[:, :1000].copy(), n_leaves)
    classes = many["label"].to_numpy(np.int64)
    _audit(table, tree_weights(kind, table, read.ensemble.leaf_values), classes[:1000], few.scores)
    start = time.process_time()
    predictions = session.fill(codes, [rows])
    of_leaves = time.process_time() - start

    def audit() -> None:
        table = LeafTable.from_codes(codes, n_leaves)
        _audit(table, tree_weights(kind, table, read.ensemble.leaf_values), classes, predictions.scores)

    of_audit = _seconds(audit)
    print(f"{kind}: {len(features):,} rows x {len(n_leaves)} trees of {n_leaves.min()} to {n_leaves.max()} leaves")
    print(f"  leaves {of_leaves:.1f} s, audit {of_audit:.1f} s of processor")
    ratio = (of_leaves + of_audit) / of_leaves
    print(f"  both take {ratio:.2f} x as long as the leaves (to stay under: {TO_STAY_UNDER})")


def _audit(table: LeafTable, weights: np.ndarray, classes: np.ndarray, scores: np.ndarray) -> None:
    votes = votes_of_all_rows(table, weights, classes)
    share_unopposed(votes)
    of_labels = scores[np.arange(len(classes)), classes].astype(np.float64)
    audit_by_all_rows(table, weights, classes, votes=votes, scores=of_labels)


def _seconds(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
