"""Combinations of models of trees: labels and scores are their libraries' own, on every row."""

from typing import Any

import numpy as np
import pytest
from sklearn import dummy, ensemble, tree
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    PowerTransformer,
    QuantileTransformer,
    StandardScaler,
)

from tests.support.models import library
from tests.support.wrapped_models import (
    AMOUNTS,
    BINARY,
    CATEGORIES,
    MIXED,
    N_ROWS,
    TEXTS,
    THREE,
    Data,
    Estimator,
    Make,
    assert_same,
    boosting,
    catboost,
    fitted,
    forest,
    histogram,
    lightgbm,
    mixed_columns,
    regression_forest,
    scaled,
    searched,
    with_categories,
    xgboost,
)

_COMBINATIONS: dict[str, tuple[Make, Data]] = {
    "bagged xgboost": (lambda: ensemble.BaggingClassifier(xgboost(), 3, random_state=0), THREE),
    "bagged lightgbm": (lambda: ensemble.BaggingClassifier(lightgbm(), 3, random_state=0), BINARY),
    "bagged catboost": (lambda: ensemble.BaggingClassifier(catboost(), 2, random_state=0), BINARY),
    "bagged histogram": (
        lambda: ensemble.BaggingClassifier(histogram(), 3, max_features=0.6, random_state=0),
        THREE,
    ),
    "bagged pipelines": (lambda: ensemble.BaggingClassifier(scaled(forest()), 3, random_state=0), TEXTS),
    "bags without some classes": (
        lambda: ensemble.BaggingClassifier(forest(), 4, max_samples=6, random_state=3),
        THREE,
    ),
    "bagged regressors": (
        lambda: ensemble.BaggingRegressor(ensemble.HistGradientBoostingRegressor(max_iter=3), 2, random_state=0),
        AMOUNTS,
    ),
    "AdaBoost of texts": (lambda: ensemble.AdaBoostClassifier(n_estimators=5, random_state=0), TEXTS),
    "AdaBoost of three classes": (
        lambda: ensemble.AdaBoostClassifier(tree.DecisionTreeClassifier(max_depth=2), n_estimators=5, random_state=0),
        THREE,
    ),
    "AdaBoost of boosting": (lambda: ensemble.AdaBoostClassifier(boosting(), n_estimators=3), TEXTS),
    "AdaBoost of boosting, three classes": (lambda: ensemble.AdaBoostClassifier(boosting(), n_estimators=3), THREE),
    "AdaBoost of lightgbm": (lambda: ensemble.AdaBoostClassifier(lightgbm(), n_estimators=3), TEXTS),
    "AdaBoost of values": (lambda: ensemble.AdaBoostRegressor(n_estimators=5, random_state=0), AMOUNTS),
    "one against the rest of forests": (lambda: OneVsRestClassifier(forest()), THREE),
    "one against the rest of boosting": (lambda: OneVsRestClassifier(boosting()), THREE),
    "one against the rest of two": (lambda: OneVsRestClassifier(histogram()), TEXTS),
    "one against the rest of lightgbm": (lambda: OneVsRestClassifier(lightgbm()), THREE),
    "soft vote": (
        lambda: ensemble.VotingClassifier(
            [("a", forest()), ("b", boosting()), ("c", lightgbm()), ("d", xgboost())],
            voting="soft",
            weights=[1, 2, 1, 1],
        ),
        TEXTS,
    ),
    "hard vote": (
        lambda: ensemble.VotingClassifier([("a", forest()), ("b", boosting()), ("c", lightgbm())]),
        THREE,
    ),
    "vote of pipelines, bags and votes": (
        lambda: ensemble.VotingClassifier(
            [
                ("pipeline", searched(scaled(histogram()))),
                ("bag", ensemble.BaggingClassifier(xgboost(), 2, random_state=0)),
                ("vote", ensemble.VotingClassifier([("x", forest()), ("y", scaled(boosting()))], voting="soft")),
            ],
            voting="soft",
        ),
        BINARY,
    ),
    "vote of one-output and many-output leaves, and of categories": (
        lambda: ensemble.VotingClassifier([("a", forest()), ("b", with_categories("lightgbm"))], voting="soft"),
        (CATEGORIES[0][["code", "b"]], THREE[1]),
    ),
    "vote with a linear model": (
        lambda: ensemble.VotingClassifier([("a", forest()), ("b", scaled(LogisticRegression()))], voting="soft"),
        BINARY,
    ),
}
_CALIBRATED: dict[str, tuple[Make, Data]] = {
    "sigmoid": (lambda: CalibratedClassifierCV(forest(), cv=2), THREE),
    "isotonic": (lambda: CalibratedClassifierCV(forest(), cv=2, method="isotonic"), BINARY),
    "isotonic of decisions": (lambda: CalibratedClassifierCV(boosting(), cv=2, method="isotonic"), THREE),
    "temperature": (lambda: CalibratedClassifierCV(forest(), cv=2, method="temperature"), BINARY),
    "temperature of decisions": (lambda: CalibratedClassifierCV(boosting(), cv=2, method="temperature"), THREE),
    "lightgbm": (lambda: CalibratedClassifierCV(lightgbm(), cv=2), TEXTS),
    "xgboost": (lambda: CalibratedClassifierCV(xgboost(), cv=2, method="isotonic"), BINARY),
    "histogram": (lambda: CalibratedClassifierCV(histogram(), cv=2, ensemble=False), THREE),
    "frozen": (lambda: CalibratedClassifierCV(FrozenEstimator(forest().fit(*BINARY))), BINARY),
    "mixed columns": (lambda: CalibratedClassifierCV(mixed_columns(forest()), cv=2), MIXED),
    "bags": (lambda: CalibratedClassifierCV(ensemble.BaggingClassifier(histogram(), 2), cv=2), BINARY),
}
_TARGETS: dict[str, tuple[Make, Data]] = {
    "logarithms": (
        lambda: TransformedTargetRegressor(regression_forest(), func=np.log1p, inverse_func=np.expm1),
        AMOUNTS,
    ),
    "roots behind a step": (
        lambda: TransformedTargetRegressor(scaled(regression_forest()), func=np.sqrt, inverse_func=np.square),
        AMOUNTS,
    ),
    "scaled": (lambda: TransformedTargetRegressor(regression_forest(), transformer=StandardScaler()), AMOUNTS),
    "between 0 and 1": (lambda: TransformedTargetRegressor(regression_forest(), transformer=MinMaxScaler()), AMOUNTS),
    "not at all": (lambda: TransformedTargetRegressor(regression_forest()), AMOUNTS),
    "to a normal shape": (
        lambda: TransformedTargetRegressor(regression_forest(), transformer=PowerTransformer()),
        (AMOUNTS[0], AMOUNTS[1] - AMOUNTS[1].mean()),
    ),
    "to a normal shape from positive amounts": (
        lambda: TransformedTargetRegressor(regression_forest(), transformer=PowerTransformer("box-cox")),
        (AMOUNTS[0], AMOUNTS[1] + 0.1),
    ),
    "to quantiles": (
        lambda: TransformedTargetRegressor(regression_forest(), transformer=QuantileTransformer(n_quantiles=30)),
        AMOUNTS,
    ),
    "by several steps": (
        lambda: TransformedTargetRegressor(
            regression_forest(),
            transformer=make_pipeline(FunctionTransformer(np.log1p, np.expm1), StandardScaler()),
        ),
        AMOUNTS,
    ),
}
_ALONE: dict[str, tuple[Make, Data]] = {
    "boosting from zero": (lambda: boosting(init="zero"), BINARY),
    "boosting from a constant": (lambda: boosting(init=dummy.DummyClassifier()), BINARY),
    "exponential loss": (lambda: boosting(loss="exponential"), BINARY),
    "quantiles": (lambda: ensemble.GradientBoostingRegressor(n_estimators=3, loss="quantile"), AMOUNTS),
    "one class": (forest, (BINARY[0], np.zeros(N_ROWS, int))),
    "one leaf": (lambda: tree.DecisionTreeClassifier(min_samples_leaf=100), TEXTS),
    "one value": (regression_forest, (BINARY[0], np.ones(N_ROWS))),
    "gamma": (lambda: ensemble.HistGradientBoostingRegressor(max_iter=3, loss="gamma"), (AMOUNTS[0], AMOUNTS[1] + 1)),
    "signs of effects": (lambda: forest(monotonic_cst=[1, 0, 0, -1, 0, 0]), BINARY),
}
_CASES = {
    f"{group}: {name}": case
    for group, cases in (
        ("combination", _COMBINATIONS),
        ("calibrated", _CALIBRATED),
        ("target", _TARGETS),
        ("alone", _ALONE),
    )
    for name, case in cases.items()
}


