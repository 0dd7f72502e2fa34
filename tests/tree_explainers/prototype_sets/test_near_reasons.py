"""The nearest prototypes and their reasons in one loop, against the same steps one after the other."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.models import FittedModel, fitted
from tree_explainers.prototype_sets import ranked_boxes
from tree_explainers.prototype_sets.leaf_boxes import LeafBoxes, leaf_boxes
from tree_explainers.prototype_sets.near_reasons import NearPrototypes
from tree_explainers.prototype_sets.nearest import PrototypeIndex
from tree_explainers.prototype_sets.raw_units import Wanted
from tree_explainers.prototype_sets.reasons import Reasons
from tree_explainers.prototype_sets.row_coverage import MinimumProximity

MODELS = ("random_forest_binary", "gradient_boosting_multiclass", "lightgbm_multiclass")
PROTOTYPES = np.array([3, 40, 77, 120, 3, 5])  # the first one twice: equally near
N_ROWS = 150
ALL = Wanted(np.ones(100, np.bool_), 100)


def _near(model: FittedModel, leaves: NDArray[np.int32], weights: NDArray[np.int64]) -> NearPrototypes:
    prototypes = leaves[PROTOTYPES]
    features = np.arange(len(model.read.description.columns), dtype=np.int32)
    minimum = MinimumProximity(weight=int(weights.sum()) // 3, n_trees=2)
    index = PrototypeIndex.build(prototypes, weights, np.zeros(len(prototypes), np.int64))
    return NearPrototypes.of(index, Reasons.build(leaf_boxes(model.read.ensemble, prototypes, features)), minimum)


def _weights(n_trees: int, *, are_equal: bool) -> NDArray[np.int64]:
    """Return weights of trees, some of which count nothing; the others are one or several."""
    weights = np.arange(n_trees, dtype=np.int64) % 5
    return 3 * np.minimum(weights, 1) if are_equal else weights


@pytest.mark.parametrize("are_equal", [False, True])
@pytest.mark.parametrize("n_prototypes", [1, 3, 100])
@pytest.mark.parametrize("name", MODELS)
def test_nearest_prototypes_come_by_proximity_then_order_and_with_their_reasons(
    name: str, n_prototypes: int, are_equal: bool
) -> None:
    model = fitted(name)
    leaves = model.session.run_in_chunks(model.rows).leaves[:N_ROWS]
    weights = _weights(leaves.shape[1], are_equal=are_equal)
    prototypes = _near(model, leaves, weights)
    assert prototypes.ranked.is_ranked.all()
    found = prototypes.to_rows(leaves, prototypes.index.proximities(leaves), n_prototypes, ALL)

    n_near = n_without_reasons = 0
    for row, proximities in enumerate(prototypes.index.proximities(leaves)):
        pairs = range(*found.bounds[row : row + 2].tolist())
        expected = sorted((-proximity, place) for place, proximity in enumerate(proximities.tolist()) if proximity > 0)
        nearest = np.array([place for _, place in expected[:n_prototypes]], dtype=np.int64)
        shared = (leaves[PROTOTYPES[nearest]] == leaves[row]) & (weights > 0)
        n_shared = shared.sum(axis=1)
        minimum = prototypes.minimum
        places = np.flatnonzero((proximities[nearest] >= minimum.weight) & (n_shared >= minimum.n_trees))
        wanted = prototypes.reasons.of(nearest[places], shared[places], prototypes.index.weights)
        wanted["pair"] = places[wanted["pair"]]

        assert found.nearest[pairs].tolist() == nearest.tolist()
        assert found.n_shared[pairs].tolist() == n_shared.tolist()
        assert found.of_pairs(pairs).tobytes() == wanted.tobytes()
        n_near, n_without_reasons = n_near + len(nearest), n_without_reasons + len(nearest) - len(places)
    assert 0 < n_without_reasons < n_near


@pytest.mark.parametrize("are_equal", [False, True])
@pytest.mark.parametrize("n_wanted", [0, 1, 2])
@pytest.mark.parametrize("name", MODELS)
def test_only_what_shared_trees_test_most_is_intersected(name: str, n_wanted: int, are_equal: bool) -> None:
    model = fitted(name)
    leaves = model.session.run_in_chunks(model.rows).leaves[:N_ROWS]
    prototypes = _near(model, leaves, _weights(leaves.shape[1], are_equal=are_equal))
    assert bool(prototypes.ranked.units[0]) is are_equal
    proximities = prototypes.index.proximities(leaves)
    is_shown = np.arange(100) != 1  # a column whose feature is not shown
    found = prototypes.to_rows(leaves, proximities, 3, Wanted(is_shown, n_wanted))
    every = prototypes.to_rows(leaves, proximities, 3, ALL)

    expected = []
    for pair in range(len(every.nearest)):
        of_pair = every.of_pairs([pair])
        of_pair["pair"] = pair
        shown = of_pair[is_shown[of_pair["column"]]]
        features = dict.fromkeys(shown["feature"][np.argsort(-shown["share_of_trees"], kind="stable")].tolist())
        expected.append(shown[np.isin(shown["feature"], list(features)[:n_wanted])])
    assert found.reasons.tobytes() == np.concatenate(expected).tobytes()
    assert found.nearest.tolist() == every.nearest.tolist()


@pytest.mark.parametrize("name", MODELS)
def test_ends_that_are_not_ranked_give_the_same_reasons(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = fitted(name)
    leaves = model.session.run_in_chunks(model.rows).leaves[:N_ROWS]
    ranked = _near(model, leaves, np.ones(leaves.shape[1], np.int64))
    proximities = ranked.index.proximities(leaves)
    by_ranks = ranked.to_rows(leaves, proximities, 3, ALL)

    boxes = ranked.reasons.boxes
    entries = boxes.entries.copy()
    some = slice(boxes.starts[1], boxes.starts[2])
    entries["low"][some] = np.where(np.arange(boxes.starts[2] - boxes.starts[1]) % 2, -0.0, 0.0)
    entries["high"][some] = np.inf
    odd = Reasons(LeafBoxes(boxes.starts, entries, boxes.sets), ranked.reasons.room, ranked.reasons.opens)
    some_ranked = NearPrototypes.of(ranked.index, odd, ranked.minimum)
    monkeypatch.setattr(ranked_boxes, "_MOST_ENTRIES", 10)
    none_ranked = NearPrototypes.of(ranked.index, ranked.reasons, ranked.minimum)
    none_of_odd_ranked = NearPrototypes.of(ranked.index, odd, ranked.minimum)

    assert some_ranked.ranked.is_ranked.tolist() == [True, False, True, True, True, True]
    assert not none_ranked.ranked.is_ranked.any()
    for near, other in (
        (by_ranks, none_ranked),
        (some_ranked.to_rows(leaves, proximities, 3, ALL), none_of_odd_ranked),
    ):
        assert near.reasons.tobytes() == other.to_rows(leaves, proximities, 3, ALL).reasons.tobytes()
        assert len(near.reasons) > 100


def test_a_row_that_shares_no_leaf_has_no_nearest_prototype() -> None:
    model = fitted("random_forest_binary")
    leaves = model.session.run_in_chunks(model.rows).leaves[:N_ROWS]
    prototypes = _near(model, leaves, np.ones(leaves.shape[1], dtype=np.int64))
    rows = np.stack([leaves[0], np.full(leaves.shape[1], 1_000_000, dtype=np.int32), leaves[1]])

    found = prototypes.to_rows(rows, prototypes.index.proximities(rows), 3, ALL)

    assert np.diff(found.bounds).tolist() == [3, 0, 3]
    assert len(found.of_pairs([])) == 0
