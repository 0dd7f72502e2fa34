"""What is read off neighbours: the nearest row's, the largest sum's or the weighted mean's, and nothing off none."""

import math

import numpy as np
import pytest

from tree_explainers.leaf_space.neighbor_predictions import (
    NO_LABEL,
    fidelity,
    labels_of_neighbors,
    r2,
    values_of_neighbors,
)
from tree_explainers.leaf_space.neighborhoods import Neighborhoods

_BLOCK = Neighborhoods(
    np.arange(3),
    np.array([[1, 2, 3], [2, 0, -1], [-1, -1, -1]]),
    np.array([[2**47, 2**46, 2**46 + 1], [7, 7, 0], [0, 0, 0]]),
)


def test_labels_are_those_of_the_nearest_row_and_of_the_largest_sum() -> None:
    nearest, of_all = labels_of_neighbors(_BLOCK, np.array([2, 0, 1, 1]), 3)
    assert nearest.tolist() == [0, 1, NO_LABEL]
    assert of_all.tolist() == [1, 1, NO_LABEL]  # by one part in 2^48; of equal sums the first class
    assert fidelity(np.array([0, 1, 2]), nearest) == pytest.approx(2 / 3)


def test_values_are_those_of_the_nearest_row_and_the_weighted_mean() -> None:
    nearest, of_all = values_of_neighbors(_BLOCK, np.array([4.0, 1.0, 3.0, 3.0]))
    assert nearest[:2].tolist() == [1.0, 3.0]
    assert of_all[:2].tolist() == pytest.approx([2.0, 3.5])
    assert math.isnan(nearest[2])
    assert math.isnan(of_all[2])
    assert r2(np.array([1.0, 3.0, 2.0]), nearest) == 1  # the last one's mean is right by chance
    assert r2(np.array([0.0, 3.0, 3.0]), nearest) == pytest.approx(1 - 2 / 6)
    assert r2(np.array([5.0, 5.0, 5.0]), nearest) is None
