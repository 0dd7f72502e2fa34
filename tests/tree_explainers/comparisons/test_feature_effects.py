"""Effects on many rows: they add up to each row's score less the mean of the reference rows, by the caller's names."""

import numpy as np
import pytest

from tests.support.models import fitted
from tree_explainers.comparisons.feature_effects import feature_effects


@pytest.mark.parametrize("name", ["random_forest_multiclass", "lightgbm_binary", "random_forest_regression"])
def test_effects_add_up_by_the_callers_names(name: str) -> None:
    model = fitted(name)
    read = model.read
    rows, references = model.rows.take(slice(0, 30)), model.rows.take(slice(30, 40))
    n_scores = max(1, len(read.description.classes))
    scores = np.arange(30) % n_scores
    names = [f"column {index}" for index in range(len(rows.names))]

    effects = feature_effects((read.description, read.ensemble, read.for_walker), rows, references, scores, names)

    assert effects.names == tuple(names)
    assert effects.effects.shape == (30, len(names))
    assert (effects.of("no such column") == 0).all()
    assert (effects.of("column 1") == effects.effects[:, 1]).all()
    if effects.scale != "log_odds":
        predicted = model.library_scores()
        differences = predicted[np.arange(30), scores] - predicted[30:40][:, scores].mean(axis=0)
        assert effects.effects.sum(axis=1) == pytest.approx(differences, abs=1e-5)
