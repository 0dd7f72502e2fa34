"""The nearest prototypes and their reasons in one loop, against the same steps one after the other."""

import numpy as np
import pytest

from tests.support.models import fitted
from tree_explainers.prototype_sets.leaf_boxes import leaf_boxes
from tree_explainers.prototype_sets.near_reasons import near_reasons
from tree_explainers.prototype_sets.nearest import PrototypeIndex
from tree_explainers.prototype_sets.reasons import Reasons
from tree_explainers.prototype_sets.row_coverage import MinimumProximity

MODELS = ("random_forest_binary", "gradient_boosting_multiclass", "lightgbm_multiclass")
PROTOTYPES = np.array([3, 40, 77, 120, 3, 5])  # the first one twice: equally near


@pytest.mark.parametrize("n_prototypes", [1, 3, 100])
@pytest.mark.parametrize("name", MODELS)
def test_nearest_prototypes_come_by_proximity_then_order_and_with_their_reasons(name: str, n_prototypes: int) -> None:
    model = fitted(name)
    leaves = model.session.run_in_chunks(model.rows).leaves[:150]
    weights = np.arange(leaves.shape[1], dtype=np.int64) % 5  # some trees count nothing
    index = PrototypeIndex.build(leaves[PROTOTYPES], weights, np.zeros(len(PROTOTYPES), np.int64))
    features = np.arange(len(model.read.description.columns), dtype=np.int32)
    reasons = Reasons.build(leaf_boxes(model.read.ensemble, leaves[PROTOTYPES], features))
    minimum = MinimumProximity(weight=int(weights.sum()) // 3, n_trees=2)
    n_near = n_without_reasons = 0
    for row, proximities in enumerate(index.proximities(leaves)):
        expected = sorted((-proximity, place) for place, proximity in enumerate(proximities.tolist()) if proximity > 0)
        nearest = np.array([place for _, place in expected[:n_prototypes]], dtype=np.int64)
        shared = (leaves[PROTOTYPES[nearest]] == leaves[row]) & (weights > 0)
        n_shared = shared.sum(axis=1)
        places = np.flatnonzero((proximities[nearest] >= minimum.weight) & (n_shared >= minimum.n_trees))
        wanted = reasons.of(nearest[places], shared[places], index.weights)
        wanted["pair"] = places[wanted["pair"]]

        found = near_reasons(index, reasons, minimum, (leaves[row], proximities), n_prototypes)

        assert found.nearest.tolist() == nearest.tolist()
        assert found.n_shared.tolist() == n_shared.tolist()
        assert found.reasons.tolist() == wanted.tolist()
        n_near, n_without_reasons = n_near + len(nearest), n_without_reasons + len(nearest) - len(places)
    assert 0 < n_without_reasons < n_near


def test_a_row_that_shares_no_leaf_has_no_nearest_prototype() -> None:
    model = fitted("random_forest_binary")
    leaves = model.session.run_in_chunks(model.rows).leaves[:3]
    weights = np.ones(leaves.shape[1], dtype=np.int64)
    index = PrototypeIndex.build(leaves, weights, np.zeros(3, np.int64))
    features = np.arange(len(model.read.description.columns), dtype=np.int32)
    reasons = Reasons.build(leaf_boxes(model.read.ensemble, leaves, features))
    stranger = np.full(leaves.shape[1], 1_000_000, dtype=np.int32)
    proximities = index.proximities(stranger[None])[0]

    found = near_reasons(index, reasons, MinimumProximity.of(weights), (stranger, proximities), 3)

    assert (len(found.nearest), len(found.n_shared), len(found.reasons)) == (0, 0, 0)
