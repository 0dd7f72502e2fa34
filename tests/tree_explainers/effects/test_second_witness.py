"""Effects are those of shap's interventional explainer, where that is there and its own sums are right."""

import numpy as np
import pytest

from tests.support.models import fitted
from tree_explainers.effects.ensemble_effects import EnsembleEffects
from tree_explainers.onnx_models.tree_inputs import TreeInputs

MODELS = ("random_forest_binary", "extra_trees_regression", "lightgbm_binary", "lightgbm_regression")


@pytest.mark.parametrize("name", MODELS)
def test_shap_finds_the_same_effects(name: str) -> None:
    shap = pytest.importorskip("shap")
    model = fitted(name)
    read = model.read
    effects = EnsembleEffects.of(read.description, read.for_walker.as_read(read.ensemble))
    rows = model.rows.take(slice(0, 30))
    ranks = effects.ranks(TreeInputs(read.description, read.ensemble, read.for_walker).columns(rows))
    score = len(effects.scores.signs) - 1
    raw = effects.raw_scores(ranks)[:, score]
    witness = shap.TreeExplainer(model.estimator, data=model.features[:1], feature_perturbation="interventional")
    values = np.asarray(witness.shap_values(model.features[1:30].astype(np.float64), check_additivity=False))
    values = values[..., 1] if values.ndim == 3 else values
    scale = np.abs(raw).max()
    is_right = np.abs(values.sum(axis=1) - (raw[1:] - raw[0])) < 1e-6 * scale

    found = effects.mean_effects(ranks[1:], ranks[:1], score)

    assert is_right.mean() > 0.9
    np.testing.assert_allclose(found[is_right], values[is_right], rtol=0, atol=1e-6 * scale)
