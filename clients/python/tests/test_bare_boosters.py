"""What ``xgboost.train``, ``lightgbm.train`` and ``catboost.CatBoost`` return is converted as it predicts itself."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pytest
from leafspace_client import CannotConvert
from leafspace_client.conversion import convert_model
from leafspace_client.conversion.declared import Declared

from tests.support.booster_rows import targets, training_rows
from tests.support.converted import outcome_of_converted
from tests.support.models import library

Booster: TypeAlias = Any
ROWS = pd.DataFrame(training_rows(), columns=["a", "b", "c"])
TWO, THREE = targets(ROWS.to_numpy()), targets(ROWS.to_numpy(), 3)
VALUES = np.nan_to_num(ROWS.to_numpy()[:, 0]) * 3 + 5


def xgboost_booster(objective: str, target: Any, rounds: int = 4, **settings: Any) -> Booster:
    xgboost = library("xgboost")
    settings = {"max_depth": 3, "nthread": 1, "objective": objective, **settings}
    validated = {"evals": [(xgboost.DMatrix(ROWS[::2], target[::-2]), "other")], "verbose_eval": False}
    stopped = {"early_stopping_rounds": 1, **validated} if rounds > 9 else {}
    return xgboost.train(settings, xgboost.DMatrix(ROWS, target), rounds, **stopped)


def lightgbm_booster(objective: str, target: Any, **settings: Any) -> Booster:
    lightgbm = library("lightgbm")
    settings = {"verbose": -1, "num_threads": 1, "min_data_in_leaf": 5, "objective": objective, **settings}
    return lightgbm.train(settings, lightgbm.Dataset(ROWS, target), 4)


def reread(booster: Booster) -> Booster:
    return library("lightgbm").Booster(model_str=booster.model_to_string())


def catboost_model(loss: str, target: Any) -> Booster:
    settings = {"iterations": 4, "depth": 3, "verbose": 0, "allow_writing_files": False, "loss_function": loss}
    return library("catboost").CatBoost(settings).fit(ROWS, target)


_FOREST = {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}
CLASSIFIERS: dict[str, Callable[[], Booster]] = {
    "xgboost, binary:logistic": lambda: xgboost_booster("binary:logistic", TWO),
    "xgboost, binary:logistic, stopped early": lambda: xgboost_booster("binary:logistic", TWO, 30, learning_rate=1.0),
    "xgboost, multi:softprob": lambda: xgboost_booster("multi:softprob", THREE, num_class=3),
    "lightgbm, binary": lambda: lightgbm_booster("binary", TWO, sigmoid=2.0),
    "lightgbm, multiclass, read from text": lambda: reread(lightgbm_booster("multiclass", THREE, num_class=3)),
    "lightgbm, multiclassova": lambda: lightgbm_booster("multiclassova", THREE, num_class=3),
    "lightgbm, random forest": lambda: lightgbm_booster("binary", TWO, **_FOREST),
    "catboost, Logloss": lambda: catboost_model("Logloss", TWO),
    "catboost, MultiClass": lambda: catboost_model("MultiClass", THREE),
}
REGRESSORS: dict[str, Callable[[], Booster]] = {
    "xgboost, reg:squarederror": lambda: xgboost_booster("reg:squarederror", VALUES),
    "xgboost, a part of its rounds": lambda: xgboost_booster("reg:squarederror", VALUES)[1:3],
    "xgboost, count:poisson": lambda: xgboost_booster("count:poisson", np.abs(VALUES)),
    "xgboost, reg:logistic": lambda: xgboost_booster("reg:logistic", TWO),
    "lightgbm, regression": lambda: lightgbm_booster("regression", VALUES),
    "lightgbm, poisson": lambda: lightgbm_booster("poisson", np.abs(VALUES)),
    "lightgbm, cross_entropy": lambda: lightgbm_booster("cross_entropy", TWO * 0.8 + 0.1),
    "catboost, RMSE": lambda: catboost_model("RMSE", VALUES),
}


def own_prediction(booster: Booster) -> Any:  # an array
    """Return what a booster itself predicts: (n_rows, n_classes) probabilities, or values."""
    if type(booster).__module__.startswith("xgboost"):
        return booster.predict(library("xgboost").DMatrix(ROWS))
    if type(booster).__name__ == "CatBoost":
        is_classifier = "Class" in str(booster.get_all_params()["loss_function"]) or "Log" in str(
            booster.get_all_params()["loss_function"]
        )
        return booster.predict(ROWS, prediction_type="Probability" if is_classifier else "RawFormulaVal")
    return booster.predict(ROWS)


@pytest.mark.parametrize("case", CLASSIFIERS)
@pytest.mark.sampled("tenths")
def test_scores_and_labels_are_those_of_the_booster(case: str) -> None:
    booster = CLASSIFIERS[case]()
    own = own_prediction(booster)
    scores = np.column_stack([1 - own, own]) if own.ndim == 1 else own
    names = ["first", "second", "third"][: scores.shape[1]]

    for rows in (ROWS, None):
        converted = convert_model(booster, rows)
        outcome = outcome_of_converted(converted.onnx, ROWS, tuple(map(str, range(scores.shape[1]))))

        assert list(converted.declared.feature_names or ()) == list(ROWS.columns)
        assert converted.parity is not None
        np.testing.assert_allclose(outcome.scores, scores, atol=1e-6)
        np.testing.assert_array_equal(outcome.labels, scores.argmax(axis=1))
    named = convert_model(booster, ROWS, Declared(classes=names))
    assert named.declared.classes == names
    assert named.parity is not None
    assert set(named.parity.labels or ()) <= set(names)


@pytest.mark.parametrize("case", REGRESSORS)
def test_values_are_those_of_the_booster(case: str) -> None:
    booster = REGRESSORS[case]()

    converted = convert_model(booster, ROWS)

    assert converted.declared.classes is None
    outcome = outcome_of_converted(converted.onnx, ROWS, None)
    np.testing.assert_allclose(outcome.scores.ravel(), own_prediction(booster), rtol=1e-5)


def test_a_booster_that_ranks_or_has_no_trees_is_refused() -> None:
    xgboost, lightgbm = library("xgboost"), library("lightgbm")
    data = xgboost.DMatrix(ROWS, THREE, group=[40, 40])
    ranking = xgboost.train({"objective": "rank:ndcg", "nthread": 1}, data, 2)
    of_groups = lightgbm.Dataset(ROWS, THREE, group=[40, 40])
    other = lightgbm.train({"objective": "lambdarank", "verbose": -1, "num_threads": 1}, of_groups, 2)

    for booster in (ranking, other):
        with pytest.raises(CannotConvert, match="it ranks the rows of a query"):
            convert_model(booster, ROWS)
    with pytest.raises(CannotConvert, match="no trees: register what xgboost"):
        convert_model(xgboost.Booster(), ROWS)
    with pytest.raises(CannotConvert, match="no trees: register what fit returns"):
        convert_model(library("catboost").CatBoost(), ROWS)


def test_a_forest_of_lightgbm_is_known_as_one() -> None:
    assert convert_model(CLASSIFIERS["lightgbm, random forest"](), ROWS).declared.ensemble == "random_forest"
    assert convert_model(CLASSIFIERS["lightgbm, binary"](), ROWS).declared.ensemble == "boosting"


def test_a_catboost_model_that_was_read_from_a_file_is_converted_without_rows(tmp_path: Any) -> None:
    catboost = library("catboost")
    catboost_model("Logloss", TWO).save_model(str(tmp_path / "model.cbm"))
    model = catboost.CatBoostClassifier()
    model.load_model(str(tmp_path / "model.cbm"))

    converted = convert_model(model)

    assert converted.declared.feature_names == list(ROWS.columns)
    outcome = outcome_of_converted(converted.onnx, ROWS, ("0", "1"))
    np.testing.assert_allclose(outcome.scores, model.predict_proba(ROWS), atol=1e-6)
