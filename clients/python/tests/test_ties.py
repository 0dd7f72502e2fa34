"""Converted models name the estimator's label, where classes tie exactly, too."""

import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pytest
from leafspace_client.conversion import convert_model
from numpy.typing import NDArray
from sklearn import datasets, ensemble, tree
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import Binarizer, MinMaxScaler, OneHotEncoder, StandardScaler

from tests.support.converted import outcome_of_converted, read_converted
from tests.support.models import library
from tree_explainers.onnx_models.label_index import near_ties

Estimator: TypeAlias = Any
Data = tuple[NDArray[np.float64], NDArray[np.int64]]
_N_FITTED = 300


def noisy(n_classes: int) -> Data:
    """Return 900 rows of whole numbers whose classes overlap, so that forests are often undecided."""
    features, target = datasets.make_classification(
        900, 8, n_informative=5, n_classes=n_classes, flip_y=0.3, class_sep=0.5, random_state=n_classes
    )
    return np.round(features * 100), target


def fitted(estimator: Estimator, n_classes: int) -> tuple[Estimator, NDArray[np.float64]]:
    features, target = noisy(n_classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(features[:_N_FITTED], target[:_N_FITTED]), features


def outcome(estimator: Estimator, rows: Any) -> Any:  # a DataFrame or a matrix
    """Return labels, scores and near ties of the converted model, as the service returns them."""
    converted = convert_model(estimator, rows)
    classes = converted.declared.classes
    assert classes is not None
    names = list(rows.columns) if isinstance(rows, pd.DataFrame) else None
    description = read_converted(converted.onnx, names, tuple(classes)).description
    converted_predicts = outcome_of_converted(converted.onnx, rows, tuple(classes))
    return (
        converted_predicts.labels,
        converted_predicts.scores,
        near_ties(converted_predicts.scores, description),
    )


def library_predicts(estimator: Estimator, rows: Any) -> tuple[Any, Any]:  # a DataFrame or a matrix
    """Return the positions of the labels that the library predicts, and by how much the best score leads."""
    position = {label: at for at, label in enumerate(estimator.classes_.tolist())}
    scores = np.sort(estimator.predict_proba(rows), axis=1)
    labels = np.array([position[label] for label in estimator.predict(rows).ravel().tolist()])
    return labels, scores[:, -1] - scores[:, -2]


_PURE: dict[str, Callable[[], Estimator]] = {
    "20 trees": lambda: ensemble.RandomForestClassifier(20, random_state=0),
    "60 trees": lambda: ensemble.RandomForestClassifier(60, random_state=0),
    "extra trees": lambda: ensemble.ExtraTreesClassifier(20, random_state=0),
    "bagging": lambda: ensemble.BaggingClassifier(n_estimators=20, random_state=0),
    "bagging of some features": lambda: ensemble.BaggingClassifier(n_estimators=60, max_features=0.5, random_state=0),
    "bagging of extra trees": lambda: ensemble.BaggingClassifier(tree.ExtraTreeClassifier(), 20, random_state=0),
    "selected features": lambda: make_pipeline(SelectKBest(k=4), ensemble.RandomForestClassifier(50, random_state=0)),
    "a search": lambda: GridSearchCV(ensemble.RandomForestClassifier(20, random_state=0), {"max_depth": [None]}, cv=2),
}


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("make", _PURE.values(), ids=_PURE.keys())
@pytest.mark.sampled("values")
def test_exact_ties_go_to_the_class_that_the_estimator_names(make: Callable[[], Estimator], n_classes: int) -> None:
    estimator, rows = fitted(make(), n_classes)

    labels, scores, near = outcome(estimator, rows)

    expected, lead = library_predicts(estimator, rows)
    assert (lead == 0).sum() >= 3
    np.testing.assert_array_equal(labels, expected)
    np.testing.assert_array_equal(scores, estimator.predict_proba(rows))
    assert not near.any()


def test_exact_ties_behind_one_hot_columns_go_to_the_class_that_the_estimator_names() -> None:
    features, target = noisy(2)
    frame = pd.DataFrame(features[:, :5], columns=list("abcde"))
    texts = np.array(["x", "y", "z"], dtype=object)[features[:, 5].astype(int) % 3]
    frame["text"] = pd.Series(texts, dtype=object)
    steps = ColumnTransformer([("text", OneHotEncoder(), ["text"])], remainder="passthrough")
    pipeline = Pipeline([("columns", steps), ("forest", ensemble.RandomForestClassifier(20, random_state=0))])
    pipeline.fit(frame[:_N_FITTED], target[:_N_FITTED])

    labels, _, _ = outcome(pipeline, frame)

    expected, lead = library_predicts(pipeline, frame)
    assert (lead == 0).any()
    np.testing.assert_array_equal(labels, expected)


def tenths(n_classes: int) -> Data:
    """Return 1,000 rows of numbers with one decimal, many of which lie halfway between two others, on thresholds."""
    features, target = datasets.make_classification(
        1000, 8, n_informative=5, n_classes=n_classes, flip_y=0.3, class_sep=0.5, random_state=n_classes
    )
    return np.round(features, 1), target


_BEHIND_SCALERS: dict[str, Callable[[], Estimator]] = {
    "random forest": lambda: ensemble.RandomForestClassifier(20, random_state=0),
    "extra trees": lambda: ensemble.ExtraTreesClassifier(20, random_state=0),
    "gradient boosting": lambda: ensemble.GradientBoostingClassifier(n_estimators=10, random_state=0),
    "xgboost": lambda: library("xgboost").XGBClassifier(n_estimators=10, n_jobs=1),
}


@pytest.mark.parametrize("precision", [np.float64, np.float32])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler()])
@pytest.mark.parametrize("make", _BEHIND_SCALERS.values(), ids=_BEHIND_SCALERS.keys())
@pytest.mark.sampled("values")
def test_labels_behind_a_scaler_are_those_of_the_estimator_on_data_with_one_decimal(
    make: Callable[[], Estimator], scaler: Estimator, n_classes: int, precision: type
) -> None:
    features, target = tenths(n_classes)
    rows = features.astype(precision)
    estimator = make_pipeline(scaler, make()).fit(rows[:_N_FITTED], target[:_N_FITTED])

    labels, scores, _ = outcome(estimator, rows)

    np.testing.assert_array_equal(labels, library_predicts(estimator, rows)[0])
    np.testing.assert_allclose(scores, estimator.predict_proba(rows), rtol=0, atol=1e-6)


