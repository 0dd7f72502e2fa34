"""Intervals of shares: those of SciPy and of the papers, and as seldom wrong as they say."""

import numpy as np
import pytest
from scipy.stats import binomtest

from tree_explainers.share_intervals import difference_interval, wilson_interval


@pytest.mark.parametrize(("n_counted", "n_rows"), [(0, 1), (0, 40), (1, 7), (23, 400), (29, 600), (40, 40)])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_the_interval_of_a_share_is_that_of_scipy(n_counted: int, n_rows: int, confidence: float) -> None:
    expected = binomtest(n_counted, n_rows).proportion_ci(confidence, method="wilson")

    assert wilson_interval(n_counted, n_rows, confidence) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize(
    ("counted", "other", "low", "high"),
    [
        # Newcombe (1998), table II, method 10.
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 10), -0.2775, 0.2775),
        ((10, 10), (0, 10), 0.6075, 1.0000),
    ],
)
def test_the_interval_of_a_difference_is_that_of_the_paper(
    counted: tuple[int, int], other: tuple[int, int], low: float, high: float
) -> None:
    assert difference_interval(counted, other) == pytest.approx((low, high), abs=1e-4)


def test_rows_of_one_distribution_seldom_seem_to_differ() -> None:
    rng = np.random.default_rng(0)
    n_wrong = 0
    for one, two in rng.binomial([400, 600], 0.05, (2_000, 2)).tolist():
        low, high = difference_interval((one, 400), (two, 600))
        n_wrong += low > 0 or high < 0

    assert 0.03 < n_wrong / 2_000 < 0.07
