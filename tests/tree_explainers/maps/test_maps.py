"""Maps: the same bits twice, near rows side by side, and figures that are those of the twins."""

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.manifold import trustworthiness

from tests.support import naive, naive_maps
from tests.support.real_leaves import KINDS, real_leaves
from tree_explainers.errors import InvalidInput
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind
from tree_explainers.maps.embedding import embed, landmark_places, sample_rows
from tree_explainers.maps.placing import place_rows
from tree_explainers.maps.trustworthiness import evaluate_map, nearest_on_map

_N_ROWS = 120


def _table(leaves: NDArray[np.int32]) -> LeafTable:
    return LeafTable.from_leaves(leaves, leaves.max(axis=0) + 1)


def test_the_same_rows_and_seed_give_the_same_bits_and_near_rows_lie_side_by_side() -> None:
    real = real_leaves("breast_cancer", "random_forest")
    table, reported = _table(real.leaves[:_N_ROWS]), list[float]()

    first = embed(table, real.weights, 15, 3, lambda fraction, stage: reported.append(fraction))  # noqa: ARG005
    again, other = embed(table, real.weights, 15, 3), embed(table, real.weights, 15, 4)

    assert first.tobytes() == again.tobytes() != other.tobytes()
    assert first.mean(axis=0) == pytest.approx([0, 0], abs=1e-9)
    assert reported == sorted(reported)
    assert reported[-1] == pytest.approx(1)
    found = evaluate_map(table, real.weights, first, np.random.default_rng(0))
    by_chance = evaluate_map(
        table, real.weights, np.random.default_rng(0).normal(size=first.shape), np.random.default_rng(0)
    )
    assert found.trustworthiness > 0.9 > by_chance.trustworthiness
    assert (found.neighbors_kept or 0) > 2 * (by_chance.neighbors_kept or 1)


def test_a_map_can_be_stopped_and_needs_enough_rows() -> None:
    real = real_leaves("breast_cancer", "random_forest")

    def stop(fraction: float, stage: str) -> None:  # as listeners are called
        if fraction > 0.3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        embed(_table(real.leaves[:40]), real.weights, 9, 0, stop)
    with pytest.raises(InvalidInput, match="more than 9 rows"):
        embed(_table(real.leaves[:9]), real.weights, 9, 0)


def test_rows_that_are_all_alike_have_a_map_too() -> None:
    table = LeafTable.from_leaves(np.zeros((12, 3), np.int32), np.array([2, 2, 2]))

    places = embed(table, np.ones(3, np.int64), 5, 0)

    assert np.isfinite(places).all()
    assert landmark_places(table, np.ones(3, np.int64), np.random.default_rng(0)).tolist() == [[0, 0]] * 12
    assert evaluate_map(table, np.ones(3, np.int64), places, np.random.default_rng(0)).trustworthiness == 1


