"""Leaves of 100,000 rows in 300 trees: ours through onnxruntime, and scikit-learn's own ``apply``.

Covertype, 20,000 real rows repeated five times with their order drawn anew each time, in two forests of scikit-learn:
unrestricted trees, and trees of at most 255 leaves. The model is registered as a user's would be (exported by skl2onnx,
then read and checked). Ours writes the leaf table's codes, which are 8 or 16 bits wide, and learns the predictions on
the way; ``apply`` gives node numbers of 64 bits, once with ``n_jobs=2``, which is compared, and once with 1. Each runs
five times, in turns; medians are compared, and the leaves must be the same.

``python -m benchmarks.leaf_assignment``
"""

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from skl2onnx import to_onnx
from sklearn.ensemble import RandomForestClassifier

from tests.support.shared import shared_path
from tree_explainers.leaves import smallest_dtype
from tree_explainers.onnx_graph.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_graph.reading import read_model
from tree_explainers.onnx_graph.session import ModelSession
from tree_explainers.rows import Rows

from .machine import describe_machine

N_ROWS, N_TREES, N_RUNS, TO_STAY_WITHIN = 100_000, 300, 5, 1.5

Features = NDArray[np.float32]


def main() -> None:
    """Measure both forests and print."""
    print(describe_machine())
    features, target = _covertype()
    rng = np.random.default_rng(0)
    many = np.concatenate([features[rng.permutation(len(features))] for _ in range(N_ROWS // len(features))])
    for most in (None, 255):
        forest = RandomForestClassifier(N_TREES, max_leaf_nodes=most, random_state=0, n_jobs=2).fit(features, target)
        _compare(forest, many)


def _covertype() -> tuple[Features, NDArray[np.int64]]:
    frame = pd.read_parquet(shared_path("data/covertype_20k.parquet"))
    return frame.iloc[:, :-1].to_numpy(np.float32), frame.iloc[:, -1].to_numpy(np.int64)


def _compare(forest: RandomForestClassifier, features: Features) -> None:
    n_leaves = np.array([tree.get_n_leaves() for tree in forest.estimators_])
    print(f"\n{len(features):,} rows x {N_TREES} trees of {n_leaves.min()} to {n_leaves.max()} leaves")
    session, nodes = _registered(forest, features.shape[1])
    rows = Rows(tuple(f"f{i}" for i in range(features.shape[1])), tuple(features.T.astype(np.float64)))
    codes = np.empty((N_TREES, len(features)), smallest_dtype(int(n_leaves.max())))
    ways: dict[str, Callable[[], Any]] = {
        "ours": lambda: session.fill(codes, [rows]),
        "apply, n_jobs=2": lambda: forest.set_params(n_jobs=2).apply(features),
        "apply, n_jobs=1": lambda: forest.set_params(n_jobs=1).apply(features),
    }
    runs = [(way, _seconds(work)) for _ in range(N_RUNS) for way, work in ways.items()]
    seconds = {way: median(took for made_by, took in runs if made_by == way) for way in ways}
    reached = forest.apply(features)
    assert all((nodes[tree][codes[tree]] == reached[:, tree]).all() for tree in range(N_TREES))
    for way, took in seconds.items():
        print(f"  {way}: {took:.2f} s (median of {N_RUNS})")
    ratio = seconds["ours"] / seconds["apply, n_jobs=2"]
    print(f"  ours takes {ratio:.2f} x as long as apply on two cores (to stay within: {TO_STAY_WITHIN})")


def _registered(forest: RandomForestClassifier, n_features: int) -> tuple[ModelSession, list[NDArray[np.int64]]]:
    """Return the model as the service opens it, and which node each leaf of a tree is."""
    graph = to_onnx(forest, np.zeros((1, n_features), np.float32), options={"zipmap": False}).SerializeToString()
    declared = DeclaredModel(feature_names=tuple(f"f{i}" for i in range(n_features)))
    read = read_model(graph, declared, ModelLimits())
    offsets, trees = read.ensemble.leaf_offsets, read.ensemble.offsets
    nodes = [read.ensemble.leaf_nodes[offsets[tree] : offsets[tree + 1]] - trees[tree] for tree in range(N_TREES)]
    return ModelSession(read.leaf_graph, read.description), nodes


def _seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
