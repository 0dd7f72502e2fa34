"""Means over rows and classes: values are those of scikit-learn, intervals those of slow twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, brier_score_loss, log_loss, r2_score, root_mean_squared_error

from tests.support import naive_evaluations as naive
from tree_explainers.evaluations import error_figures as figures
from tree_explainers.evaluations.column_groups import (
    MISSING,
    GroupedColumn,
    GroupMoments,
    group_numbers,
    group_texts,
)
from tree_explainers.evaluations.rank_bins import rank_bins
from tree_explainers.share_intervals import wilson_interval


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.integers(1, 10))
def test_bins_are_those_of_the_twin(values: list[int], n_bins: int) -> None:
    found = [rows.tolist() for rows in rank_bins(np.array(values, np.float64), n_bins)]

    assert [sorted(rows) for rows in found] == [sorted(rows) for rows in naive.bins(values, n_bins)]


def test_bins_of_distinct_numbers_have_equal_numbers_of_rows() -> None:
    values = np.random.default_rng(0).normal(size=1_000)

    assert [len(rows) for rows in rank_bins(values, 10)] == [100] * 10


def test_balanced_accuracy_is_that_of_scikit_learn_and_narrower_with_more_rows() -> None:
    rng = np.random.default_rng(1)
    widths = []
    for n_rows in (60, 6_000):
        truth, predicted = rng.integers(0, 4, n_rows), rng.integers(0, 5, n_rows)
        predicted[: n_rows // 2] = truth[: n_rows // 2]
        n_right, n_of = (np.bincount(each, minlength=5) for each in (truth[truth == predicted], truth))
        found = figures.balanced_accuracy(n_right, n_of)
        assert found.interval is not None
        assert found.value == pytest.approx(balanced_accuracy_score(truth, predicted))
        assert found.interval.low < found.value < found.interval.high
        widths.append(found.interval.high - found.interval.low)

    assert widths[0] > 5 * widths[1]


def test_balanced_accuracy_of_one_class_is_a_share_with_wilsons_interval() -> None:
    found = figures.balanced_accuracy(np.array([0, 7]), np.array([0, 9]))

    assert found.value == pytest.approx(7 / 9)
    assert found.interval == pytest.approx(wilson_interval(7, 9))


def test_log_loss_and_brier_score_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(2)
    scores = rng.dirichlet([1, 1, 1], 400)
    truth = rng.integers(0, 3, 400)
    scores[0] = [1, 0, 0]
    truth[0] = 2  # infinitely wrong, but for the least score
    found = figures.loss_figure(figures.log_losses(scores[np.arange(400), truth]))
    brier = figures.loss_figure((scores[:, 1] - (truth == 1)) ** 2)
    shares = np.bincount(truth) / 400

    assert found.value == pytest.approx(log_loss(truth, scores))
    assert figures.entropy(np.bincount(truth)) == pytest.approx(log_loss(truth, np.tile(shares, (400, 1))))
    assert brier.value == pytest.approx(brier_score_loss(truth == 1, scores[:, 1]))
    assert brier.interval == pytest.approx(naive.mean_interval(((scores[:, 1] - (truth == 1)) ** 2).tolist()))


def test_figures_of_values_are_those_of_scikit_learn_and_of_leaving_rows_out() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=300)
    predicted = values + rng.normal(0, 0.5, 300)
    r2, root = figures.r2_figure(predicted, values), figures.root_mean_squared_error(values - predicted)
    twin, error = naive.jackknifed_r2(predicted.tolist(), values.tolist())

    assert r2 is not None
    assert r2.interval is not None
    assert root.interval is not None
    assert r2.value == pytest.approx(r2_score(values, predicted))
    assert r2.value == pytest.approx(twin)
    assert (r2.interval.high - r2.interval.low) / 2 == pytest.approx(naive.Z * error, rel=0.05)
    assert root.value == pytest.approx(root_mean_squared_error(values, predicted))
    squares = naive.mean_interval(((values - predicted) ** 2).tolist())
    assert (root.interval.low**2, root.interval.high**2) == pytest.approx(squares)
    assert figures.r2_figure(predicted, np.ones(300)) is None


def test_one_row_says_nothing_of_chance() -> None:
    assert figures.mean_figure(np.array([2.0])) == (2.0, None)
    assert figures.difference_of_means((1, 2.0, 0.0), (5, 1.0, 1.0), 0.95) is None


def test_few_numbers_have_a_group_each_and_many_are_in_quartiles() -> None:
    values = np.array([3.0, np.nan, 1.0, 3.0, 2.0])
    few = group_numbers(values)
    many = group_numbers(np.arange(100.0))

    assert [(group.kind, group.value) for group in few.groups] == [
        ("value", 1.0),
        ("value", 2.0),
        ("value", 3.0),
        ("missing", None),
    ]
    assert few.codes.tolist() == [2, 3, 0, 2, 1]
    assert [(group.low, group.high, group.n_values) for group in many.groups] == [
        (0, 24, 25),
        (25, 49, 25),
        (50, 74, 25),
        (75, 99, 25),
    ]
    assert np.bincount(many.codes).tolist() == [25, 25, 25, 25]


def test_texts_beyond_the_ten_most_frequent_are_one_group() -> None:
    counts = [*range(20, 8, -1)]  # of twelve texts
    indices = np.concatenate([np.repeat(np.arange(12), counts), [MISSING, MISSING]])
    grouped = group_texts(indices, [f"text {index}" for index in range(12)])

    assert [group.value for group in grouped.groups[:10]] == [f"text {index}" for index in range(10)]
    assert [(group.kind, group.n_values) for group in grouped.groups[10:]] == [("other", 2), ("missing", 0)]
    assert np.bincount(grouped.codes).tolist() == [*counts[:10], counts[10] + counts[11], 2]


def test_texts_that_no_row_has_are_no_group() -> None:
    grouped = group_texts(np.array([2, 2, 0]), ["a", "b", "c"])

    assert [group.value for group in grouped.groups] == ["c", "a"]
    assert grouped.codes.tolist() == [0, 0, 1]


def test_moments_of_groups_are_those_of_their_rows_even_far_from_0() -> None:
    rng = np.random.default_rng(4)
    values, codes = 1e9 + rng.normal(size=200), rng.integers(0, 3, 200)
    grouped = GroupedColumn([*group_numbers(np.arange(3.0)).groups], codes)
    inside, outside = GroupMoments.of(grouped, values)

    for group in range(3):
        for moments, rows in ((inside, codes == group), (outside, codes != group)):
            assert moments.n_rows[group] == rows.sum()
            assert moments.means[group] == pytest.approx(values[rows].mean(), rel=1e-15)
            assert moments.variances[group] == pytest.approx(values[rows].var(ddof=1), rel=1e-6)
