"""The loop for one row returns what its steps return one after the other."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.models import fitted
from tree_explainers.prototype_sets.leaf_boxes import leaf_boxes
from tree_explainers.prototype_sets.near_reasons import near_reasons
from tree_explainers.prototype_sets.nearest import PrototypeIndex
from tree_explainers.prototype_sets.reasons import Reasons
from tree_explainers.prototype_sets.row_coverage import MinimumProximity

_PROTOTYPES = np.arange(0, 140, 9)


@pytest.mark.parametrize("name", ["random_forest_binary", "lightgbm_multiclass"])
@pytest.mark.parametrize("highest_weight", [1, 5])
def test_it_finds_what_its_steps_find(name: str, highest_weight: int) -> None:
    model = fitted(name)
    leaves = model.session.run_in_chunks(model.rows).leaves
    # Of weights from 0 some trees count nothing.
    lowest_weight = 1 if highest_weight == 1 else 0
    weights: NDArray[np.int64] = np.random.default_rng(0).integers(lowest_weight, highest_weight + 1, leaves.shape[1])
    index = PrototypeIndex.build(leaves[_PROTOTYPES], weights, np.zeros(len(_PROTOTYPES), np.int64))
    features = np.arange(len(model.read.description.columns), dtype=np.int32)
    reasons = Reasons.build(leaf_boxes(model.read.ensemble, leaves[_PROTOTYPES], features))
    proximities = index.proximities(leaves)
    minima = (MinimumProximity.of(weights), MinimumProximity(int(np.median(proximities.max(axis=1))), 3))
    n_left_out = 0
    for row in range(0, len(leaves), 5):
        for minimum in minima:
            for n_prototypes in (1, 3, 100):
                found = near_reasons(index, reasons, minimum, (leaves[row], proximities[row]), n_prototypes)

                nearest = index.nearest(proximities[row], n_prototypes)
                shared = index.shared_trees(leaves[row], nearest)
                places = np.flatnonzero(minimum.is_reached(proximities[row][nearest], shared.sum(axis=1)))
                expected = reasons.of(nearest[places], shared[places])
                expected["pair"] = places[expected["pair"]]
                assert found.nearest.tolist() == nearest.tolist()
                assert found.n_shared.tolist() == shared.sum(axis=1).tolist()
                assert found.reasons.tolist() == expected.tolist()
                n_left_out += len(nearest) - len(places)
    assert n_left_out > 0
