"""The leaves of real rows in ensembles fitted to them, for benchmarks that begin there."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

from tests.support.shared import shared_path
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind, tree_weights


@dataclass(frozen=True, slots=True)
class FittedLeaves:
    """What prototypes are chosen from; classes are those that the ensemble predicts."""

    name: str
    table: LeafTable
    weights: NDArray[np.int64]
    classes: NDArray[np.int64]

    def __str__(self) -> str:
        return f"{self.name}, {self.table.n_rows:,} rows x {self.table.n_trees} trees"


def spambase_forest() -> FittedLeaves:
    """Spambase in 300 unrestricted trees."""
    return _of_forest("spambase, forest", *_spambase(), n_trees=300)


def spambase_boosting() -> FittedLeaves:
    """Spambase in 300 boosted trees of depth 5, with a learning rate of 0.1."""
    features, target = _spambase()
    boosted = GradientBoostingClassifier(n_estimators=300, max_depth=5, subsample=0.5, random_state=0)
    boosted.fit(features, target)
    return _leaves("spambase, boosting", "boosting", boosted, features)


def noisy_forest() -> FittedLeaves:
    """Ten thousand rows made up by scikit-learn, a fifth with a random label, in 300 unrestricted trees."""
    features, target = make_classification(10_000, 20, n_informative=8, flip_y=0.2, random_state=0)
    return _of_forest("noisy task, forest", features.astype(np.float32), target, n_trees=300)


def mnist_forest(n_trees: int) -> FittedLeaves:
    """MNIST 4 against 9, all training rows, in unrestricted trees."""
    with np.load(shared_path("data/mnist.npz"), allow_pickle=False) as images:
        which = np.isin(images["y_train"], (4, 9))
        features = images["X_train"][which].reshape(which.sum(), -1).astype(np.float32)
        target = images["y_train"][which]
    return _of_forest("MNIST 4 vs 9, forest", features, target, n_trees=n_trees)


def _spambase() -> tuple[NDArray[np.float32], NDArray[Any]]:
    frame = pd.read_parquet(shared_path("data/spambase.parquet"))
    return frame.drop(columns="class").to_numpy(np.float32), frame["class"].to_numpy()


def _of_forest(name: str, features: NDArray[np.float32], target: NDArray[Any], n_trees: int) -> FittedLeaves:
    forest = RandomForestClassifier(n_trees, random_state=0, n_jobs=-1).fit(features, target)
    return _leaves(name, "random_forest", forest, features)


def _leaves(name: str, kind: ProximityKind, ensemble: Any, features: NDArray[np.float32]) -> FittedLeaves:
    trees = [tree.tree_ for tree in np.ravel(ensemble.estimators_)]
    nodes = [np.flatnonzero(tree.children_left < 0) for tree in trees]
    reached = ensemble.apply(features).reshape(len(features), -1)
    leaves = [np.searchsorted(own, column) for own, column in zip(nodes, reached.T, strict=True)]
    table = LeafTable.from_leaves(np.stack(leaves, axis=1).astype(np.int32), np.array([len(own) for own in nodes]))
    values = [tree.value[own].reshape(len(own), -1) for tree, own in zip(trees, nodes, strict=True)]
    classes = np.unique(ensemble.predict(features), return_inverse=True)[1]
    return FittedLeaves(name, table, tree_weights(kind, table, np.concatenate(values)), classes.astype(np.int64))
