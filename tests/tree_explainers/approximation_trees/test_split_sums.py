"""Sums of pseudo rows bin by bin, on real forests, against adding up row by row."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.naive_sta import parts_alike
from tests.support.pseudo_rows import FORESTS, MIXED, PseudoRows, pseudo_rows
from tree_explainers.approximation_trees.split_choice import compare_splits
from tree_explainers.approximation_trees.split_sums import SplitSums

NAMES = (*FORESTS, *MIXED)
N_ROWS = 120


def added(drawn: PseudoRows, sides: NDArray[np.uint8], *ends: int) -> SplitSums:
    """Return the sums of all rows, added in pieces that end there."""
    sums = SplitSums.of(drawn.candidates, drawn.answers.shape[1])
    for first, end in zip((0, *ends), (*ends, len(sides)), strict=True):
        piece = slice(first, end)
        sums.add([each[piece] for each in drawn.bins], drawn.answers[piece], sides[piece], first)
    return sums


def sides_of(drawn: PseudoRows, candidate: int) -> NDArray[np.uint8]:
    return drawn.splits[candidate].astype(np.uint8)


@pytest.mark.parametrize("name", NAMES)
def test_sums_on_the_left_of_a_candidate_are_those_of_its_rows(name: str) -> None:
    drawn = pseudo_rows(name, N_ROWS)
    sides = sides_of(drawn, drawn.candidates.n_candidates // 2)

    left = added(drawn, sides).left()

    for candidate, split in list(enumerate(drawn.splits))[::5]:
        for side in (0, 1):
            rows = [row for row in range(N_ROWS) if split[row] and sides[row] == side]
            np.testing.assert_allclose(left[candidate, side], terms(drawn.answers, rows), rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_rows_added_in_pieces_make_the_same_sums_and_fingerprints(name: str) -> None:
    drawn = pseudo_rows(name, N_ROWS)
    sides = sides_of(drawn, 0)

    at_once, in_pieces = added(drawn, sides), added(drawn, sides, 1, 40, 41)

    np.testing.assert_allclose(in_pieces.left(), at_once.left(), rtol=1e-12, atol=1e-9)
    np.testing.assert_array_equal(in_pieces.left_fingerprints(), at_once.left_fingerprints())


@pytest.mark.parametrize("name", NAMES)
def test_fingerprints_are_equal_exactly_if_candidates_separate_the_rows_alike(name: str) -> None:
    drawn = pseudo_rows(name, 40)  # so few that many are alike
    fingerprints = added(drawn, sides_of(drawn, 0)).left_fingerprints()

    splits = drawn.splits
    alike = [[parts_alike(one, other) for other in splits] for one in splits[::4]]

    np.testing.assert_array_equal(fingerprints[::4, None] == fingerprints, alike)
    assert np.sum(alike) > len(alike)


@pytest.mark.parametrize("name", NAMES)
def test_sums_without_some_candidates_are_those_of_the_others(name: str) -> None:
    drawn = pseudo_rows(name, N_ROWS)
    sums = added(drawn, sides_of(drawn, 1))
    kept = np.arange(drawn.candidates.n_candidates) % 3 == 0
    kept[: drawn.candidates.features[0].n_candidates] = False  # a whole feature goes

    fewer = sums.select(kept)

    assert fewer.candidates.n_candidates == kept.sum()
    for number, old in enumerate(np.flatnonzero(kept).tolist()):
        assert fewer.candidates.condition(number) == drawn.candidates.condition(old)
    np.testing.assert_array_equal(fewer.left(), sums.left()[kept])
    np.testing.assert_array_equal(fewer.left_fingerprints(), sums.left_fingerprints()[kept])
    np.testing.assert_allclose(fewer.totals, sums.totals, rtol=1e-12)


def test_values_far_from_zero_lose_nothing() -> None:
    drawn = pseudo_rows("random_forest_regression", N_ROWS)
    near = compare_splits(drawn.answers, drawn.bins, drawn.candidates)

    far = compare_splits(drawn.answers + 1e7, drawn.bins, drawn.candidates)

    assert far.best == near.best
    np.testing.assert_allclose(far.gains, near.gains, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(far.p_values, near.p_values, rtol=1e-4, atol=1e-9)


def terms(answers: NDArray[np.float64], rows: list[int]) -> list[float]:
    """Return how many rows there are, and the sums of their answers and of the products of two of them."""
    n_targets = answers.shape[1]
    sums = [float(len(rows)), *(sum(answers[row, one] for row in rows) for one in range(n_targets))]
    for one in range(n_targets):
        sums += [sum(answers[row, one] * answers[row, other] for row in rows) for other in range(one + 1)]
    return sums
