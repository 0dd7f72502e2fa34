"""Predictions that one loop makes of sums, beside the steps of numpy that it stands for."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.models import fitted
from tree_explainers.onnx_models.description import Scoring
from tree_explainers.onnx_models.score_sums import link_sums, scores_of_linked
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.onnx_models.sure_predictions import SurePredictions

MODELS = ("random_forest_binary", "extra_trees_regression", "gradient_boosting_multiclass", "xgboost_binary")


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("scale", [0.1, 1.0, 100.0])
def test_sure_predictions_are_those_of_the_steps(name: str, scale: float) -> None:
    description = fitted(name).read.description
    session, sure, scoring = ModelSession(fitted(name).read.leaf_graph, description), *_rules(name)
    dtype = np.float32 if scoring.sums == "single" else np.float64
    n_outputs = 1 if len(description.classes) <= 2 else len(description.classes)
    sums = (np.random.default_rng(0).normal(size=(300, n_outputs)) * scale).astype(dtype)
    link_sums(sums, scoring)

    n_sure = 0
    for row in sums:
        of_loop = sure.of_sums(row[None])
        scores, labels = session._checked(scores_of_linked(row[None].copy(), scoring), [], 1)
        if of_loop is not None:
            n_sure += 1
            assert of_loop[0].dtype == scores.dtype
            np.testing.assert_array_equal(of_loop[0], scores)
            np.testing.assert_array_equal(of_loop[1], labels)
    assert n_sure > 0 or (scale > 1 and description.score_kind == "probability" and scoring.link is None)
    assert sure.of_sums(sums[:0]) is not None


def test_what_is_not_sure_is_left_to_the_steps() -> None:
    sure, scoring = _rules("xgboost_binary")
    assert scoring.link == "logistic"

    assert sure.of_sums(np.array([[0.4], [0.6]], np.float32)) is not None
    assert sure.of_sums(np.array([[0.4], [0.5]], np.float32)) is None, "a tie"
    assert sure.of_sums(np.array([[1.5]], np.float32)) is None, "no probability"
    for value in (np.nan, np.inf, -np.inf):
        assert sure.of_sums(np.array([[value]], np.float32)) is None
    assert sure.of_sums(np.zeros((1, 3), np.float32)) is None, "scores of another number of classes"


def test_models_without_sums_or_with_one_class_have_none() -> None:
    description = fitted("random_forest_binary").read.description
    assert SurePredictions.of(replace(description, scoring=None)) is None
    assert SurePredictions.of(replace(description, classes=("only",))) is None


def _rules(name: str) -> tuple[SurePredictions, Scoring]:
    description = fitted(name).read.description
    sure, scoring = SurePredictions.of(description), description.scoring
    assert sure is not None
    assert scoring is not None
    return sure, scoring
