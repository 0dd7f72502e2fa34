"""A forest as an oracle: fitted by scikit-learn, exported to ONNX, and run as the service runs it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from skl2onnx import to_onnx
from sklearn.ensemble import RandomForestClassifier

from tests.support.pipelines import with_missing_routes
from tree_explainers.approximation_trees.oracle import SessionOracle
from tree_explainers.compute.threads import n_cores
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.onnx_models.walked_session import WalkedSession
from tree_explainers.rows import Rows

N_TREES = 100


@dataclass(frozen=True, slots=True)
class OracleCase:
    """A forest, and the rows that it was fitted to."""

    oracle: SessionOracle
    rows: Rows
    target: NDArray[np.int64]  # (n_rows,) positions among the classes


def fitted_forest(
    names: tuple[str, ...],
    features: NDArray[np.float64],
    target: NDArray[np.int64],
    seed: int,
    *,
    is_walked: bool = True,
) -> OracleCase:
    """Fit a forest of 100 trees with the defaults of R's randomForest, which are scikit-learn's for classification."""
    forest = RandomForestClassifier(N_TREES, n_jobs=n_cores(), random_state=seed)
    forest.fit(features.astype(np.float32), target)
    return OracleCase(oracle_of(forest, names, is_walked=is_walked), rows_of(names, features), target)


def oracle_of(
    estimator: Any, names: tuple[str, ...], *, is_walked: bool = True
) -> SessionOracle:  # a library without types
    """Return a fitted estimator as the service runs it; by onnxruntime alone, where it is not walked."""
    onnx = bytes(to_onnx(estimator, np.zeros((1, len(names)), np.float32)).SerializeToString())
    onnx = with_missing_routes(onnx, estimator.estimators_)
    read = read_model(onnx, DeclaredModel(feature_names=names), ModelLimits())
    if not is_walked:
        return SessionOracle(ModelSession(read.leaf_graph, read.description))
    return SessionOracle(WalkedSession(lambda: read.leaf_graph, read.description, read.ensemble, read.for_walker))


def rows_of(names: tuple[str, ...], features: NDArray[np.float64]) -> Rows:
    """Return a matrix as the service takes it; a missing value is NaN."""
    return Rows(names, tuple(np.ascontiguousarray(column) for column in features.T))
