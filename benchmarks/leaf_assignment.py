"""Leaves and predictions of 100,000 rows in 300 trees: the walker beside everybody else's loops.

Covertype, 20,000 real rows repeated five times with their order drawn again each time, in two forests of scikit-learn:
unrestricted trees, and trees of at most 255 leaves; and in boosted trees of 255 leaves by LightGBM and XGBoost. Models
are registered as a user's would be (exported, then read and checked).

- leaves: the walker, on both cores; beside scikit-learn's ``apply`` with ``n_jobs=2``, treelite's ``predict_leaf``, the
  booster's own function, and onnxruntime as it was used before (``ModelSession.fill``, which predicts as well).
- leaves and predictions: what a job needs of a model, once for each dataset; beside the fastest pair of theirs.

Ours fill the leaf table's codes, 8 or 16 bits wide. Each way runs in turns; medians of processor time and of time by
the clock are printed: on a machine that others use as well, only the former can be compared. Ways that take more than
four seconds run once. The leaves must be the same.

Deep trees are limited by reading their nodes from memory (28 KB a tree, 8 MB in all): blocks of so many rows go through
one tree that its nodes are read from a cache most of the time.

``python -m benchmarks.leaf_assignment [rows]``
"""

import os
import sys
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from statistics import median
from typing import Any

import lightgbm
import numpy as np
import pandas as pd
import xgboost
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from tests.support.models import onnx_of
from tests.support.shared import shared_path
from tree_explainers.compute.threads import in_order
from tree_explainers.leaf_space.leaves import smallest_dtype
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.onnx_models.walked_session import WalkedSession
from tree_explainers.rows import Rows

from .machine import describe_machine

N_ROWS, N_TREES, N_RUNS, TO_REACH = 100_000, 300, 3, 2.0
_SLOW_SECONDS = 4.0
CHUNK_ROWS = 16_384
N_THREADS = len(os.sched_getaffinity(0))

Features = NDArray[np.float32]
Ways = Mapping[str, Callable[[], Any]]


