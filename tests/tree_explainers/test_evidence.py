"""Evidence: which rows count, how much they say, and when a score disagrees."""

import numpy as np
import pytest

from tests.support.naive_evidence import clopper_pearson, rows_most_like
from tree_explainers.errors import InvalidInput
from tree_explainers.evidence import (
    gather_evidence,
    out_of_bag_proximities,
    share_interval,
    weights_of_rows_like,
)
from tree_explainers.share_intervals import clopper_pearson_interval, wilson_interval


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("n_rows", "n_most"), [(5, 10), (60, 10), (60, 59), (400, 50)])
def test_the_rows_most_like_a_row_are_those_found_one_by_one(seed: int, n_rows: int, n_most: int) -> None:
    rng = np.random.default_rng(seed)
    proximities, scores = rng.integers(0, 12, n_rows), rng.random(n_rows).round(2)
    weights = weights_of_rows_like(proximities, scores, 0.5, n_most=n_most, window=0.2)
    expected = rows_most_like(proximities.tolist(), scores.tolist(), 0.5, n_most, 0.2)
    assert set(np.flatnonzero(weights).tolist()) == expected
    assert set(weights.tolist()) <= {0.0, 1.0}


def test_ties_at_the_last_row_are_all_in() -> None:
    weights = weights_of_rows_like(np.array([3, 2, 2, 1]), np.full(4, 0.5), 0.5, n_most=2)
    assert weights.tolist() == [1, 1, 1, 0]


@pytest.mark.parametrize(("n_counted", "n_rows"), [(0, 1), (0, 9), (1, 9), (5, 9), (9, 9), (40, 100)])
def test_clopper_and_pearsons_interval_is_that_of_the_binomial_distribution(n_counted: int, n_rows: int) -> None:
    assert clopper_pearson_interval(n_counted, n_rows, 0.9) == pytest.approx(
        clopper_pearson(n_counted, n_rows, 0.9), abs=1e-4
    )


def test_shares_add_up_to_one_and_lie_in_their_intervals() -> None:
    rng = np.random.default_rng(0)
    weights, outcomes = rng.random(200), rng.integers(0, 3, 200)
    evidence = gather_evidence(weights, outcomes, 4)
    assert sum(share.share for share in evidence.shares) == pytest.approx(1)
    assert all(0 <= share.low <= share.share <= share.high <= 1 for share in evidence.shares)
    assert evidence.shares[3].share == evidence.shares[3].low == 0 < evidence.shares[3].high
    assert evidence.effective_rows == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert evidence.n_rows == 200
    by_hand = weights[outcomes == 1].sum() / weights.sum()
    assert evidence.shares[1].share == pytest.approx(by_hand)


def test_equal_weights_count_each_row_once() -> None:
    evidence = gather_evidence(np.repeat([2.0, 0.0], [40, 60]), np.arange(100) % 2, 2)
    assert (evidence.n_rows, evidence.effective_rows) == (40, 40.0)
    assert (evidence.shares[0].low, evidence.shares[0].high) == wilson_interval(20.0, 40.0, 0.9)


def test_few_rows_have_the_wider_interval() -> None:
    assert share_interval(0.5, 9.0, 0.9) == clopper_pearson_interval(4.5, 9.0, 0.9)
    assert share_interval(0.5, 12.0, 0.9) == wilson_interval(6.0, 12.0, 0.9)


def test_a_score_outside_its_interval_disagrees() -> None:
    evidence = gather_evidence(np.ones(50), np.repeat([0, 1], [40, 10]), 2)
    assert evidence.agrees(0.75, 0)
    assert evidence.agrees(0.25, 1)
    assert not evidence.agrees(0.4, 0)


def test_no_row_like_it_is_no_evidence() -> None:
    evidence = gather_evidence(np.zeros(3), np.zeros(3, np.int64), 2)
    assert (evidence.n_rows, evidence.effective_rows, evidence.shares) == (0, 0.0, ())


def test_trees_that_learned_from_a_row_do_not_say_that_it_is_like_another() -> None:
    codes = np.array([[0, 0, 1], [2, 2, 2], [1, 0, 1]])
    is_in_bag = np.array([[True, False, False], [False, False, True], [True, True, True]])
    proximities = out_of_bag_proximities(np.array([0, 2, 1]), codes, is_in_bag)
    assert proximities.tolist() == [1.0, 1.0, 0.0]
    assert out_of_bag_proximities(np.array([0]), codes[:1], is_in_bag[:1] | True).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("weights", "outcomes", "field"),
    [([1.0, -1.0], [0, 1], "weights"), ([1.0, np.nan], [0, 1], "weights"), ([1.0, 1.0], [0, 2], "outcomes")],
)
def test_what_cannot_be_evidence_is_refused(weights: list[float], outcomes: list[int], field: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        gather_evidence(np.array(weights), np.array(outcomes), 2)
    assert refusal.value.field == field