@pytest.mark.parametrize(("make", "data"), _CASES.values(), ids=_CASES.keys())
@pytest.mark.sampled("tenths")
def test_combined_models_predict_as_scikit_learn_does(make: Make, data: Data) -> None:
    assert_same(fitted(make, data), data[0])


@pytest.mark.parametrize("name", ["xgboost", "lightgbm", "histogram"])
@pytest.mark.parametrize(
    "wrap",
    [
        lambda estimator: FixedThresholdClassifier(estimator, threshold=0.4),
        lambda estimator: CalibratedClassifierCV(estimator, cv=2),
        lambda estimator: ensemble.VotingClassifier([("a", estimator), ("b", lightgbm())], voting="soft"),
    ],
    ids=["cut-off", "calibrated", "vote"],
)
@pytest.mark.parametrize("columns", [["a", "city", "b", "code"], ["code", "b"]], ids=["texts", "numbers"])
@pytest.mark.sampled("thirds")
def test_wrapped_models_read_raw_categories_as_their_libraries_do(name: str, wrap: Any, columns: list[str]) -> None:
    frame, target = CATEGORIES

    assert_same(fitted(lambda: wrap(with_categories(name)), (frame[columns], target)), frame[columns])


def test_a_target_of_amounts_behind_raw_categories_is_transformed_back() -> None:
    regressor = library("lightgbm").LGBMRegressor(n_estimators=3, verbose=-1, min_child_samples=5)
    wrapped = TransformedTargetRegressor(regressor, func=np.log1p, inverse_func=np.expm1)

    assert_same(fitted(lambda: wrapped, (CATEGORIES[0], AMOUNTS[1])), CATEGORIES[0])


