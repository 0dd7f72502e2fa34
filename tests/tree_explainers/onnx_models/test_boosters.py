"""Boosters where converters go wrong most easily: missing values, and values that hit thresholds exactly."""

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.models import leaves_of, library, onnx_of
from tests.support.pipelines import titanic
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.onnx_models.session import ModelSession, Outcome

BOOSTERS = ("xgboost", "lightgbm", "catboost")


def integers_with_missing() -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return the Titanic's numbers: whole ages with many missing, classes and relatives; and who survived."""
    table = titanic()
    features = table.features[["age", "fare", "pclass", "sibsp", "parch"]].to_numpy(np.float32)
    return np.floor(features), (table.target == "1").astype(np.int64)


def booster(name: str, task: str = "binary") -> Any:  # boosters ship no types
    kind = "Regressor" if task == "regression" else "Classifier"
    if name == "xgboost":
        return getattr(library(name), f"XGB{kind}")(n_estimators=30, max_depth=4, n_jobs=1)
    if name == "lightgbm":
        return getattr(library(name), f"LGBM{kind}")(n_estimators=30, n_jobs=1, verbose=-1, min_child_samples=5)
    settings = {"verbose": 0, "allow_writing_files": False, "thread_count": 1}
    return getattr(library(name), f"CatBoost{kind}")(n_estimators=30, depth=4, **settings)


def fit_and_run(
    name: str, features: NDArray[np.float32], target: NDArray[Any], task: str = "binary"
) -> tuple[Any, Outcome]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = booster(name, task).fit(features, target)
        read = read_model(onnx_of(estimator, features), DeclaredModel(), ModelLimits())
    session = ModelSession(read.leaf_graph, read.description)
    return estimator, session.run(session.encode_matrix(features.astype(np.float64)))


def assert_same_partition(ours: NDArray[np.int32], theirs: NDArray[np.int64] | None) -> None:
    assert theirs is not None
    assert ours.shape == theirs.shape
    for tree in range(ours.shape[1]):
        pairs = set(zip(ours[:, tree].tolist(), theirs[:, tree].tolist(), strict=True))
        assert len(pairs) == len(set(ours[:, tree])) == len(set(theirs[:, tree]))


@pytest.mark.parametrize("task", ["binary", "regression"])
@pytest.mark.parametrize("name", BOOSTERS)
def test_missing_values_go_where_the_library_sends_them(name: str, task: str) -> None:
    features, target = integers_with_missing()

    estimator, outcome = fit_and_run(name, features, target, task)

    expected = estimator.predict_proba(features) if task == "binary" else estimator.predict(features).reshape(-1, 1)
    np.testing.assert_allclose(outcome.scores, expected, atol=1e-5)
    assert_same_partition(outcome.leaves, leaves_of(estimator, features))


@pytest.mark.parametrize("name", BOOSTERS)
def test_values_that_hit_a_threshold_exactly_go_where_the_library_sends_them(name: str) -> None:
    features, target = integers_with_missing()
    estimator, _ = fit_and_run(name, features, target)
    read = read_model(onnx_of(estimator, features), DeclaredModel(), ModelLimits())
    hits = thresholds_as_rows(read.ensemble.column, read.ensemble.threshold, read.ensemble.operator > 0, features)
    session = ModelSession(read.leaf_graph, read.description)

    outcome = session.run(session.encode_matrix(hits.astype(np.float64)))

    np.testing.assert_allclose(outcome.scores, estimator.predict_proba(hits), atol=1e-5)
    assert_same_partition(outcome.leaves, leaves_of(estimator, hits))


def thresholds_as_rows(
    column: NDArray[np.int32], threshold: NDArray[np.float64], is_branch: NDArray[np.bool_], rows: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return a row for each question of the trees, one of its values being the threshold itself."""
    questions = np.flatnonzero(is_branch)
    hits = rows[np.arange(len(questions)) % len(rows)].copy()
    hits[np.arange(len(questions)), column[questions]] = threshold[questions]
    return hits


@pytest.mark.parametrize("name", BOOSTERS)
def test_missing_values_that_were_never_seen_in_training_are_routed_alike(name: str) -> None:
    features, target = integers_with_missing()
    known = np.nan_to_num(features, nan=30.0)
    estimator, _ = fit_and_run(name, known, target)
    read = read_model(onnx_of(estimator, known), DeclaredModel(), ModelLimits())
    session = ModelSession(read.leaf_graph, read.description)

    outcome = session.run(session.encode_matrix(features.astype(np.float64)))

    np.testing.assert_allclose(outcome.scores, estimator.predict_proba(features), atol=1e-5)
