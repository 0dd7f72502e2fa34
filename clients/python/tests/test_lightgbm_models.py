"""LightGBM's models predict the same after conversion, whatever their objective, and what they read as 0 or missing."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest
from leafspace_client import CannotConvert
from leafspace_client.conversion import convert_model
from leafspace_client.conversion.declared import Declared
from leafspace_client.conversion.estimators import ensemble_of
from numpy.typing import NDArray
from onnxruntime import InferenceSession

from tests.support.booster_rows import assert_predicts_as_its_library, odd_rows, targets, training_rows
from tests.support.models import library

Estimator: TypeAlias = Any
ROWS = training_rows()
TWO, THREE = targets(ROWS), targets(ROWS, 3)
VALUES = 3 * np.nan_to_num(ROWS[:, 0]) + np.nan_to_num(ROWS[:, 1])
POSITIVE = np.exp(VALUES / 3)
MANY_ZEROS = np.where(np.random.default_rng(5).random(ROWS.shape) < 0.3, 0, ROWS)
BELOW_ZERO = np.minimum(np.round(np.nan_to_num(ROWS)), 0)
TOLERANCE = 1e-9


def fitted(
    target: Any,  # an array
    name: str = "LGBMClassifier",
    rows: NDArray[np.float64] = ROWS,
    **settings: Any,  # of the model; those called as arguments of ``fit`` are of that
) -> Estimator:
    of_fit = ("eval_set", "init_model", "callbacks", "categorical_feature")
    known = {"n_estimators": 4, "num_leaves": 5, "min_child_samples": 5, "n_jobs": 1, "verbose": -1}
    known |= {key: value for key, value in settings.items() if key not in of_fit}
    return getattr(library("lightgbm"), name)(**known).fit(
        rows, target, **{key: value for key, value in settings.items() if key in of_fit}
    )


def classifier(target: Any, **settings: Any) -> Callable[[], Estimator]:  # arrays, settings
    return lambda: fitted(target, **settings)


def regressor(target: Any, **settings: Any) -> Callable[[], Estimator]:  # arrays, settings
    return lambda: fitted(target, "LGBMRegressor", **settings)


def least_squares(target: Any, raw: Any) -> tuple[Any, Any]:  # arrays
    return raw - target, np.ones_like(raw)


_FOREST: dict[str, Any] = {"boosting_type": "rf", "subsample": 0.6, "subsample_freq": 1}
_DART: dict[str, Any] = {"boosting_type": "dart", "drop_rate": 0.9, "n_estimators": 8}
CLASSIFIERS = {
    "binary": classifier(TWO),
    "steep sigmoid": classifier(TWO, sigmoid=2.5),
    "unbalanced": classifier(TWO, is_unbalance=True),
    "not from the average": classifier(TWO, boost_from_average=False),
    "multiclass": classifier(THREE),
    "multiclass of two": classifier(TWO, objective="multiclass", num_class=2),
    "one against all": classifier(THREE, objective="multiclassova", sigmoid=1.5),
    "one against all of two": classifier(TWO, objective="multiclassova", num_class=2),
    "cross_entropy": classifier(TWO, objective="cross_entropy"),
    "cross_entropy_lambda": classifier(TWO, objective="cross_entropy_lambda"),
    "a regression's objective": classifier(TWO, objective="regression"),
    "forest": classifier(TWO, **_FOREST),
    "forest of three": classifier(THREE, **_FOREST),
    "forest of one against all": classifier(THREE, objective="multiclassova", **_FOREST),
    "dart": classifier(TWO, **_DART),
    "dart of three": classifier(THREE, **_DART),
    "goss": classifier(TWO, data_sample_strategy="goss"),
    "earlier model": lambda: fitted(TWO, init_model=fitted(1 - TWO)),
    "earlier model of three": lambda: fitted(THREE, init_model=fitted(THREE[::-1])),
    "early stopping": lambda: fitted(
        TWO,
        n_estimators=30,
        learning_rate=1.0,
        eval_set=[(ROWS[::3], 1 - TWO[::3])],
        callbacks=[library("lightgbm").early_stopping(2, verbose=False)],
    ),
    "no splits": classifier(TWO, min_child_samples=1000),
    "no splits of three": classifier(THREE, min_child_samples=1000),
    "texts": classifier(np.array(["no", "yes"])[TWO]),
    "booleans": classifier(TWO == 1),
    "infinities": classifier(TWO, rows=np.where(np.abs(ROWS) > 1.5, np.inf * np.sign(ROWS), ROWS)),
}
_OBJECTIVES = {
    **dict.fromkeys(("regression", "l1", "huber", "fair", "quantile", "mape"), VALUES),
    **dict.fromkeys(("poisson", "gamma", "tweedie"), POSITIVE),
    **dict.fromkeys(("cross_entropy", "cross_entropy_lambda"), TWO),
}
REGRESSORS = {
    **{objective: regressor(target, objective=objective) for objective, target in _OBJECTIVES.items()},
    **{
        f"root {objective}": regressor(VALUES, objective=objective, reg_sqrt=True) for objective in ("regression", "l1")
    },
    **{
        f"forest {objective}": regressor(_OBJECTIVES[objective], objective=objective, **_FOREST)
        for objective in ("regression", "poisson", "mape")
    },
    "no splits": regressor(VALUES, min_child_samples=1000),
    "forest without splits": regressor(VALUES, min_child_samples=1000, **_FOREST),
    "an objective of one's own": regressor(VALUES, objective=least_squares),
}


@pytest.mark.parametrize("case", CLASSIFIERS)
@pytest.mark.sampled("thirds")
def test_classifiers_give_the_scores_and_labels_of_lightgbm(case: str) -> None:
    assert_predicts_as_its_library(CLASSIFIERS[case](), ROWS, tolerance=TOLERANCE)


@pytest.mark.parametrize("case", REGRESSORS)
@pytest.mark.sampled("thirds")
def test_regressors_give_the_values_of_lightgbm(case: str) -> None:
    assert_predicts_as_its_library(REGRESSORS[case](), ROWS, tolerance=TOLERANCE)


@pytest.mark.parametrize("zero_as_missing", [False, True])
@pytest.mark.parametrize("use_missing", [False, True])
def test_zeros_and_gaps_are_read_as_lightgbm_reads_them(*, zero_as_missing: bool, use_missing: bool) -> None:
    model = fitted(TWO, rows=MANY_ZEROS, zero_as_missing=zero_as_missing, use_missing=use_missing)

    assert_predicts_as_its_library(model, MANY_ZEROS, tolerance=TOLERANCE)


@pytest.mark.parametrize("rows", [BELOW_ZERO, -BELOW_ZERO, np.where(BELOW_ZERO == -2, np.nan, BELOW_ZERO)])
def test_a_split_between_0_and_others_takes_for_0_what_lightgbm_does(rows: NDArray[np.float64]) -> None:
    model = fitted(BELOW_ZERO[:, 0] < 0, rows=rows)

    assert "e-35" in model.booster_.model_to_string()
    assert_predicts_as_its_library(model, rows, tolerance=TOLERANCE)


_LINEAR = {"linear_tree": True, "n_estimators": 6}


@pytest.mark.parametrize(
    "make",
    [regressor(VALUES, **_LINEAR), classifier(TWO, **_LINEAR), classifier(THREE, **_LINEAR)],
    ids=["values", "two", "three"],
)
def test_linear_leaves_predict_the_same_in_an_oracle(make: Callable[[], Estimator]) -> None:
    model = make()
    graph = convert_model(model, ROWS, Declared(oracle_only=True), parity=False).onnx
    rows = odd_rows(graph, ROWS)
    rows = rows[~(np.abs(rows) > 1e30).any(axis=1)]  # of others the products are beyond all digits

    expected = np.asarray(getattr(model, "predict_proba", model.predict)(rows), np.float64).reshape(len(rows), -1)
    *_, scores = InferenceSession(graph, providers=["CPUExecutionProvider"]).run(None, {"X": rows})

    assert "leaf_features=0" in model.booster_.model_to_string()
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-9)


_REFUSED = {
    "linear leaves": (regressor(VALUES, linear_tree=True), "linear_tree=False, or register it with oracle_only=True"),
    "one class": (classifier(0 * TWO), "fitted on rows of one class"),
    "an objective of one's own": (classifier(TWO, objective=least_squares), "objective='binary' or 'multiclass'"),
    "a regressor of classes": (regressor(THREE, objective="multiclass", num_class=3), "predicts 3 values for a row"),
    "early stopping of predictions": (classifier(TWO, pred_early_stop=True), "pred_early_stop=True"),
}


@pytest.mark.parametrize("case", _REFUSED)
def test_what_trees_alone_do_not_say_is_refused_in_words(case: str) -> None:
    make, message = _REFUSED[case]

    with pytest.raises(CannotConvert, match=message):
        convert_model(make(), ROWS)


def test_the_random_forest_mode_is_known_as_such() -> None:
    assert ensemble_of(fitted(TWO, **_FOREST)) == "random_forest"
    assert ensemble_of(fitted(TWO)) == "boosting"