def test_labels_behind_a_column_transformer_are_those_of_the_estimator_on_data_with_one_decimal() -> None:
    features, target = tenths(2)
    frame = pd.DataFrame(features, columns=list("abcdefgh"))
    frame.iloc[::7, 0] = np.nan
    filled = make_pipeline(SimpleImputer(), StandardScaler())
    steps = ColumnTransformer([("scaled", filled, ["a", "b", "c"]), ("high", Binarizer(threshold=0.3), ["d", "e"])])
    steps.set_params(remainder="passthrough")
    pipeline = make_pipeline(steps, ensemble.RandomForestClassifier(20, random_state=0))
    pipeline.fit(frame[:_N_FITTED], target[:_N_FITTED])

    labels, scores, _ = outcome(pipeline, frame)

    np.testing.assert_array_equal(labels, library_predicts(pipeline, frame)[0])
    np.testing.assert_array_equal(scores, pipeline.predict_proba(frame))


_IMPURE: dict[str, Callable[[], Estimator]] = {
    "random forest": lambda: ensemble.RandomForestClassifier(50, min_samples_leaf=3, random_state=0),
    "shallow random forest": lambda: ensemble.RandomForestClassifier(20, max_depth=3, random_state=0),
    "extra trees": lambda: ensemble.ExtraTreesClassifier(60, min_samples_leaf=4, random_state=0),
    "bagging": lambda: ensemble.BaggingClassifier(tree.DecisionTreeClassifier(max_depth=4), 50, random_state=0),
    "many trees": lambda: ensemble.RandomForestClassifier(1100, max_depth=2, random_state=0),
    "tree": lambda: tree.DecisionTreeClassifier(max_depth=4, random_state=0),
    "gradient boosting": lambda: ensemble.GradientBoostingClassifier(n_estimators=20, random_state=0),
    "histogram gradient boosting": lambda: ensemble.HistGradientBoostingClassifier(max_iter=20, random_state=0),
    "lightgbm": lambda: library("lightgbm").LGBMClassifier(n_estimators=20, n_jobs=1, verbose=-1),
}


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "make",
    [pytest.param(make, id=name, marks=[pytest.mark.long] * (name == "many trees")) for name, make in _IMPURE.items()],
)
@pytest.mark.sampled("values")
def test_labels_are_those_of_the_estimator_but_for_rounding(make: Callable[[], Estimator], n_classes: int) -> None:
    estimator, rows = fitted(make(), n_classes)

    labels, scores, near = outcome(estimator, rows)

    expected, lead = library_predicts(estimator, rows)
    n_trees = len(getattr(estimator, "estimators_", range(20 * n_classes)))
    decided = lead > n_trees * 2.0**-52
    assert decided.mean() > 0.9
    np.testing.assert_array_equal(labels[decided], expected[decided])
    np.testing.assert_allclose(scores, estimator.predict_proba(rows), rtol=0, atol=1e-14)
    np.testing.assert_array_equal(near, ~decided)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_what_single_precision_would_round_away_decides(n_classes: int) -> None:
    """The second class leads by less than single precision can resolve: by about 1e-9, summed over 50 trees."""
    estimator, rows = fitted(ensemble.RandomForestClassifier(50, max_depth=2, random_state=0), n_classes)
    for number, member in enumerate(estimator.estimators_):
        shares = np.full(n_classes, 1 / n_classes)
        shares[-1] += (number + 1) * 1e-12
        shares[0] -= (number + 1) * 1e-12
        member.tree_.value[:, 0, :] = shares

    labels, _, near = outcome(estimator, rows)

    np.testing.assert_array_equal(estimator.predict(rows), n_classes - 1)
    np.testing.assert_array_equal(labels, n_classes - 1)
    assert not near.any()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_xgboost_agrees_where_its_own_single_precision_decides(n_classes: int) -> None:
    estimator, rows = fitted(library("xgboost").XGBClassifier(n_estimators=20, n_jobs=1), n_classes)

    labels, _, _ = outcome(estimator, rows)

    expected, lead = library_predicts(estimator, rows)
    decided = lead > 20 * n_classes * 2.0**-23
    np.testing.assert_array_equal(labels[decided], expected[decided])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_parity_brings_the_rows_nearest_to_a_tie_and_their_labels(n_classes: int) -> None:
    estimator, rows = fitted(ensemble.RandomForestClassifier(20, random_state=0), n_classes)

    parity = convert_model(estimator, rows).parity

    assert parity is not None
    _, lead = library_predicts(estimator, rows)
    sent = np.sort(np.array(parity.predictions), axis=1)
    assert ((sent[:, -1] - sent[:, -2]) == 0).sum() >= min(40, (lead == 0).sum())
    assert parity.labels == estimator.predict(np.array(parity.rows)).astype(str).tolist()
