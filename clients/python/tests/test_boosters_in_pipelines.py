"""Boosters behind the steps of a pipeline, and as members of other models, predict what they do there."""

import warnings
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pytest
from leafspace_client import CannotConvert
from leafspace_client.conversion import convert_model
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import BaggingClassifier, BaggingRegressor, RandomForestClassifier, VotingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, QuantileTransformer, StandardScaler

from tests.support.booster_rows import targets, training_rows
from tests.support.converted import outcome_of_converted
from tests.support.models import library

Estimator: TypeAlias = Any
ROWS = training_rows()
TWO, THREE = targets(ROWS), targets(ROWS, 3)
COUNTS = np.exp(np.nan_to_num(ROWS[:, 0]))
NEW_ROWS = np.concatenate([ROWS, np.round(np.random.default_rng(9).normal(size=(300, 3)), 1), np.full((1, 3), np.nan)])
_SETTINGS: dict[str, dict[str, Any]] = {
    "xgboost": {"n_estimators": 4, "max_depth": 3, "n_jobs": 1},
    "lightgbm": {"n_estimators": 4, "num_leaves": 5, "min_child_samples": 5, "n_jobs": 1, "verbose": -1},
    "catboost": {"iterations": 4, "depth": 3, "verbose": 0, "allow_writing_files": False, "thread_count": 1},
}
_PREFIXES = {"xgboost": "XGB", "lightgbm": "LGBM", "catboost": "CatBoost"}
LIBRARIES = sorted(_SETTINGS)


def booster(name: str, kind: str = "Classifier", **settings: Any) -> Estimator:  # any setting
    return getattr(library(name), f"{_PREFIXES[name]}{kind}")(**_SETTINGS[name], **settings)


def assert_predicts_the_same(estimator: Estimator, rows: NDArray[np.float64] = NEW_ROWS) -> None:
    outcome = outcome_of_converted(convert_model(estimator, ROWS, parity=False).onnx, rows)
    if not hasattr(estimator, "predict_proba"):
        np.testing.assert_allclose(outcome.scores[:, 0], estimator.predict(rows), rtol=1e-5)
        return
    np.testing.assert_allclose(outcome.scores, estimator.predict_proba(rows), atol=1e-6)
    np.testing.assert_array_equal(outcome.labels, np.ravel(estimator.predict(rows)))


@pytest.mark.parametrize("step", [StandardScaler(), MinMaxScaler(), QuantileTransformer(n_quantiles=10)])
@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("target", [TWO, THREE], ids=["two", "three"])
def test_boosters_behind_steps_predict_the_same(name: str, step: Estimator, target: NDArray[np.int64]) -> None:
    assert_predicts_the_same(make_pipeline(step, booster(name)).fit(ROWS, target))


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("xgboost", {"objective": "count:poisson"}),
        ("lightgbm", {"objective": "poisson"}),
        ("catboost", {"loss_function": "Poisson"}),
    ],
)
def test_links_are_kept_behind_steps(name: str, settings: dict[str, str]) -> None:
    assert_predicts_the_same(make_pipeline(StandardScaler(), booster(name, "Regressor", **settings)).fit(ROWS, COUNTS))


@pytest.mark.parametrize("step", [MinMaxScaler(), QuantileTransformer(n_quantiles=10)])
@pytest.mark.parametrize(("name", "setting"), [("xgboost", {"missing": 0.0}), ("lightgbm", {"zero_as_missing": True})])
def test_what_comes_of_steps_is_read_as_missing(name: str, step: Estimator, setting: dict[str, Any]) -> None:
    assert_predicts_the_same(make_pipeline(step, booster(name, **setting)).fit(ROWS, TWO))


def test_a_probability_threshold_is_kept_behind_steps() -> None:
    pipeline = make_pipeline(StandardScaler(), booster("catboost")).fit(ROWS, TWO)
    pipeline[-1].set_probability_threshold(0.25)

    assert (pipeline.predict(NEW_ROWS) != pipeline.predict_proba(NEW_ROWS).argmax(axis=1)).any()
    assert_predicts_the_same(pipeline)


@pytest.mark.parametrize("name", LIBRARIES)
def test_boosters_are_members_of_other_models(name: str) -> None:
    forest = RandomForestClassifier(3, random_state=0)
    for voting in ("soft", "hard"):
        model = VotingClassifier([("booster", booster(name)), ("forest", forest)], voting=voting).fit(ROWS, TWO)
        outcome = outcome_of_converted(convert_model(model, ROWS, parity=False).onnx, NEW_ROWS)
        np.testing.assert_array_equal(outcome.labels, model.predict(NEW_ROWS))
    assert_predicts_the_same(BaggingClassifier(booster(name), 3, random_state=0).fit(ROWS, THREE))
    assert_predicts_the_same(BaggingRegressor(booster(name, "Regressor"), 3, random_state=0).fit(ROWS, COUNTS))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_predicts_the_same(CalibratedClassifierCV(booster(name), cv=2).fit(ROWS, TWO))


def test_categories_that_steps_pass_on_are_refused_with_what_to_do() -> None:
    rows = pd.DataFrame({"number": ROWS[:, 1], "text": pd.Categorical(np.array(["u", "v", "w"])[THREE])})
    steps = make_column_transformer((StandardScaler(), ["number"]), remainder="passthrough").set_output(
        transform="pandas"
    )
    pipeline = make_pipeline(steps, booster("lightgbm")).fit(rows, TWO)

    with pytest.raises(CannotConvert, match="fit it without steps on a DataFrame, or encode the categories"):
        convert_model(pipeline, rows)
