"""The test of better split on real forests, against pairs of candidates compared row by row."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from tests.support.naive_sta import (
    best_of,
    first_of_each,
    gini,
    p_values,
    parts_alike,
    rejected,
    variance_of_difference,
    variance_within,
)
from tests.support.pseudo_rows import FORESTS, MIXED, PseudoRows, pseudo_rows
from tree_explainers.approximation_trees.oracle import AnswerScale
from tree_explainers.approximation_trees.pseudo_samples import Merged
from tree_explainers.approximation_trees.split_choice import (
    Comparison,
    benjamini_hochberg,
    compare_splits,
    compare_with,
)
from tree_explainers.approximation_trees.split_sums import SplitSums

NAMES = (*FORESTS, *MIXED)
N_ROWS = 150


def compared(drawn: PseudoRows) -> Comparison:
    return compare_splits(drawn.answers, drawn.bins, drawn.candidates)


@pytest.mark.parametrize("name", NAMES)
def test_gains_are_those_of_counting_row_by_row_and_the_best_is_the_first_with_the_largest(name: str) -> None:
    drawn = pseudo_rows(name, N_ROWS)
    everything = np.ones(N_ROWS, np.bool_)

    found = compared(drawn)

    indices = [gini(drawn.answers, split) for split in drawn.splits]
    scale = np.abs(drawn.answers).max() ** 2
    np.testing.assert_allclose(found.gains, gini(drawn.answers, everything) - np.array(indices), atol=1e-12 * scale)
    splits = drawn.splits
    assert parts_alike(splits[found.best], splits[best_of(drawn.answers, splits)])
    assert not any(parts_alike(split, splits[found.best]) for split in splits[: found.best])
    assert found.n_rows == N_ROWS


def test_the_gain_of_values_is_the_fall_of_their_variance() -> None:
    drawn = pseudo_rows("random_forest_regression", N_ROWS)

    found = compared(drawn)

    within = [variance_within(drawn.answers, split) for split in drawn.splits]
    np.testing.assert_allclose(found.gains, drawn.answers.var() - np.array(within), rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_variances_are_those_of_influences_told_row_by_row(name: str) -> None:
    drawn = pseudo_rows(name, N_ROWS)

    found = compared(drawn)

    splits = drawn.splits
    expected = [variance_of_difference(drawn.answers, splits[found.best], other) for other in splits[::3]]
    scale = np.abs(drawn.answers - drawn.answers.mean(axis=0)).max() ** 4
    np.testing.assert_allclose(found.variances[::3], expected, rtol=1e-6, atol=1e-12 * scale)


@pytest.mark.parametrize("name", NAMES)
def test_variances_without_sums_of_products_are_the_same(name: str) -> None:
    drawn = pseudo_rows(name, N_ROWS)
    with_products = compared(drawn)
    sides = drawn.splits[with_products.best].astype(np.uint8)
    sums = SplitSums.of(drawn.candidates, drawn.answers.shape[1], most_bytes=0)
    centred = drawn.answers - drawn.answers.mean(axis=0)
    halves = [slice(0, 70), slice(70, N_ROWS)]
    pieces = [([own[half] for own in drawn.bins], centred[half], sides[half]) for half in halves]
    for (bins, answers, own), n_before in zip(pieces, (0, 70), strict=True):
        sums.add(bins, answers, own, n_before)

    found = compare_with(sums, with_products.best, pieces)

    assert not sums.has_products
    scale = np.abs(centred).max() ** 4
    np.testing.assert_allclose(found.variances, with_products.variances, rtol=1e-6, atol=1e-12 * scale)
    np.testing.assert_allclose(found.p_values, with_products.p_values, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_the_numbers_that_answers_are_told_in_change_neither_order_nor_p_values(name: str) -> None:
    drawn = pseudo_rows(name, N_ROWS)
    scale = AnswerScale.of(drawn.answers, is_classifier=drawn.answers.shape[1] > 1)
    numbers = scale.targets(drawn.answers, drawn.answers.mean(axis=0)).astype(np.float64)

    found, plain = compare_splits(numbers, drawn.bins, drawn.candidates), compared(drawn)

    assert found.best == plain.best
    np.testing.assert_allclose(found.gains * scale.scale**2, plain.gains, rtol=1e-4, atol=1e-6 * plain.gains.max())
    np.testing.assert_allclose(found.p_values, plain.p_values, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_p_values_and_their_sum_are_those_of_one_pair_after_the_other(name: str) -> None:
    drawn = pseudo_rows(name, N_ROWS)

    found = compared(drawn)

    expected = p_values(drawn.answers, drawn.splits, found.best)
    counted = first_of_each(drawn.splits, found.best)
    np.testing.assert_allclose(found.p_values, expected, rtol=1e-6, atol=1e-9)
    assert np.flatnonzero(found.counted).tolist() == counted
    assert found.p_value == pytest.approx(min(1, sum(expected[each] for each in counted)))


@pytest.mark.parametrize("name", NAMES)
def test_discarded_are_the_candidates_that_benjamini_and_hochberg_reject(name: str) -> None:
    drawn = pseudo_rows(name, N_ROWS)
    found = compared(drawn)
    counted = first_of_each(drawn.splits, found.best)

    n_discarded = []
    for level in (0.001, 0.1, 0.3):
        discarded = found.discarded(level)
        assert discarded[counted].tolist() == rejected(found.p_values[counted].tolist(), level)
        assert not discarded[found.like_best].any()
        n_discarded.append(int(discarded.sum()))

    assert n_discarded[-1] > 0  # else nothing was tried


def test_candidates_that_part_the_rows_alike_are_discarded_together() -> None:
    drawn = pseudo_rows("random_forest_binary", N_ROWS)
    splits = drawn.splits

    discarded = compared(drawn).discarded(0.1)

    n_alike = 0
    for number in np.flatnonzero(discarded)[::10]:
        alike = [parts_alike(splits[number], other) for other in splits]
        assert discarded[alike].all()
        n_alike += sum(alike) - 1
    assert n_alike > 0


def test_benjamini_hochberg_rejects_what_scipy_rejects() -> None:
    found = compared(pseudo_rows("random_forest_binary", N_ROWS))
    of_tests = found.p_values[found.counted]

    for level in (1e-6, 0.01, 0.2):
        expected = false_discovery_control(of_tests) <= level
        assert benjamini_hochberg(of_tests, level).tolist() == expected.tolist()


@pytest.mark.parametrize("n_rows", [3, 12, 150])
@pytest.mark.parametrize("name", NAMES)
def test_merged_candidates_are_compared_as_those_that_they_stand_for(name: str, n_rows: int) -> None:
    drawn = pseudo_rows(name, n_rows)
    merged = Merged.of(drawn.candidates, [drawn.bins])

    found = compare_splits(drawn.answers, merged.bins_of(drawn.bins), merged.candidates)

    one_by_one = compared(drawn)
    assert merged.first_of(found.best) == one_by_one.best
    for measure in ("gains", "variances", "p_values", "like_best"):
        np.testing.assert_array_equal(merged.spread(getattr(found, measure)), getattr(one_by_one, measure))
    firsts = [merged.first_of(each) for each in range(merged.candidates.n_candidates)]
    assert firsts == sorted(firsts)
    assert [merged.number_of(each) for each in firsts] == list(range(len(firsts)))
    np.testing.assert_array_equal(found.counted, one_by_one.counted[firsts])
    assert one_by_one.counted.sum() == found.counted.sum()
    assert found.p_value == one_by_one.p_value
