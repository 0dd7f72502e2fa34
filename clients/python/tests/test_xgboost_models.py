"""XGBoost's models predict the same after conversion, whatever their objective, base score and number of trees."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from leafspace_client import CannotConvert
from leafspace_client.conversion import convert_model
from leafspace_client.conversion.estimators import ensemble_of

from tests.support.booster_rows import assert_predicts_as_its_library, targets, training_rows
from tests.support.models import library

Estimator: TypeAlias = Any
ROWS = training_rows()
TWO, THREE = targets(ROWS), targets(ROWS, 3)
VALUES = 3 * np.nan_to_num(ROWS[:, 0]) + np.nan_to_num(ROWS[:, 1])
POSITIVE = np.exp(VALUES / 3)


def fitted(target: Any, name: str = "XGBClassifier", **settings: Any) -> Estimator:  # arrays, settings
    """Return a small model; settings called ``eval_set`` and ``xgb_model`` are of its ``fit``."""
    of_fit = {key: settings.pop(key) for key in ("eval_set", "xgb_model") if key in settings}
    model = getattr(library("xgboost"), name)(**{"n_estimators": 4, "max_depth": 3, "n_jobs": 1, **settings})
    return model.fit(ROWS, target, verbose=False, **of_fit)


def classifier(target: Any, **settings: Any) -> Callable[[], Estimator]:  # arrays, settings
    return lambda: fitted(target, **settings)


def regressor(target: Any, **settings: Any) -> Callable[[], Estimator]:  # arrays, settings
    return lambda: fitted(target, "XGBRegressor", **settings)


def logistic(target: Any, raw: Any) -> tuple[Any, Any]:  # arrays
    share = 1 / (1 + np.exp(-raw))
    return share - target, share * (1 - share)


_BASES: tuple[dict[str, Any], ...] = (
    {},
    {"base_score": 0.3},
    {"n_estimators": 0},
    {"n_estimators": 0, "base_score": 0.3},
    {"gamma": 1e9},
)
_STOPPED = {"n_estimators": 30, "early_stopping_rounds": 2, "learning_rate": 1.0}
_DART = {"booster": "dart", "rate_drop": 0.5, "n_estimators": 8}
CLASSIFIERS = {
    **{
        f"{objective} {settings}": classifier(target, objective=objective, **settings)
        for objectives, target in (
            (("binary:logistic", "binary:logitraw", "binary:hinge"), TWO),
            (("multi:softprob", "multi:softmax"), THREE),
        )
        for objective in objectives
        for settings in _BASES
    },
    "multi:softmax of two classes": classifier(TWO, objective="multi:softmax", num_class=2),
    "early stopping": classifier(TWO, eval_set=[(ROWS[::3], 1 - TWO[::3])], **_STOPPED),
    "early stopping of parallel trees": classifier(
        THREE, eval_set=[(ROWS[::3], THREE[::-3][:27])], num_parallel_tree=2, **_STOPPED
    ),
    "earlier model": lambda: fitted(TWO, xgb_model=fitted(1 - TWO)),
    "earlier model of three": lambda: fitted(THREE, xgb_model=fitted(THREE[::-1])),
    "parallel trees": classifier(TWO, num_parallel_tree=4, subsample=0.5),
    "parallel trees of three": classifier(THREE, num_parallel_tree=4, subsample=0.5),
    "forest": classifier(TWO, name="XGBRFClassifier"),
    "forest of three": classifier(THREE, name="XGBRFClassifier"),
    "dart": classifier(TWO, **_DART),
    "dart of three": classifier(THREE, **_DART),
    "an objective of one's own": classifier(TWO, objective=logistic),
    "exact": classifier(TWO, tree_method="exact"),
    "by loss": classifier(TWO, grow_policy="lossguide", max_leaves=5),
    "a regression's objective": classifier(TWO, objective="reg:squarederror"),
    "missing as 0.1": classifier(TWO, missing=0.1),
    "missing as 0": classifier(TWO, missing=0),
    "missing as infinity": classifier(TWO, missing=np.inf),
    "missing as negative infinity": classifier(TWO, missing=-np.inf),
}
_OBJECTIVES = {
    **dict.fromkeys(("reg:squarederror", "reg:pseudohubererror", "reg:absoluteerror"), VALUES),
    **dict.fromkeys(("count:poisson", "reg:gamma", "reg:tweedie", "survival:cox", "reg:squaredlogerror"), POSITIVE),
    "reg:logistic": TWO,
}
REGRESSORS = {
    **{
        f"{objective} {settings}": regressor(target, objective=objective, **settings)
        for objective, target in _OBJECTIVES.items()
        for settings in _BASES
    },
    **{name: regressor(TWO, objective=name) for name in ("binary:logistic", "binary:logitraw", "binary:hinge")},
    "one quantile": regressor(VALUES, objective="reg:quantileerror", quantile_alpha=0.3),
    "forest": lambda: fitted(VALUES, "XGBRFRegressor"),
    "dart": regressor(VALUES, one_drop=1, **_DART),
    "an objective of one's own": regressor(VALUES, objective=lambda y, raw: (raw - y, np.ones_like(raw))),
}


@pytest.mark.parametrize("case", CLASSIFIERS)
@pytest.mark.sampled("thirds")
def test_classifiers_give_the_scores_and_labels_of_xgboost(case: str) -> None:
    assert_predicts_as_its_library(CLASSIFIERS[case](), ROWS)


@pytest.mark.parametrize("case", REGRESSORS)
@pytest.mark.sampled("thirds")
def test_regressors_give_the_values_of_xgboost(case: str) -> None:
    assert_predicts_as_its_library(REGRESSORS[case](), ROWS)


def test_a_number_that_stands_for_missing_is_read_as_missing() -> None:
    rows = np.where(np.isnan(ROWS), -999, ROWS)
    model = library("xgboost").XGBClassifier(n_estimators=4, max_depth=3, missing=-999).fit(rows, TWO)

    assert_predicts_as_its_library(model, rows)


def test_ties_go_to_the_class_that_xgboost_predicts() -> None:
    rows = np.tile([[0.0], [1.0]], (40, 3))
    model = library("xgboost").XGBClassifier(n_estimators=4).fit(rows, np.arange(80) // 2 % 2)

    assert set(model.predict(rows)) == {0}
    assert_predicts_as_its_library(model, rows)


def test_accelerated_failure_time_gives_times(tmp_path: Path) -> None:
    xgboost = library("xgboost")
    data = xgboost.DMatrix(ROWS)
    data.set_float_info("label_lower_bound", POSITIVE)
    data.set_float_info("label_upper_bound", POSITIVE + 1)
    xgboost.train({"objective": "survival:aft", "max_depth": 3}, data, 4).save_model(tmp_path / "model.json")
    model = xgboost.XGBRegressor()
    model.load_model(tmp_path / "model.json")

    assert_predicts_as_its_library(model, ROWS)


_REFUSED = {
    "several quantiles": (
        regressor(VALUES, objective="reg:quantileerror", quantile_alpha=[0.3, 0.6]),
        "several quantiles at once; fit one model for each",
    ),
    "several targets": (
        regressor(np.column_stack([VALUES, VALUES])),
        "several targets at once; fit one model for each",
    ),
    "vectors": (
        classifier(THREE, multi_strategy="multi_output_tree"),
        "leaves hold vectors; fit it with multi_strategy='one_output_per_tree'",
    ),
    "ranking": (regressor(TWO, objective="rank:pairwise"), "rank:pairwise it ranks the rows"),
    "linear": (regressor(VALUES, booster="gblinear", max_depth=None), "it has no trees: its booster is gblinear"),
    "a regressor of classes": (regressor(THREE, objective="multi:softmax", num_class=3), "predicts 3 values for a row"),
    "one class": (classifier(0 * TWO), "fitted on rows of one class"),
    "softprob of two classes": (
        classifier(TWO, objective="multi:softprob", num_class=2),
        "two labels a row; fit it with the objective binary:logistic",
    ),
}


@pytest.mark.parametrize("case", _REFUSED)
def test_what_has_no_scores_of_classes_or_no_value_of_a_row_is_refused_in_words(case: str) -> None:
    make, message = _REFUSED[case]

    with pytest.raises(CannotConvert, match=message):
        convert_model(make(), ROWS)


@pytest.mark.parametrize(("name", "expected"), [("XGBRFClassifier", "random_forest"), ("XGBClassifier", "boosting")])
def test_forests_are_known_as_such(name: str, expected: str) -> None:
    assert ensemble_of(fitted(TWO, name)) == expected
