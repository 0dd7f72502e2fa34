"""Registered models as oracles, against what their libraries predict."""

import numpy as np
import pytest

from tests.support.models import fitted
from tests.support.pipelines import fitted_pipeline
from tree_explainers.approximation_trees.oracle import SessionOracle

PROBABILITIES = ("random_forest_multiclass", "gradient_boosting_binary", "xgboost_multiclass", "lightgbm_binary")
VALUES = ("random_forest_regression", "xgboost_regression", "catboost_regression")
PREPROCESSED = ("scaled_and_one_hot", "ordinal_categories", "missing_kept", "imputed_categories")


@pytest.mark.parametrize("name", PROBABILITIES)
def test_a_classifier_predicts_the_shares_of_its_classes(name: str) -> None:
    model = fitted(name)

    answers = SessionOracle(model.session).predict(model.rows)

    np.testing.assert_allclose(answers, model.library_scores(), atol=2e-6)
    np.testing.assert_allclose(answers.sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("name", VALUES)
def test_a_regression_predicts_its_value(name: str) -> None:
    model = fitted(name)

    answers = SessionOracle(model.session).predict(model.rows)

    np.testing.assert_allclose(answers, model.library_scores(), rtol=2e-6)


@pytest.mark.parametrize("name", PREPROCESSED)
def test_a_model_behind_preprocessing_predicts_raw_rows(name: str) -> None:
    model = fitted_pipeline(name)

    answers = SessionOracle(model.session).predict(model.rows)

    np.testing.assert_allclose(answers, model.library_scores(), atol=2e-6)


@pytest.mark.parametrize("name", ["ada_boost_binary", "ada_boost_multiclass", "catboost_multiclass"])
def test_the_largest_share_is_that_of_the_predicted_class(name: str) -> None:
    model = fitted(name)

    answers = SessionOracle(model.session).predict(model.rows)

    classes = np.array(model.session.description.classes)
    assert (classes[answers.argmax(axis=1)] == model.library_labels()).mean() > 0.99  # ties are broken by rounding
    np.testing.assert_allclose(answers.sum(axis=1), 1, atol=1e-12)
