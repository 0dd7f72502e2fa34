"""Models without trees: they predict what their library does, and only what is quick, small and per row is taken."""

from typing import Any

import numpy as np
import pytest
from onnx import helper

from tests.support.oracle_models import ORACLES, fitted_oracle, hostile_oracles, layers, with_constants
from tests.support.pipelines import PIPELINES, fitted_pipeline
from tree_explainers.approximation_trees.controls import ControlSettings, grow_born_again, grow_cart
from tree_explainers.approximation_trees.fidelity import ModelPredictions, measure_fidelity
from tree_explainers.approximation_trees.oracle import SessionOracle, oracle_scores
from tree_explainers.approximation_trees.sta import StaSettings, grow_sta
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.errors import ModelRefused
from tree_explainers.onnx_models.derivation import derive_model
from tree_explainers.onnx_models.description import DeclaredModel, ModelDescription, ModelLimits
from tree_explainers.onnx_models.session import Predictions
from tree_explainers.prediction_scores import Targets
from tree_explainers.rows import Rows

_ORACLE = DeclaredModel(oracle_only=True)
_HOSTILE = hostile_oracles()


@pytest.mark.parametrize("name", ORACLES)
def test_an_oracle_predicts_what_its_library_predicts(name: str) -> None:
    model = fitted_oracle(name)
    derived = derive_model(model.onnx, _ORACLE, ModelLimits())
    description = derived.read.description

    outcome = derived.session.run_in_chunks(_rows(description, model.features))
    predictions = derived.session.predict(_rows(description, model.features))

    assert outcome.leaves.shape == (len(model.features), 0)
    np.testing.assert_array_equal(outcome.scores, predictions.scores)
    if description.task == "regression":
        np.testing.assert_allclose(outcome.scores[:, 0], model.estimator.predict(model.features), rtol=1e-4, atol=1e-3)
    else:
        assert predictions.labels is not None
        labels = np.array(description.label_values)[predictions.labels]
        np.testing.assert_array_equal(labels, model.estimator.predict(model.features))
        has_probabilities = hasattr(model.estimator, "predict_proba")
        assert description.score_kind == ("probability" if has_probabilities else "raw")
        if has_probabilities:
            np.testing.assert_allclose(outcome.scores, model.estimator.predict_proba(model.features), atol=1e-5)
    assert description.oracle_only
    assert 0 < (description.seconds_per_1000_rows or 0) < 1
    assert derived.read.ensemble.n_trees == description.n_trees == 0
    assert ModelDescription.from_json(description.to_json()) == description


@pytest.mark.parametrize("name", _HOSTILE)
def test_what_is_no_safe_oracle_is_refused_with_its_code(name: str) -> None:
    data, code = _HOSTILE[name]

    with pytest.raises(ModelRefused) as refused:
        derive_model(data, _ORACLE, ModelLimits())

    assert refused.value.code == code, refused.value.detail


def test_a_model_slower_than_the_limit_is_refused() -> None:
    slow = bytes(layers(3, 400).SerializeToString())
    quick = bytes(layers(1, 4).SerializeToString())
    limits = ModelLimits(max_oracle_milliseconds=2)

    with pytest.raises(ModelRefused, match=r"of processor time; an oracle may take 0\.002 s") as refused:
        derive_model(slow, _ORACLE, limits)

    assert refused.value.code == "model_too_slow"
    assert derive_model(quick, _ORACLE, ModelLimits()).read.description.seconds_per_1000_rows is not None
    assert derive_model(slow, _ORACLE, ModelLimits(max_oracle_milliseconds=60_000)).read.description.oracle_only


def test_without_the_flag_such_models_are_refused_as_before_and_the_flag_is_named() -> None:
    with pytest.raises(ModelRefused, match="`oracle_only`") as network:
        derive_model(fitted_oracle("network").onnx, DeclaredModel(), ModelLimits())
    with pytest.raises(ModelRefused) as vectors:
        derive_model(fitted_oracle("vectors").onnx, DeclaredModel(), ModelLimits())

    assert (network.value.code, vectors.value.code) == ("model_not_a_tree_ensemble", "model_op_not_allowed")


def test_facts_about_trees_are_refused_of_an_oracle() -> None:
    with pytest.raises(ModelRefused, match="leave them out"):
        derive_model(fitted_oracle("network").onnx, DeclaredModel(oracle_only=True, ensemble="other"), ModelLimits())


@pytest.mark.parametrize("name", PIPELINES)
@pytest.mark.sampled("thirds")
def test_models_of_trees_can_be_oracles_too_whatever_stands_before_them(name: str) -> None:
    pipeline = fitted_pipeline(name)
    declared = DeclaredModel(feature_names=pipeline.rows.names, oracle_only=True)

    as_oracle = derive_model(pipeline.onnx, declared, ModelLimits()).session.predict(pipeline.rows)

    np.testing.assert_array_equal(as_oracle.scores, pipeline.session.predict(pipeline.rows).scores)


@pytest.mark.parametrize("scores", ["both", "one"])
def test_scores_that_are_no_probabilities_are_not_taken_for_some(scores: str) -> None:
    weights = np.array([[0.2], [0.1], [0.1]], np.float32)
    weights = np.hstack((-weights, weights)) if scores == "both" else weights
    model = with_constants([helper.make_node("MatMul", ["X", "w"], ["Y"])], {"w": weights})
    declared = DeclaredModel(classes=("no", "yes"), oracle_only=True)

    description = derive_model(bytes(model.SerializeToString()), declared, ModelLimits()).read.description

    assert description.score_kind == "raw"


@pytest.mark.parametrize("name", ["network_of_3_classes", "vectors", "network_of_values"])
@pytest.mark.sampled("thirds")
def test_every_method_that_asks_an_oracle_approximates_a_model_without_trees(name: str) -> None:
    model = fitted_oracle(name)
    derived = derive_model(model.onnx, _ORACLE, ModelLimits())
    rows, oracle = _rows(derived.read.description, model.features), SessionOracle(derived.session)
    predictions = derived.session.predict(rows)
    scores = oracle_scores(predictions, derived.read.description)
    answers = ModelPredictions(scores, _targets(predictions))
    limits, rng = TreeLimits(4), np.random.default_rng(0)
    trees = {
        "sta": grow_sta(rows, oracle, StaSettings(limits, max_pseudo_samples=2_000), rng),
        "cart": grow_cart(rows, oracle, ControlSettings(limits, 2_000), rng),
        "born_again": grow_born_again(rows, oracle, ControlSettings(limits, 2_000), rng),
    }

    for method, tree in trees.items():
        found = measure_fidelity(tree, rows, answers)
        assert found.fidelity is not None, method
        assert found.fidelity > 0.6, method
        assert found.constant.fidelity is not None
        assert found.fidelity > found.constant.fidelity + 0.05, method
        assert all(node.facts.is_settled is None for node in tree.nodes), method


def _targets(predictions: Predictions) -> Targets:
    if predictions.labels is None:
        return Targets.of_values(predictions.scores[:, 0].astype(np.float64))
    return Targets.of_classes(predictions.labels, predictions.scores.shape[1])


def _rows(description: ModelDescription, features: Any) -> Rows:  # an array
    return Rows(description.feature_names, tuple(features.astype(np.float64).T))
