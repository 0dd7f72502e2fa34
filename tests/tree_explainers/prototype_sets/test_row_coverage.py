"""How many rows are near a prototype, and how many prototypes that takes, or predict other rows well enough."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive, naive_prototype_numbers
from tests.support.real_leaves import KINDS, real_leaves
from tree_explainers.errors import InvalidInput, MethodNotApplicable
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind
from tree_explainers.prototype_sets.classifier import UNASSIGNED
from tree_explainers.prototype_sets.row_coverage import MinimumProximity, near_rows
from tree_explainers.prototype_sets.selection import Method, select_prototypes
from tree_explainers.prototype_sets.validation import Score, score_labels, score_numbers, validate_number


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_near_that_share_enough_weight_in_enough_trees(kind: ProximityKind) -> None:
    real = real_leaves("spambase", kind)
    prototypes = [3, 50, 7]

    near = near_rows(real.table, real.weights, real.leaves[prototypes])

    expected = naive_prototype_numbers.near_rows(real.leaves, real.weights, prototypes)
    assert near.tolist() == expected
    assert 0 < near.sum() < len(near)


def _few_trees(n_trees: int) -> tuple[LeafTable, NDArray[np.int32]]:
    leaves = np.random.default_rng(0).integers(0, 3, (50, n_trees)).astype(np.int32)
    return LeafTable.from_leaves(leaves, np.full(n_trees, 3)), leaves


@pytest.mark.parametrize(
    ("weights", "minimum"),
    [
        ([1], MinimumProximity(1, 1)),
        ([1, 0, 0], MinimumProximity(1, 2)),  # of three trees one is left: no row can share two
        ([1, 1, 1], MinimumProximity(1, 2)),
        ([1_000_000, 1, 0], MinimumProximity(10_001, 2)),
        ([1] * 300, MinimumProximity(3, 2)),
        ([1] * 301, MinimumProximity(4, 2)),
    ],
)
def test_the_minimum_is_one_per_cent_and_two_trees_that_count(weights: list[int], minimum: MinimumProximity) -> None:
    table, leaves = _few_trees(len(weights))
    counted = np.array(weights, dtype=np.int64)

    assert MinimumProximity.of(counted) == minimum
    expected = naive_prototype_numbers.near_rows(leaves, counted, [4])
    assert near_rows(table, counted, leaves[[4]]).tolist() == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["sm_a", "sm_wa", "sg"])
@pytest.mark.sampled("values")
def test_as_many_are_chosen_as_it_takes_to_be_near_a_share_of_the_rows(kind: ProximityKind, method: Method) -> None:
    real = real_leaves("covertype_20k", kind, n_rows=200)
    classes = real.classes("predicted")
    proximity = naive.proximity_matrix(real.leaves, real.weights)
    ordered = naive.SELECTIONS[method](proximity, classes, 30)
    for share in ("0.3", "0.9", "1"):
        chosen = select_prototypes(real.table, classes, real.weights, method, n_prototypes=30, coverage=float(share))
        expected = naive_prototype_numbers.by_coverage(real.leaves, real.weights, ordered, Fraction(share))
        assert chosen.rows.tolist() == expected
        is_reached = (
            sum(naive_prototype_numbers.near_rows(real.leaves, real.weights, expected)) >= Fraction(share) * 200
        )
        assert (chosen.stopped_by == "coverage") == is_reached


def test_a_coverage_that_cannot_be_is_refused() -> None:
    real = real_leaves("titanic", "random_forest")
    classes = real.classes("predicted")

    for method in ("sm_u", "a_pete"):
        with pytest.raises(MethodNotApplicable, match="in its own way"):
            select_prototypes(real.table, classes, real.weights, method, coverage=0.9)
    for share in (0.0, 1.01):
        with pytest.raises(InvalidInput, match="more than 0 and at most 1"):
            select_prototypes(real.table, classes, real.weights, "sm_a", coverage=share)


def test_labels_are_scored_as_the_twin_does() -> None:
    rng = np.random.default_rng(0)
    classes = rng.choice([0, 1, 4], 90, p=[0.7, 0.2, 0.1])
    given = np.where(rng.random(90) < 0.3, rng.choice([UNASSIGNED, 0, 1, 2, 4], 90), classes)

    score = score_labels(given, classes)

    assert score == pytest.approx(naive_prototype_numbers.balanced_accuracy(given.tolist(), classes.tolist()))


def test_the_standard_error_of_a_balanced_accuracy_is_that_of_many_samples() -> None:
    rng = np.random.default_rng(1)
    classes = np.repeat([0, 1], [300, 60])
    drawn = [score_labels(np.where(rng.random(360) < 0.2, 1 - classes, classes), classes) for _ in range(2000)]

    assert np.std([score.value for score in drawn]) == pytest.approx(np.mean([each[1] for each in drawn]), rel=0.05)


def test_values_are_scored_as_the_twin_does_with_the_mean_for_rows_that_are_given_nothing() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(10, 3, 80)
    given = np.where(rng.random(80) < 0.2, np.nan, values + rng.normal(0, 1, 80))

    score = score_numbers(given, values)

    as_none = [None if np.isnan(value) else value for value in given.tolist()]
    assert score == pytest.approx(naive_prototype_numbers.r2(as_none, values.tolist()))
    assert score_numbers(np.full(80, np.nan), values) == Score(0.0, 0.0)
    with pytest.raises(InvalidInput, match="the values of all 5 rows are the same"):
        score_numbers(np.zeros(5), np.ones(5))


def test_the_smallest_number_within_one_standard_error_of_the_best_is_taken() -> None:
    scores = [Score(value, 0.05) for value in (0.5, 0.79, 0.84, 0.81, 0.88, 0.88, 0.7)]

    found = validate_number(scores)

    assert (found.n_prototypes, found.best, found.standard_error) == (3, 5, 0.05)
    assert found.scores == tuple(score.value for score in scores)
    assert validate_number([Score(0.3, 0.0), Score(0.3, 0.0)]).n_prototypes == 1
