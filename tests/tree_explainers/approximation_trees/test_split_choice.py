"""The test of better split on real forests, against slow twins: p-values, discarded candidates, sample sizes."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import false_discovery_control

from tests.support import naive_sta
from tests.support.naive_sta import (
    best_of,
    choose,
    first_of_each,
    gini,
    p_values,
    parts_alike,
    rejected,
    variance_of_difference,
    variance_within,
)
from tests.support.pseudo_rows import FORESTS, MIXED, PseudoRows, pseudo_rows, training
from tree_explainers.approximation_trees import split_variances
from tree_explainers.approximation_trees.candidate_splits import Candidates, candidates_of
from tree_explainers.approximation_trees.generators import Smoother
from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.approximation_trees.oracle import SessionOracle, TargetTransform
from tree_explainers.approximation_trees.pseudo_samples import MergedCandidates, PseudoSample
from tree_explainers.approximation_trees.split_choice import (
    FIRST_SIZE,
    Comparison,
    SplitChoice,
    benjamini_hochberg,
    choose_split,
    compare_splits,
    compare_with,
    next_size,
)
from tree_explainers.approximation_trees.split_sums import SplitSums
from tree_explainers.compute.progress import ignore_progress
from tree_explainers.questions.conditions import Condition
from tree_explainers.rows import Rows

NAMES = (*FORESTS, *MIXED)
N_ROWS = 150


def compared(drawn: PseudoRows) -> Comparison:
    return compare_splits(drawn.answers, drawn.bins, drawn.candidates)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled("thirds")
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
@pytest.mark.sampled("thirds")
def test_variances_are_those_of_influences_computed_row_by_row(name: str) -> None:
    drawn = pseudo_rows(name, N_ROWS)

    found = compared(drawn)

    splits = drawn.splits
    expected = [variance_of_difference(drawn.answers, splits[found.best], other) for other in splits[::3]]
    scale = np.abs(drawn.answers - drawn.answers.mean(axis=0)).max() ** 4
    np.testing.assert_allclose(found.variances[::3], expected, rtol=1e-6, atol=1e-12 * scale)


@pytest.mark.parametrize("projected", [False, True])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled("values")
def test_variances_without_sums_of_products_are_the_same(
    name: str, *, projected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = pseudo_rows(name, N_ROWS)
    with_products = compared(drawn)
    monkeypatch.setattr(split_variances, "is_projected", lambda *_: projected)
    monkeypatch.setattr(split_variances, "_PROJECTED_ROWS", 32)
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


def test_of_many_targets_no_products_are_summed_as_soon_as_few_candidates_are_left() -> None:
    rows, _ = training("random_forest_binary")
    candidates = candidates_of(rows.take(slice(0, None, 4)), {}, min_samples_leaf=2)
    few = np.isin(np.arange(candidates.n_candidates), candidates.starts[:-1])

    sums = SplitSums.of(candidates, 40)

    assert sums.has_products
    assert not sums.select(few).has_products
    assert not SplitSums.of(candidates, 1_000).has_products
    assert SplitSums.of(candidates, 31).select(few).has_products


@pytest.mark.parametrize("name", NAMES)
def test_the_transform_of_targets_changes_neither_order_nor_p_values(name: str) -> None:
    drawn = pseudo_rows(name, N_ROWS)
    scale = TargetTransform.of(drawn.answers, is_classifier=drawn.answers.shape[1] > 1)
    numbers = scale.targets(drawn.answers, drawn.answers.mean(axis=0)).astype(np.float64)

    found, plain = compare_splits(numbers, drawn.bins, drawn.candidates), compared(drawn)

    assert found.best == plain.best
    np.testing.assert_allclose(found.gains * scale.scale**2, plain.gains, rtol=1e-4, atol=1e-6 * plain.gains.max())
    np.testing.assert_allclose(found.p_values, plain.p_values, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled("thirds")
def test_p_values_and_their_sum_are_those_of_single_pairs(name: str) -> None:
    drawn = pseudo_rows(name, N_ROWS)

    found = compared(drawn)

    expected = p_values(drawn.answers, drawn.splits, found.best)
    counted = first_of_each(drawn.splits, found.best)
    np.testing.assert_allclose(found.p_values, expected, rtol=1e-6, atol=1e-9)
    assert np.flatnonzero(found.counted).tolist() == counted
    assert found.p_value == pytest.approx(min(1, sum(expected[each] for each in counted)))
    second = max(counted, key=lambda each: (found.gains[each], -each))
    assert found.p_value_of_second == pytest.approx(expected[second])
    kept = set(np.flatnonzero(~found.discarded(0.1))) & {*counted, found.best}
    by_feature = [[each for each in kept if first <= each < end] for first, end in pairwise(found.starts)]
    best = [max(own, key=lambda each: (each == found.best, found.gains[each], -each)) for own in by_feature if own]
    assert found.unseparated(0.1) == sorted(best, key=lambda each: (-found.gains[each], each))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled("thirds")
def test_discarded_are_the_candidates_that_benjamini_and_hochberg_reject(name: str) -> None:
    drawn = pseudo_rows(name, N_ROWS)
    found = compared(drawn)
    counted = first_of_each(drawn.splits, found.best)

    n_discarded = []
    for level in (0.001, 0.1, 0.3, 0.9):
        discarded = found.discarded(level)
        assert discarded[counted].tolist() == rejected(found.p_values[counted].tolist(), level)
        assert not discarded[found.like_best].any()
        n_discarded.append(int(discarded.sum()))

    assert n_discarded[-1] > 0  # else nothing was tried


def test_candidates_that_separate_the_rows_alike_are_discarded_together() -> None:
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
def test_merged_candidates_are_compared_as_those_that_they_represent(name: str, n_rows: int) -> None:
    drawn = pseudo_rows(name, n_rows)
    merged = MergedCandidates.of(drawn.candidates, [drawn.bins])

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


MOST_ROWS = 3_000


@pytest.mark.parametrize("significance", [0.01, 0.1, 0.3])
@pytest.mark.parametrize("most", [1_500, 100_000])
def test_the_next_size_is_that_of_equation_5(significance: float, most: int) -> None:
    for p_value in np.linspace(significance + 0.001, 1, 97).tolist():
        expected = naive_sta.next_size(1_000, p_value, significance, most)
        assert next_size(1_000, p_value, significance, most) == expected


def test_with_the_rows_of_equation_5_the_same_gains_are_significant() -> None:
    drawn = pseudo_rows("random_forest_multiclass", 1_000)
    found = compare_splits(drawn.answers, drawn.bins, drawn.candidates)
    significance, n_tried = 0.01, 0
    for number in np.flatnonzero((found.p_values > 0.011) & (found.p_values < 0.499)):
        needed = next_size(found.n_rows, float(found.p_values[number]), significance, 10**9)
        ahead = found.gains[found.best] - found.gains[number]
        n_tried += 1
        assert ndtr(-ahead / np.sqrt(2 * found.variances[number] / needed)) == pytest.approx(significance, rel=0.01)
    assert n_tried > 0


@pytest.mark.parametrize("significance", [0.05, 0.35])
@pytest.mark.parametrize("name", FORESTS)
@pytest.mark.sampled("values")
def test_discarding_changes_neither_the_choice_nor_the_rows_and_little_of_the_sum(
    name: str, significance: float
) -> None:
    node = Node.of(name, n_rows=5)

    chosen, sample = node.chosen(significance)

    labels, splits = node.sides_of(sample)
    best, p_value, n_rows = choose(labels, splits, FIRST_SIZE, significance)
    assert sample.n_rows == n_rows
    assert chosen.candidate is not None
    fast = node.conditions.index(sample.candidates.condition(chosen.candidate))
    assert parts_alike(splits[fast], splits[best])
    assert abs(chosen.confidence.p_value - p_value) <= 0.1 * significance
    assert chosen.confidence.at_cap == (p_value > significance)


@dataclass(frozen=True, slots=True)
class Node:
    """A few training rows of a forest."""

    rows: Rows
    smoother: Smoother
    oracle: SessionOracle
    candidates: Candidates

    @classmethod
    def of(cls, name: str, n_rows: int) -> "Node":
        rows, session = training(name)
        few = rows.take(slice(0, None, len(rows) // n_rows))
        return cls(few, Smoother.of(rows, {}), SessionOracle(session), candidates_of(few, {}, 2))

    def draw(self, n_rows: int, rng: np.random.Generator) -> Rows:
        return self.smoother.draw(self.rows, NodeBox({}), n_rows, rng)

    def label(self, rows: Rows) -> NDArray[np.float32]:
        return self.oracle.predict(rows).astype(np.float32)

    def chosen(self, significance: float) -> tuple[SplitChoice, PseudoSample]:
        seed = np.random.SeedSequence(3)
        sample = PseudoSample(self.draw, self.label, self.candidates, seed, report=ignore_progress)
        n_targets = self.oracle.predict(self.rows).shape[1]
        return choose_split(sample, n_targets, significance, MOST_ROWS), sample

    def sides_of(self, sample: PseudoSample) -> tuple[NDArray[np.float64], list[NDArray[np.bool_]]]:
        """Return the answers for the rows of a sample, drawn again from its seeds, and how candidates part them."""
        drawn = [self.draw(block.n_rows, np.random.default_rng(block.seed)) for block in sample._blocks]
        bins = [self.candidates.bins_of(rows) for rows in drawn]
        splits = [
            np.concatenate([self.candidates.sends_left(each, own) for own in bins])
            for each in range(self.candidates.n_candidates)
        ]
        return np.concatenate([self.label(rows) for rows in drawn]).astype(np.float64), splits

    @property
    def conditions(self) -> list[Condition]:
        return [self.candidates.condition(each) for each in range(self.candidates.n_candidates)]
