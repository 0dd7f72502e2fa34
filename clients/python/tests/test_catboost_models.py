"""CatBoost's models predict the same after conversion: losses, kinds of trees, cut-offs, scales and labels."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from leafspace_client import CannotConvert
from leafspace_client.conversion import convert_model
from numpy.typing import NDArray

from tests.support.booster_rows import assert_predicts_as_its_library, targets, training_rows
from tests.support.models import library

Estimator: TypeAlias = Any
ROWS = training_rows()
TWO, THREE = targets(ROWS), targets(ROWS, 3)
VALUES = 3 * np.nan_to_num(ROWS[:, 0]) + np.nan_to_num(ROWS[:, 1])
POSITIVE = np.exp(VALUES / 3)
TOLERANCE = 1e-9


def fitted(
    target: Any,  # an array
    name: str = "CatBoostClassifier",
    rows: NDArray[np.float64] = ROWS,
    **settings: Any,  # of the model, and the ``eval_set`` of ``fit``
) -> Estimator:
    evaluated = settings.pop("eval_set", None)
    known = {"iterations": 5, "depth": 3, "verbose": 0, "allow_writing_files": False, "thread_count": 1}
    return getattr(library("catboost"), name)(**known, **settings).fit(rows, target, eval_set=evaluated)


def classifier(target: Any, **settings: Any) -> Callable[[], Estimator]:  # arrays, settings
    return lambda: fitted(target, **settings)


def regressor(target: Any, **settings: Any) -> Callable[[], Estimator]:  # arrays, settings
    return lambda: fitted(target, "CatBoostRegressor", **settings)


class Logistic:
    """An objective of one's own."""

    def calc_ders_range(self, raw: Any, target: Any, _weights: Any) -> list[tuple[float, float]]:
        share = 1 / (1 + np.exp(-np.array(raw)))
        return list(zip(np.array(target) - share, -share * (1 - share), strict=True))


_BEST = {"learning_rate": 1.0, "use_best_model": True}
CLASSIFIERS = {
    **{
        loss: classifier(TWO, loss_function=loss)
        for loss in ("Logloss", "CrossEntropy", "Focal:focal_alpha=0.3;focal_gamma=2")
    },
    **{f"{loss} of two": classifier(TWO, loss_function=loss) for loss in ("MultiClass", "MultiClassOneVsAll")},
    **{f"{loss} of three": classifier(THREE, loss_function=loss) for loss in ("MultiClass", "MultiClassOneVsAll")},
    **{
        f"{policy} of two": classifier(TWO, grow_policy=policy, nan_mode="Max") for policy in ("Lossguide", "Depthwise")
    },
    **{f"{policy} of three": classifier(THREE, grow_policy=policy) for policy in ("Lossguide", "Depthwise")},
    **{f"missing {mode}": classifier(TWO, nan_mode=mode) for mode in ("Min", "Max")},
    "an objective of one's own": classifier(TWO, loss_function=Logistic(), eval_metric="Logloss"),
    "weights": classifier(TWO, auto_class_weights="Balanced"),
    "best model": classifier(TWO, eval_set=(ROWS[::3], 1 - TWO[::3]), **_BEST),
    "one leaf": classifier(TWO, grow_policy="Depthwise", min_data_in_leaf=1000),
    "infinities": classifier(TWO, rows=np.where(np.abs(ROWS) > 1.5, np.inf * np.sign(ROWS), ROWS)),
    "texts": classifier(np.array(["no", "yes"])[TWO]),
    "booleans": classifier(TWO == 1),
    "fractions": classifier(TWO * 1.5),
    "whole fractions": classifier(TWO * 2.0 - 7),
    "integers": classifier(TWO * 2 - 7),
}
_LOSSES = {
    **dict.fromkeys(("RMSE", "MAE", "Quantile:alpha=0.3", "LogCosh", "Huber:delta=1", "MAPE"), VALUES),
    **dict.fromkeys(("Expectile:alpha=0.3", "Lq:q=3", "LogLinQuantile", "Cox"), VALUES),
    **dict.fromkeys(("Poisson", "Tweedie:variance_power=1.5"), POSITIVE),
}
REGRESSORS = {
    **{loss: regressor(target, loss_function=loss) for loss, target in _LOSSES.items()},
    "by loss": regressor(VALUES, grow_policy="Lossguide"),
    "shrunk as it grows": regressor(VALUES, model_shrink_rate=0.2, learning_rate=0.1),
    "best model": regressor(VALUES, eval_set=(ROWS[::3], -VALUES[::3]), **_BEST),
}


@pytest.mark.parametrize("case", CLASSIFIERS)
@pytest.mark.sampled("thirds")
def test_classifiers_give_the_scores_and_labels_of_catboost(case: str) -> None:
    assert_predicts_as_its_library(CLASSIFIERS[case](), ROWS, tolerance=TOLERANCE)


@pytest.mark.parametrize("case", REGRESSORS)
def test_regressors_give_the_values_of_catboost(case: str) -> None:
    assert_predicts_as_its_library(REGRESSORS[case](), ROWS, tolerance=TOLERANCE)


