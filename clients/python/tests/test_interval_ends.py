"""Ends of intervals are those of the estimator itself: on both sides of each, to the next number of its precision."""

import warnings
from typing import Any

import numpy as np
import pytest
from leafspace_client.conversion import convert_model
from numpy.typing import NDArray
from sklearn import datasets, ensemble
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.support.converted import outcome_of_converted, read_converted
from tests.support.models import leaves_of, library
from tree_explainers.ensemble import Operator
from tree_explainers.leaf_space.leaves import LeafTable, tree_weights
from tree_explainers.prototype_sets.readable import ReasonReader

_DATA = datasets.load_breast_cancer(return_X_y=True)
_N_ENDS = 60
_FAMILIES = {
    "random forest": lambda: ensemble.RandomForestClassifier(10, random_state=0),
    "extra trees": lambda: ensemble.ExtraTreesClassifier(10, random_state=0),
    "bagging": lambda: ensemble.BaggingClassifier(random_state=0, max_features=0.5),
    "gradient boosting": lambda: ensemble.GradientBoostingClassifier(n_estimators=10, random_state=0),
    "histogram gradient boosting": lambda: ensemble.HistGradientBoostingClassifier(max_iter=10, random_state=0),
    "lightgbm": lambda: library("lightgbm").LGBMClassifier(n_estimators=10, n_jobs=1, verbose=-1),
    "xgboost": lambda: library("xgboost").XGBClassifier(n_estimators=10, n_jobs=1),
    "catboost": lambda: library("catboost").CatBoostClassifier(
        n_estimators=10, depth=4, verbose=0, allow_writing_files=False, thread_count=1
    ),
}


def beside(read: Any, rows: NDArray[np.float64]) -> NDArray[np.float64]:  # a ReadModel
    """Return rows that lie on ends as they are printed, and on the next numbers above and below them."""
    numbers = read.description.precision
    splits = np.flatnonzero(read.ensemble.operator != Operator.LEAF)
    some = splits[:: max(1, len(splits) // _N_ENDS)]
    made = rows[np.arange(3 * len(some)) % len(rows)].astype(numbers)
    for place, node in enumerate(some):
        threshold = read.ensemble.threshold[node]
        end = numbers(float(str(numbers(threshold))))  # as printed, and read again
        assert float(end) == threshold
        feature = read.description.columns[read.ensemble.column[node]].raw_index
        sides = (end, np.nextafter(end, numbers(np.inf)), np.nextafter(end, numbers(-np.inf)))
        made[3 * place : 3 * place + 3, feature] = sides
    return made.astype(np.float64)


@pytest.mark.parametrize("name", _FAMILIES)
def test_both_sides_of_every_end_are_those_of_the_library(name: str) -> None:
    features, target = _DATA
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = _FAMILIES[name]().fit(features, target)
    converted = convert_model(estimator, features, parity=False)
    read = read_converted(converted.onnx, None)
    rows = beside(read, features)

    rounded_ends = outcome_of_converted(converted.onnx, rows)

    np.testing.assert_allclose(rounded_ends.scores, estimator.predict_proba(rows), atol=1e-6)
    assert {column.kind for column in read.description.columns} == {"identity"}  # ends are marked as exact
    theirs = leaves_of(estimator, rows.astype(np.float32) if name != "lightgbm" else rows)
    if theirs is not None:
        for tree in range(rounded_ends.leaves.shape[1]):
            pairs = set(zip(rounded_ends.leaves[:, tree].tolist(), theirs[:, tree].tolist(), strict=True))
            assert len(pairs) == len(set(rounded_ends.leaves[:, tree])) == len(set(theirs[:, tree]))


def some_scaled() -> tuple[Any, Any, NDArray[np.float64]]:
    """Return a forest of which two features are scaled and two are not, as the service reads it, and its rows."""
    random = np.random.default_rng(0)
    rows = random.integers(0, 1000, (600, 4)) / 10
    target = (rows.sum(axis=1) > 200) ^ (random.random(600) < 0.1)
    steps = ColumnTransformer([("scaled", StandardScaler(), [0, 1])], remainder="passthrough")
    pipeline = make_pipeline(steps, ensemble.RandomForestClassifier(5, random_state=0)).fit(rows, target)
    return pipeline, read_converted(convert_model(pipeline, rows).onnx, None), rows


def test_ends_behind_a_scaler_are_short_texts_on_their_own_side() -> None:
    pipeline, read, rows = some_scaled()
    splits = np.flatnonzero(read.ensemble.operator != Operator.LEAF)

    for node in splits.tolist():
        column = read.description.columns[read.ensemble.column[node]]
        threshold = read.ensemble.threshold[node]
        end = column.shortest_equivalent((threshold - column.offset) / column.scale)
        row = rows[:1].copy()
        row[0, column.raw_index] = end
        assert np.float32(pipeline[:-1].transform(row)[0, read.ensemble.column[node]]) == threshold
        assert len(str(end)) <= (len(str(np.float32(threshold))) if column.scale == 1 else 12)
    assert {column.kind for column in read.description.columns} == {"affine"}  # none is marked as exact


def test_ends_behind_a_scaler_are_explained_alike_for_one_row_and_for_many() -> None:
    _, read, _ = some_scaled()
    reader = ReasonReader.build(read.description.columns, read.description.precision)
    splits = np.flatnonzero(read.ensemble.operator != Operator.LEAF)
    of = read.ensemble.column[splits].astype(np.int64)
    columns = [read.description.columns[column] for column in of.tolist()]
    units = zip(read.ensemble.threshold[splits].tolist(), columns, strict=True)
    ends = np.array([(threshold - column.offset) / column.scale for threshold, column in units])

    rounded_ends = reader.rounded(ends, of)

    assert rounded_ends.tolist() == [
        column.shortest_equivalent(end) for end, column in zip(ends.tolist(), columns, strict=True)
    ]
    assert (rounded_ends != ends).mean() > 0.5


@pytest.mark.parametrize("n_classes", [2, 3])
def test_leaves_hold_what_the_estimators_leaves_hold(n_classes: int) -> None:
    features, target = _DATA if n_classes == 2 else datasets.load_wine(return_X_y=True)
    forest = ensemble.RandomForestClassifier(20, max_depth=3, random_state=0).fit(features, target)
    read = read_converted(convert_model(forest, features).onnx, None)

    shares = np.concatenate([tree.tree_.value[tree.tree_.children_left < 0, 0] for tree in forest.estimators_])

    np.testing.assert_allclose(read.ensemble.leaf_values, shares[:, -1:] if n_classes == 2 else shares, atol=1e-15)


def test_weights_of_trees_do_not_depend_on_how_leaves_are_scaled() -> None:
    features, target = datasets.load_wine(return_X_y=True)
    forest = ensemble.RandomForestClassifier(20, max_depth=3, random_state=0).fit(features, target)
    read = read_converted(convert_model(forest, features).onnx, None)
    leaves = outcome_of_converted(convert_model(forest, features).onnx, features).leaves
    table = LeafTable.from_leaves(leaves, read.ensemble.n_leaves)

    weights = tree_weights("boosting", table, read.ensemble.leaf_values)

    shares = tree_weights("boosting", table, read.ensemble.leaf_values / 20)
    assert np.abs(weights - shares).max() <= 1
