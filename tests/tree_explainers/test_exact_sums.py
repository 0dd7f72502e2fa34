"""Sums of doubles without rounding, beside those of rational numbers."""

import math
from fractions import Fraction

import numpy as np
import pytest

from tree_explainers.compute.exact_sums import exact_fraction, exact_sum, exact_sum_of_squares, exact_value

TINY = np.array([5e-324, -1.5e-323, 2.2e-308, 0.0, -0.0, 1.0])


def _of_all_sizes(largest: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.concatenate([TINY, rng.standard_normal(3_000) * 10.0 ** rng.integers(-largest, largest, 3_000)])


def test_a_sum_is_rounded_once_in_whatever_parts_it_was_added_up() -> None:
    values = _of_all_sizes(300)

    whole = exact_sum(values)

    assert exact_value(whole) == math.fsum(values)
    for n_parts in (2, 7):
        assert sum(exact_sum(part) for part in np.array_split(values[::-1], n_parts)) == whole
    assert exact_sum(values.reshape(2, -1)) == whole
    assert exact_sum(values[:0]) == 0


def test_a_mean_is_the_double_next_to_that_of_rational_numbers() -> None:
    values = np.random.default_rng(1).random(1_001)
    assert exact_value(exact_sum(values), len(values)) == float(sum(map(Fraction, values.tolist())) / len(values))


@pytest.mark.parametrize("largest", [3, 130])
def test_squares_lose_nothing(largest: int) -> None:
    values = _of_all_sizes(largest)[len(TINY) :]
    assert exact_fraction(exact_sum_of_squares(values)) == sum(Fraction(value) ** 2 for value in values.tolist())
