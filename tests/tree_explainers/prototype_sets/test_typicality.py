"""Typicality: ranks among other rows, against counting them one by one, and on rows that nothing was made from."""

from fractions import Fraction
from math import floor

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from tests.support.shared import shared_path
from tree_explainers.prototype_sets.nearest import PrototypeIndex
from tree_explainers.prototype_sets.typicality import proximity_quantiles, typicality

LEVELS = {0: "far", 4: "far", 5: "typical", 75: "typical", 76: "close", 100: "close"}


@given(st.lists(st.integers(0, 12), min_size=1, max_size=250), st.integers(1, 13))
def test_the_percentile_is_the_share_of_rows_that_are_no_nearer(best: list[int], proximity: int) -> None:
    share = Fraction(sum(other <= proximity for other in best), len(best))

    found = typicality(proximity, proximity_quantiles(np.array(best)), total_weight=1)

    assert found.percentile == floor(100 * share)


@pytest.mark.parametrize(("percentile", "level"), LEVELS.items())
def test_levels_begin_where_they_are_said_to(percentile: int, level: str) -> None:
    best = np.arange(2, 102)

    found = typicality(percentile + 1, proximity_quantiles(best), total_weight=10)

    assert (found.percentile, found.level) == (percentile, level)


def test_below_a_tenth_of_the_trees_no_row_is_near_however_usual_that_is() -> None:
    quantiles = proximity_quantiles(np.arange(1, 101))

    found = [typicality(proximity, quantiles, total_weight=995) for proximity in (3, 99, 100, 101)]

    assert [(each.percentile, each.level) for each in found] == [
        (3, "far"),
        (99, "far"),
        (100, "close"),
        (100, "close"),
    ]


def test_a_row_without_proximity_is_none_however_many_others_are() -> None:
    found = typicality(0, proximity_quantiles(np.zeros(50, dtype=np.int64)), total_weight=1)

    assert (found.level, found.percentile) == ("none", 0)


def test_prototypes_are_left_out_and_may_be_all_there_is() -> None:
    best = np.array([9, 1, 2, 9])

    assert set(proximity_quantiles(best, np.array([0, 3])).tolist()) == {1, 2}
    assert len(proximity_quantiles(best, np.arange(4))) == 0


@pytest.mark.parametrize("min_leaf_rows", [1, 5])
def test_percentiles_of_held_out_rows_are_even_and_those_of_memorised_rows_are_not(min_leaf_rows: int) -> None:
    """One part of the data grows the trees, one gives the quantiles, one is placed among them."""
    features, target = spambase()
    own, others, new = np.split(np.random.default_rng(1).permutation(len(target)), [1500, 3000])
    forest = RandomForestClassifier(100, min_samples_leaf=min_leaf_rows, random_state=0, n_jobs=2)
    leaves = forest.fit(features[own], target[own]).apply(features).astype(np.int32)
    ones = np.ones(100, dtype=np.int64)
    chosen = own[np.flatnonzero(np.arange(len(own)) % 100 == 0)]
    index = PrototypeIndex.build(leaves[chosen], ones, np.zeros(len(chosen), dtype=np.int64))
    best = index.proximities(leaves).max(axis=1)

    of_others, of_memorised = proximity_quantiles(best[others]), proximity_quantiles(best[np.setdiff1d(own, chosen)])

    assert distance_from_even(best[new], of_others) < 1.63 * np.sqrt(1 / len(others) + 1 / len(new)) + 0.01
    if min_leaf_rows == 1:
        assert distance_from_even(best[new], of_memorised) > distance_from_even(best[new], of_others)


def distance_from_even(best: NDArray[np.int64], quantiles: NDArray[np.int64]) -> float:
    """Return Kolmogorov and Smirnov's distance from even percentiles, at steps between ties; 1.63 / sqrt(n) is 1 %."""
    steps = np.unique(quantiles)
    reached = np.array([typicality(int(step), quantiles, total_weight=1).percentile / 100 for step in steps])
    return float(np.abs(np.array([(best <= step).mean() for step in steps]) - reached).max())


def spambase() -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    frame = pd.read_parquet(shared_path("data/spambase.parquet"))
    return frame.drop(columns="class").to_numpy(np.float32), frame["class"].to_numpy(np.int64)
