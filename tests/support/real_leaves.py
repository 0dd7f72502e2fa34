"""Leaves of real data in real ensembles, as scikit-learn itself says."""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from tests.support.shared import shared_path
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind, tree_weights

_TARGETS = {
    "breast_cancer": "target",
    "pima_diabetes": "target",
    "titanic": "survived",
    "spambase": "class",
    "covertype_20k": "cover_type",
    "california_housing": "median_house_value",
}
CLASSIFICATIONS = ("breast_cancer", "pima_diabetes", "titanic", "spambase", "covertype_20k")
REGRESSION = "california_housing"
KINDS: tuple[ProximityKind, ...] = ("random_forest", "boosting")


@dataclass(frozen=True)
class RealLeaves:
    """Leaves and predictions of an ensemble for the rows of a dataset."""

    estimator: Any
    features: NDArray[np.float32]
    leaves: NDArray[np.int32]  # (n_rows, n_trees)
    leaf_values: list[NDArray[np.float64]]  # per tree (n_leaves, n_outputs)
    target: NDArray[Any]  # classes 0, 1, … or values
    predicted: NDArray[Any]
    kind: ProximityKind

    @functools.cached_property
    def table(self) -> LeafTable:
        return LeafTable.from_leaves(self.leaves, np.array([len(values) for values in self.leaf_values]))

    @functools.cached_property
    def weights(self) -> NDArray[np.int64]:
        return tree_weights(self.kind, self.table, np.concatenate(self.leaf_values))

    def classes(self, labels: str) -> NDArray[np.int64]:
        """Return the classes of the rows; one class holds all of them in regression."""
        if self.target.dtype.kind == "f":
            return np.zeros(len(self.target), dtype=np.int64)
        return np.asarray(self.target if labels == "target" else self.predicted, dtype=np.int64)


@functools.cache
def real_leaves(dataset: str, kind: ProximityKind, n_rows: int = 400, n_trees: int = 30) -> RealLeaves:
    """Fit a small ensemble to the first rows of a shared dataset; deep trees and shallow ones."""
    frame = pd.read_parquet(shared_path(f"data/{dataset}.parquet"))
    frame = frame.sample(n=min(n_rows, len(frame)), random_state=0)
    column = _TARGETS[dataset]
    features = frame.drop(columns=column).select_dtypes("number").fillna(-1).to_numpy(np.float32)
    is_regression = dataset == REGRESSION
    target = frame[column].to_numpy(np.float64) if is_regression else np.unique(frame[column], return_inverse=True)[1]
    estimator = _estimator(kind, n_trees, is_regression=is_regression).fit(features, target)
    trees = np.ravel(estimator.estimators_).tolist()
    raw = estimator.apply(features).reshape(len(features), -1).astype(np.int64)
    nodes = [np.flatnonzero(tree.tree_.children_left < 0) for tree in trees]
    return RealLeaves(
        estimator,
        features,
        np.stack([np.searchsorted(own, column) for own, column in zip(nodes, raw.T, strict=True)], axis=1).astype(
            np.int32
        ),
        [tree.tree_.value[own].reshape(len(own), -1) for tree, own in zip(trees, nodes, strict=True)],
        target,
        estimator.predict(features),
        kind,
    )


def _estimator(kind: ProximityKind, n_trees: int, *, is_regression: bool) -> Any:  # any estimator
    if kind == "random_forest":
        maker = RandomForestRegressor if is_regression else RandomForestClassifier
        return maker(n_trees, max_depth=10, random_state=0)
    maker = GradientBoostingRegressor if is_regression else GradientBoostingClassifier
    return maker(n_estimators=n_trees // 3, random_state=0)
