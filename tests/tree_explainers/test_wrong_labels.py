"""The estimate of wrong labels: as its slow twin has it, near what was planted, and nothing where nothing is wrong."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive_wrong_labels
from tree_explainers import wrong_labels
from tree_explainers.errors import InvalidInput
from tree_explainers.wrong_labels import (
    LEVELS,
    MIN_ROWS,
    N_BINS,
    WrongLabels,
    estimate_wrong_labels,
    log_likelihoods,
    probabilities_by_rank,
    scaled_to,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def _votes(n_rows: int, n_classes: int, seed: int, sharpness: float = 4.0) -> tuple[Floats, Ints]:
    """Return votes that are right on average, and true labels drawn by them."""
    rng = np.random.default_rng(seed)
    logits = sharpness * rng.standard_normal((n_rows, n_classes))
    votes = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    true = (votes.cumsum(axis=1) < rng.random((n_rows, 1))).sum(axis=1)
    return votes, np.minimum(true, n_classes - 1)


def _planted(true: Ints, n_classes: int, share: float, seed: int, *, of_class: int | None = None) -> Ints:
    rng = np.random.default_rng(seed)
    among = np.arange(len(true)) if of_class is None else np.flatnonzero(true == of_class)
    rows = rng.choice(among, round(share * len(true)), replace=False)
    given = true.copy()
    given[rows] = (true[rows] + rng.integers(1, n_classes, len(rows))) % n_classes
    return given


@pytest.mark.parametrize("seed", [0, 1])
def test_levels_are_as_likely_as_in_the_slow_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sureness, contradicted = rng.random(25), rng.random(25) < 0.3

    found = np.exp(log_likelihoods(sureness, contradicted))

    expected = np.array(naive_wrong_labels.likelihoods(sureness.tolist(), contradicted.tolist(), N_BINS))
    np.testing.assert_allclose(found / found.sum(), expected / expected.sum(), rtol=1e-9)
    np.testing.assert_allclose(LEVELS, naive_wrong_labels.LEVELS)


def test_levels_of_classes_are_drawn_as_often_as_the_slow_twin_expects() -> None:
    rng = np.random.default_rng(0)
    logs = np.array([log_likelihoods(rng.random(60), rng.random(60) < share) for share in (0.05, 0.3)])

    drawn = wrong_labels._possible_levels(logs, np.random.default_rng(1))  # what is drawn has no name

    expected = naive_wrong_labels.expected_levels(np.exp(logs - logs.max(axis=1, keepdims=True)).tolist())
    errors = drawn.std(axis=0) / np.sqrt(len(drawn))
    assert (np.abs(drawn.mean(axis=0) - expected) < 4 * errors).all()


@pytest.mark.parametrize(
    ("n_classes", "share", "of_class"), [(2, 0.1, None), (2, 0.1, 0), (4, 0.1, None), (2, 0.3, None)]
)
def test_what_was_planted_is_estimated_and_within_the_interval(
    n_classes: int, share: float, of_class: int | None
) -> None:
    votes, true = _votes(2000, n_classes, 0, sharpness=4.0 if n_classes == 2 else 20.0)
    given = _planted(true, n_classes, share, 1, of_class=of_class)

    found = estimate_wrong_labels(votes, given, 0)

    assert share / 1.5 < found.share < share * 1.5
    assert found.low <= share <= found.high
    is_wrong = given != true
    assert found.probabilities[is_wrong].mean() > 3 * found.probabilities[~is_wrong].mean()
    assert found.probabilities.sum() == pytest.approx(found.share * 2000)
    assert (found.probabilities >= 0).all()
    assert (found.probabilities <= 1).all()


@pytest.mark.parametrize("sharpness", [1.0, 2.0, 4.0, 20.0])
def test_where_no_label_is_wrong_the_interval_holds_none(sharpness: float) -> None:
    votes, true = _votes(2000, 2, 0, sharpness)

    found = estimate_wrong_labels(votes, true, 0)

    assert round(found.low * 2000) == 0


def test_the_interval_holds_what_was_planted_about_as_often_as_it_says() -> None:
    n_held, sharpnesses = 0, np.linspace(1.5, 8, 20)
    for seed, sharpness in enumerate(sharpnesses):
        votes, true = _votes(600, 2, seed, float(sharpness))
        share = 0.05 + 0.15 * (seed % 2)
        found = estimate_wrong_labels(votes, _planted(true, 2, share, seed), 0)
        n_held += found.low <= share <= found.high
    assert n_held >= 16


def test_the_same_seed_gives_the_same_and_rows_without_votes_are_left_out() -> None:
    votes, true = _votes(200, 2, 0)
    given = _planted(true, 2, 0.1, 1)
    some = votes.copy()
    some[50:] = np.nan

    first, again, other = (estimate_wrong_labels(votes, given, seed) for seed in (0, 0, 1))
    found = estimate_wrong_labels(some, given, 0)

    assert _figures(first) == _figures(again) != _figures(other)
    assert _figures(found) == _figures(estimate_wrong_labels(votes[:50], given[:50], 0))
    assert found.probabilities[50:].tolist() == [0.0] * 150


def _figures(found: WrongLabels) -> tuple[float, float, float]:
    return found.share, found.low, found.high


def test_classes_with_few_rows_and_a_single_class_are_estimated() -> None:
    votes, true = _votes(100, 20, 0)  # no class has 30 rows
    one = estimate_wrong_labels(np.ones((60, 1)), np.zeros(60, np.int64), 0)

    assert estimate_wrong_labels(votes, true, 0).low >= 0
    assert (round(one.low, 2), one.probabilities.max() <= 1) == (0.0, True)


@pytest.mark.parametrize(
    ("n_rows", "n_classes", "expected"),
    [(MIN_ROWS - 1, MIN_ROWS - 1, f"at least {MIN_ROWS} rows"), (60, 59, "one class is needed for each of 60 rows")],
)
def test_too_few_rows_and_classes_of_other_rows_are_refused(n_rows: int, n_classes: int, expected: str) -> None:
    with pytest.raises(InvalidInput, match=expected):
        estimate_wrong_labels(np.full((n_rows, 2), 0.5), np.zeros(n_classes, np.int64), 0)


@pytest.mark.parametrize("number", [0.0, 3.5, 12.0])
def test_probabilities_fall_from_rank_to_rank_as_in_the_slow_twin_and_add_up(number: float) -> None:
    rng = np.random.default_rng(0)
    probabilities, ranks = rng.random(20), rng.permutation(20)

    found = probabilities_by_rank(ranks, probabilities, 20, number)

    in_order = np.empty(20)
    in_order[ranks] = probabilities
    expected = naive_wrong_labels.falling(in_order.tolist())
    np.testing.assert_allclose(found, scaled_to(expected, number))
    assert found.sum() == pytest.approx(number)
    assert (np.diff(found) <= 0).all()


def test_ranks_between_known_ones_have_probabilities_between_theirs() -> None:
    found = probabilities_by_rank(np.array([8, 0]), np.array([0.1, 0.9]), 11, 5.0)

    assert found[[0, 4, 8, 10]].tolist() == pytest.approx([0.9, 0.5, 0.1, 0.1], rel=0.2)
    assert found.sum() == pytest.approx(5)


def test_a_number_that_too_few_rows_can_make_is_missed() -> None:
    assert scaled_to(np.array([0.5, 0.0, 0.0]), 2.0).tolist() == [1.0, 0.0, 0.0]
    assert scaled_to(np.zeros(3), 2.0).tolist() == [0.0, 0.0, 0.0]