@pytest.mark.parametrize(
    "name",
    ["BalancedRandomForestClassifier", "EasyEnsembleClassifier", "RUSBoostClassifier", "BalancedBaggingClassifier"],
)
def test_resampling_ensembles_predict_as_their_library_does(name: str) -> None:
    kind = getattr(library("imblearn.ensemble"), name)

    assert_same(fitted(lambda: kind(n_estimators=3, random_state=0), TEXTS), TEXTS[0])


def test_scores_that_tie_go_to_the_class_that_each_kind_of_boosting_names() -> None:
    rows = np.tile([[0.0], [1.0]], (40, 1))
    target = np.arange(80) // 2 % 2

    for make in (boosting, histogram):
        estimator = make().fit(rows, target)
        assert (estimator.predict_proba(rows) == 0.5).all()
        assert_same(estimator, rows)
    assert boosting().fit(rows, target).predict(rows).tolist() == [1] * 80


@pytest.mark.parametrize("member", [tree.DecisionTreeClassifier(max_depth=1), boosting()], ids=["trees", "boosting"])
@pytest.mark.parametrize("data", [TEXTS, THREE], ids=["two classes", "three classes"])
def test_votes_of_equal_weights_that_tie_go_to_the_class_that_adaptive_boosting_names(
    member: Estimator, data: Data
) -> None:
    estimator = ensemble.AdaBoostClassifier(member, n_estimators=6, random_state=0).fit(*data)
    estimator.estimator_weights_ = np.ones(len(estimator.estimators_))
    scores = np.sort(estimator.predict_proba(data[0]), axis=1)
    assert np.isclose(scores[:, -1], scores[:, -2], rtol=0, atol=1e-12).any()

    assert_same(estimator, data[0])


@pytest.mark.parametrize("passthrough", [False, True])
def test_a_stack_that_is_an_oracle_predicts_as_scikit_learn_does(*, passthrough: bool) -> None:
    members = [("a", scaled(forest())), ("b", boosting())]
    stack = ensemble.StackingClassifier(members, cv=2, passthrough=passthrough)

    assert_same(fitted(lambda: searched(scaled(stack)), THREE), THREE[0], oracle_only=True)


def test_a_linear_model_of_the_leaves_of_trees_is_an_oracle() -> None:
    embedding = ensemble.RandomTreesEmbedding(3, max_depth=2, random_state=0)  # whose columns are sparse
    pipeline = make_pipeline(embedding, LogisticRegression()).fit(*BINARY)

    assert_same(pipeline, BINARY[0], oracle_only=True)