@pytest.mark.parametrize("threshold", [0.0, 0.25, 0.5, 0.6, 1.0])
def test_labels_are_those_of_the_probability_threshold(threshold: float) -> None:
    model = fitted(TWO)
    model.set_probability_threshold(threshold)

    assert_predicts_as_its_library(model, ROWS, tolerance=TOLERANCE)


def test_a_threshold_says_nothing_about_three_classes() -> None:
    model = fitted(THREE)
    model.set_probability_threshold(0.25)

    assert_predicts_as_its_library(model, ROWS, tolerance=TOLERANCE)


@pytest.mark.parametrize("make", [classifier(TWO), regressor(VALUES)])
def test_scale_and_bias_are_applied(make: Callable[[], Estimator]) -> None:
    model = make()
    model.set_scale_and_bias(2.0, 0.3)

    assert_predicts_as_its_library(model, ROWS, tolerance=TOLERANCE)


@pytest.mark.parametrize("target", [TWO, THREE])
def test_a_model_that_was_cut_short_predicts_with_the_trees_that_are_left(target: Any) -> None:
    model = fitted(target)
    model.shrink(3, 1)

    assert model.tree_count_ == 2
    assert_predicts_as_its_library(model, ROWS, tolerance=TOLERANCE)


def test_a_sum_of_models_is_one_model() -> None:
    catboost = library("catboost")
    for target, name, change in (
        (TWO, "CatBoostClassifier", "to_classifier"),
        (VALUES, "CatBoostRegressor", "to_regressor"),
    ):
        members = [fitted(target, name, random_seed=seed) for seed in (1, 2)]
        model = getattr(catboost, change)(catboost.sum_models(members, weights=[0.3, 0.7]))

        assert_predicts_as_its_library(model, ROWS, tolerance=TOLERANCE)


def test_a_model_that_was_read_from_its_file_predicts_the_same(tmp_path: Path) -> None:
    fitted(POSITIVE, "CatBoostRegressor", loss_function="Poisson").save_model(str(tmp_path / "model.cbm"))
    model = library("catboost").CatBoostRegressor().load_model(str(tmp_path / "model.cbm"))

    assert_predicts_as_its_library(model, ROWS, tolerance=TOLERANCE)


def without_trees() -> Estimator:
    model = fitted(TWO)
    model.shrink(0)
    return model


_REFUSED = {
    "MultiQuantile": (regressor(VALUES, loss_function="MultiQuantile:alpha=0.3,0.6"), "fit one model with Quantile"),
    "RMSEWithUncertainty": (regressor(VALUES, loss_function="RMSEWithUncertainty"), "loss_function='RMSE'"),
    "MultiRMSE": (regressor(np.column_stack([VALUES] * 2), loss_function="MultiRMSE"), "fit one model for each"),
    "MultiLogloss": (classifier(np.column_stack([TWO] * 2), loss_function="MultiLogloss"), "fit one model for each"),
    "neither": (
        lambda: (
            library("catboost")
            .CatBoost({"loss_function": "Poisson", "iterations": 2, "verbose": 0, "allow_writing_files": False})
            .fit(ROWS, TWO)
        ),
        "load it into",
    ),
    "no trees": (without_trees, "it has no trees"),
}


@pytest.mark.parametrize("case", _REFUSED)
def test_what_has_no_scores_of_classes_or_no_value_of_a_row_is_refused_in_words(case: str) -> None:
    make, message = _REFUSED[case]

    with pytest.raises(CannotConvert, match=message):
        convert_model(make(), ROWS)


def test_embeddings_are_refused_in_words() -> None:
    import pandas as pd  # of this test alone

    rows = pd.DataFrame({"x": ROWS[:, 0], "vector": list(np.nan_to_num(ROWS))})
    model = library("catboost").CatBoostClassifier(
        iterations=2, verbose=0, allow_writing_files=False, embedding_features=["vector"]
    )
    model.fit(rows, TWO)

    with pytest.raises(CannotConvert, match=r"columns \['vector'\] \(embedding_features\)"):
        convert_model(model, rows)


def test_no_parity_row_is_at_the_lowest_number_where_trees_test_whether_one_is_missing() -> None:
    converted = convert_model(fitted(VALUES, "CatBoostRegressor", loss_function="MAE"), ROWS)

    assert converted.parity is not None
    thresholds = [row for row in converted.parity.rows if not {"Infinity", "-Infinity"} & set(row)]
    assert np.nanmax(np.abs(np.array(thresholds, np.float64))) < 1e30
    assert len(converted.parity.rows) - len(thresholds) == ROWS.shape[1]


def test_a_border_that_catboost_cannot_write_is_refused_with_what_to_do() -> None:
    rows = np.where(np.abs(ROWS) > 1, np.inf * np.sign(ROWS), np.nan_to_num(ROWS))
    model = fitted((rows[:, 0] == -np.inf).astype(int), rows=rows)

    with pytest.raises(CannotConvert, match=r"splits between an infinity and all other numbers; .*X\.clip"):
        convert_model(model, rows)