def test_what_chance_scores_is_that_of_any_layout_without_data() -> None:
    rng = np.random.default_rng(0)
    leaves = np.column_stack([rng.permutation(200) // 2 for _ in range(20)]).astype(np.int32)  # most pairs share none
    table, weights = _table(leaves), np.ones(20, np.int64)

    found = evaluate_map(table, weights, embed(table, weights, 15, 0), rng)
    without_data = evaluate_map(table, weights, rng.normal(size=(200, 2)), rng)

    assert found.trustworthiness_by_chance == pytest.approx(without_data.trustworthiness, abs=0.02)
    assert found.trustworthiness_by_chance > 0.8  # though no place means anything
    assert (found.neighbors_kept or 0) > 2 * (found.neighbors_kept_by_chance or 1)


@pytest.mark.parametrize("kind", KINDS)
def test_figures_of_a_map_are_those_of_the_twins(kind: ProximityKind) -> None:
    real = real_leaves("spambase", kind)
    leaves = real.leaves[:60]
    proximity = naive.proximity_matrix(leaves, real.weights)
    for seed in range(3):
        places = np.random.default_rng(seed).normal(size=(60, 2))
        rng = np.random.default_rng(0)
        found = evaluate_map(_table(leaves), real.weights, places, np.random.default_rng(0))
        rng.choice(60, 60, replace=False)  # draws the rows that are evaluated, here all
        shuffled = rng.permutation(places)
        assert found.n_rows == 60
        assert found.neighbors_kept == pytest.approx(naive_maps.neighbors_kept(proximity, places, 10))
        assert found.trustworthiness == pytest.approx(naive_maps.trustworthiness(proximity, places, 10))
        assert found.neighbors_kept_by_chance == pytest.approx(naive_maps.neighbors_kept(proximity, shuffled, 10))
        assert found.trustworthiness_by_chance == pytest.approx(naive_maps.trustworthiness(proximity, shuffled, 10))


def test_trustworthiness_without_ties_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    leaves = rng.integers(0, 2, size=(50, 30)).astype(np.int32)
    weights = 2 ** np.arange(30, dtype=np.int64)  # no two sums are equal
    distances = 1 - naive.proximity_matrix(leaves, weights) / weights.sum()
    places = rng.normal(size=(50, 2))

    found = evaluate_map(_table(leaves), weights, places, rng)

    assert found.trustworthiness == pytest.approx(
        trustworthiness(distances, places, n_neighbors=10, metric="precomputed")
    )


def test_rows_in_one_place_are_each_others_nearest_and_never_their_own() -> None:
    places = np.array([[0.0, 0]] * 4 + [[1.0, 1]])

    found = nearest_on_map(places, np.arange(5), 3)

    assert all(row not in nearest for row, nearest in enumerate(found.tolist()))
    assert all(len(set(nearest)) == 3 for nearest in found.tolist())
    assert set(found[0].tolist()) == {1, 2, 3}


def test_scaling_by_all_rows_as_landmarks_is_classical_scaling() -> None:
    real = real_leaves("breast_cancer", "random_forest")
    leaves = real.leaves[:50]
    expected = naive_maps.classical_scaling(1 - naive.proximity_matrix(leaves, real.weights) / real.weights.sum())

    found = landmark_places(_table(leaves), real.weights, np.random.default_rng(0), 50)

    for axis in (0, 1):
        sign = np.sign(found[:, axis] @ expected[:, axis])
        assert found[:, axis] == pytest.approx(sign * expected[:, axis], abs=1e-8)
        assert found[np.abs(found[:, axis]).argmax(), axis] > 0


def test_new_rows_stand_at_the_weighted_mean_of_their_nearest() -> None:
    real = real_leaves("spambase", "boosting")
    known, new = real.leaves[:200], real.leaves[200:280]
    places = np.random.default_rng(0).normal(size=(200, 2))

    found, nearest = place_rows(new, known, real.weights, places)

    together = naive.proximity_matrix(np.vstack([new, known]), real.weights)[:80, 80:]
    for row in range(80):
        assert tuple(found[row]) == pytest.approx(naive_maps.place(together[row], places))
        assert nearest[row] == together[row].max() / real.weights.sum()


def test_a_row_that_is_like_none_has_no_place() -> None:
    found, nearest = place_rows(
        np.array([[1, 1]], np.int32), np.zeros((3, 2), np.int32), np.ones(2, np.int64), np.zeros((3, 2))
    )

    assert np.isnan(found).all()
    assert nearest.tolist() == [0]


def test_some_rows_are_always_in_the_sample_and_others_are_drawn() -> None:
    always = np.array([7, 3, 7])

    found = sample_rows(1000, 50, always, np.random.default_rng(0))

    assert len(found) == len(set(found.tolist())) == 50
    assert {3, 7} <= set(found.tolist())
    assert found.tolist() == sorted(found.tolist())
    assert sample_rows(1000, 50, always, np.random.default_rng(0)).tolist() == found.tolist()
    assert sample_rows(30, 50, always, np.random.default_rng(0)).tolist() == list(range(30))
    assert sample_rows(30, 1, always, np.random.default_rng(0)).tolist() == [3, 7]
