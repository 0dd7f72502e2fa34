"""Gains of splits spread over redrawn pseudo rows as the test takes them to, on real forests."""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.models import fitted, rows_of_matrix
from tests.support.naive_sta import influences, influences_as_printed, influences_with_shares_fixed
from tests.support.sampling import mostly_long
from tree_explainers.approximation_trees.oracle import SessionOracle

N_DRAWS, N_PSEUDO_ROWS = 500, 800
MODELS = ("random_forest_binary", "random_forest_multiclass", "random_forest_regression")
_N_REQUESTED = 10
Influences = Callable[[NDArray[np.float64], NDArray[np.bool_]], list[float]]


@dataclass(frozen=True, slots=True)
class Redrawn:
    """Pseudo rows near real ones, drawn repeatedly, and two splits of them."""

    labels: NDArray[np.float64]  # (n_draws, n_rows, n_classes or 1)
    best: NDArray[np.bool_]  # (n_draws, n_rows)
    other: NDArray[np.bool_]

    def spread(self) -> float:
        """Return the standard deviation over draws of the difference of two indices."""
        return float(np.std(_indices(self.labels, self.best) - _indices(self.labels, self.other), ddof=1))

    def expected(self, of: Influences) -> float:
        """Return sqrt(V / n) as estimated from single draws, on average over a few."""
        draws = zip(self.labels[:_N_REQUESTED], self.best[:_N_REQUESTED], self.other[:_N_REQUESTED], strict=True)
        variances = [np.var(np.subtract(of(labels, one), of(labels, other))) for labels, one, other in draws]
        return float(np.sqrt(np.mean(variances) / self.labels.shape[1]))


@functools.cache
def redrawn(name: str) -> NDArray[np.float64]:
    """Return pseudo rows: training rows drawn at random plus noise, (n_draws, n_rows, n_features)."""
    features = fitted(name).features.astype(np.float64)
    rng = np.random.default_rng(5)
    near = features[rng.integers(len(features), size=N_DRAWS * N_PSEUDO_ROWS)]
    near += rng.normal(size=near.shape) * 0.1 * features.std(axis=0)
    return near.reshape(N_DRAWS, N_PSEUDO_ROWS, -1)


@functools.cache
def answered(name: str) -> NDArray[np.float64]:
    """Return the forest's scores of them, (n_draws, n_rows, n_classes or 1)."""
    drawn = redrawn(name)
    oracle = SessionOracle(fitted(name).session)
    answers = [oracle.predict(rows_of_matrix(part)) for part in drawn.reshape(-1, N_PSEUDO_ROWS * 20, drawn.shape[2])]
    return np.concatenate(answers).reshape(N_DRAWS, N_PSEUDO_ROWS, -1)


@functools.cache
def splits_of(name: str) -> list[tuple[int, float]]:
    """Return the best split of the first draw, one beside it, the best on another feature, and a bad one."""
    drawn, labels = redrawn(name), answered(name)
    found = []
    for feature in range(drawn.shape[2]):
        cuts = np.quantile(drawn[..., feature], np.linspace(0.1, 0.9, 17))
        found += [(float(_indices(labels[:1], drawn[:1, :, feature] <= cut)[0]), feature, float(cut)) for cut in cuts]
    found.sort()
    beside = next(each for each in found[1:] if each[1] == found[0][1])
    elsewhere = next(each for each in found if each[1] != found[0][1])
    return [(feature, cut) for _, feature, cut in (found[0], beside, elsewhere, found[len(found) // 2])]


def pair_of_splits(name: str, other: int) -> Redrawn:
    pair = (splits_of(name)[0], splits_of(name)[other])
    sides = [redrawn(name)[..., feature] <= cut for feature, cut in pair]
    return Redrawn(answered(name), *sides)


@pytest.mark.parametrize("other", mostly_long([1, 2, 3], 2))
@pytest.mark.parametrize("name", mostly_long(MODELS, "random_forest_multiclass"))
@pytest.mark.sampled("values")
def test_differences_of_gains_spread_over_redrawn_pseudo_rows_as_the_variance_says(name: str, other: int) -> None:
    drawn = pair_of_splits(name, other)

    assert drawn.expected(influences) == pytest.approx(drawn.spread(), rel=0.1)


@pytest.mark.parametrize("name", mostly_long(MODELS, "random_forest_multiclass"))
def test_the_variance_that_the_paper_prints_is_off_by_more_than_two(name: str) -> None:
    assert most_off(name, influences_as_printed) > 2


@pytest.mark.parametrize("name", mostly_long(MODELS[1:], "random_forest_multiclass"))
def test_taking_the_shares_of_the_sides_as_known_does_not_correct_it(name: str) -> None:
    assert most_off(name, influences_with_shares_fixed) > 1.6


def most_off(name: str, of: Influences) -> float:
    """Return the most by which a variance is too large or too small, among three pairs of splits."""
    drawn = [pair_of_splits(name, other) for other in (1, 2, 3)]
    times = [(each.expected(of) / each.spread()) ** 2 for each in drawn]
    return max(max(each, 1 / each) for each in times)


def _indices(labels: NDArray[np.float64], goes_left: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the index of a split of each draw, (n_draws,)."""
    purity = np.zeros(len(labels))
    for side in (goes_left, ~goes_left):
        totals = np.einsum("drc,dr->dc", labels, side)
        purity += (totals**2).sum(axis=1) / np.maximum(1, side.sum(axis=1)) / labels.shape[1]
    return 1 - purity