def main(n_rows: int = N_ROWS) -> None:
    """Measure all models and print."""
    print(describe_machine())
    features, target = _covertype()
    rng = np.random.default_rng(0)
    many = np.concatenate([features[rng.permutation(len(features))] for _ in range(-(-n_rows // len(features)))])[
        :n_rows
    ]
    for most in (None, 255):
        forest = RandomForestClassifier(N_TREES, max_leaf_nodes=most, random_state=0, n_jobs=2).fit(features, target)
        _compare(f"scikit-learn, {most or 'any number of'} leaves", forest, many, _of_forest(forest, many))
    is_first = (target == target[0]).astype(np.int64)
    booster = lightgbm.LGBMClassifier(n_estimators=N_TREES, num_leaves=255, n_jobs=N_THREADS, verbose=-1)
    booster.fit(features, is_first)
    _compare("LightGBM, 255 leaves", booster, many, _of_lightgbm(booster, many))
    booster = xgboost.XGBClassifier(n_estimators=N_TREES, max_depth=8, n_jobs=N_THREADS).fit(features, is_first)
    _compare("XGBoost, depth 8", booster, many, _of_xgboost(booster, many))


def _covertype() -> tuple[Features, NDArray[np.int64]]:
    frame = pd.read_parquet(shared_path("data/covertype_20k.parquet"))
    return frame.iloc[:, :-1].to_numpy(np.float32), frame.iloc[:, -1].to_numpy(np.int64)


def _of_forest(forest: RandomForestClassifier, features: Features) -> tuple[Ways, Ways]:
    in_treelite = _of_treelite(lambda treelite: treelite.sklearn.import_model(forest), features)
    leaves: dict[str, Callable[[], Any]] = {
        "scikit-learn": lambda: forest.apply(features),
        **in_treelite[0],
    }
    predictions: dict[str, Callable[[], Any]] = {
        "scikit-learn": lambda: forest.predict_proba(features),
        **in_treelite[1],
    }
    return leaves, predictions


def _of_lightgbm(booster: Any, features: Features) -> tuple[Ways, Ways]:  # ships no types
    in_treelite = _of_treelite(lambda treelite: treelite.frontend.from_lightgbm(booster.booster_), features)
    leaves: dict[str, Callable[[], Any]] = {
        "LightGBM": lambda: booster.predict(features, pred_leaf=True),
        **in_treelite[0],
    }
    predictions: dict[str, Callable[[], Any]] = {
        "LightGBM": lambda: booster.predict_proba(features),
        **in_treelite[1],
    }
    return leaves, predictions


def _of_xgboost(booster: Any, features: Features) -> tuple[Ways, Ways]:  # ships no types
    in_treelite = _of_treelite(lambda treelite: treelite.frontend.from_xgboost(booster.get_booster()), features)
    leaves: dict[str, Callable[[], Any]] = {
        "XGBoost": lambda: booster.apply(features),
        **in_treelite[0],
    }
    predictions: dict[str, Callable[[], Any]] = {
        "XGBoost": lambda: booster.predict_proba(features),
        **in_treelite[1],
    }
    return leaves, predictions


def _of_treelite(import_model: Callable[[Any], Any], features: Features) -> tuple[Ways, Ways]:  # ships no types
    """Return treelite's ways by a function that makes its model with the library; none where it is not installed."""
    if find_spec("treelite") is None:
        return {}, {}
    library = import_module("treelite")
    model = import_model(library)
    return (
        {"treelite": lambda: library.gtil.predict_leaf(model, features, nthread=N_THREADS)},
        {"treelite": lambda: library.gtil.predict(model, features, nthread=N_THREADS)},
    )


def _compare(name: str, estimator: Any, features: Features, theirs: tuple[Ways, Ways]) -> None:  # of libraries
    read = _registered(estimator, features)
    n_leaves = read.ensemble.n_leaves
    print(f"\n{name}: {len(features):,} rows x {N_TREES} trees of {n_leaves.min()} to {n_leaves.max()} leaves")
    before = ModelSession(read.leaf_graph, read.description)
    walked = WalkedSession(lambda: read.leaf_graph, read.description, read.ensemble, read.for_walker)
    rows = Rows(read.description.feature_names, tuple(features.T.astype(np.float64)))
    codes, same_codes = np.zeros((2, len(n_leaves), len(features)), smallest_dtype(int(n_leaves.max())))
    ways: dict[str, Callable[[], Any]] = {
        "ours, leaves": lambda: _fill(walked, features, codes),
        "ours, both": lambda: walked.fill(codes, [rows]),
        "onnxruntime, both (the version before)": lambda: before.fill(same_codes, [rows]),
        **{f"{who}, leaves": way for who, way in theirs[0].items()},
        **{f"{who}, predictions": way for who, way in theirs[1].items()},
    }
    seconds = _measure(ways)
    assert (codes == same_codes).all()
    for way, (of_processor, by_clock) in seconds.items():
        print(f"  {way:42} {of_processor:7.2f} s of processor {by_clock:7.2f} s by the clock")
    took = {way: of_processor for way, (of_processor, _) in seconds.items()}
    pairs = [took[f"{who}, leaves"] + took[f"{who}, predictions"] for who in theirs[0]]
    rivals = [took["onnxruntime, both (the version before)"]]
    alone = min([*rivals, *(took[f"{who}, leaves"] for who in theirs[0])]) / took["ours, leaves"]
    both = min([*rivals, *pairs]) / took["ours, both"]
    print(f"  leaves: {alone:.2f} x as fast as the fastest of theirs (to reach: {TO_REACH:g})")
    print(f"  both: {both:.2f} x as fast (to reach: {TO_REACH:g}), {rivals[0] / took['ours, both']:.1f} x as before")


def _fill(session: WalkedSession, features: Features, codes: NDArray[Any]) -> None:
    parts = [slice(start, start + CHUNK_ROWS) for start in range(0, len(features), CHUNK_ROWS)]

    def work(part: slice) -> None:
        some = features[part]
        session.walker.fill({session.description.tensors[0].name: some}, len(some), codes[:, part])

    for _ in in_order(work, parts):
        pass


def _measure(ways: Ways) -> dict[str, tuple[float, float]]:
    """Return medians of processor time and of time by the clock."""
    runs = {way: [_seconds(work)] for way, work in ways.items()}
    repeated = [way for way, [(_, by_clock)] in runs.items() if by_clock <= _SLOW_SECONDS]
    for way in repeated:
        runs[way].clear()  # the first run loads what the others have
    for _ in range(N_RUNS):
        for way in repeated:
            runs[way].append(_seconds(ways[way]))
    return {way: (median(cpu for cpu, _ in took), median(clock for _, clock in took)) for way, took in runs.items()}


def _seconds(work: Callable[[], Any]) -> tuple[float, float]:
    """Return the seconds of one run, of processor time and by the clock."""
    start = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - start[0], time.perf_counter() - start[1]


def _registered(estimator: Any, features: Features) -> ReadModel:  # of libraries
    """Return the model as the service reads it."""
    declared = DeclaredModel(feature_names=tuple(f"f{i}" for i in range(features.shape[1])))
    return read_model(onnx_of(estimator, features), declared, ModelLimits())


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
