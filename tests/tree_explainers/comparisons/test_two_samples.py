"""Two samples: the slow twin's distance, SciPy's probabilities, and a promise of what is seen that simulation keeps."""

import numpy as np
import pytest
from scipy.special import kolmogorov
from scipy.stats import wasserstein_distance

from tests.support import naive_comparisons
from tree_explainers.comparisons.two_samples import compare_samples, detectable_distance, holm


@pytest.mark.parametrize("n_other", [1, 30, 77])
def test_distances_are_the_slow_twins_and_scipys(n_other: int) -> None:
    rng = np.random.default_rng(n_other)
    values, other = rng.integers(0, 20, 40) / 4, rng.integers(5, 25, n_other) / 4

    compared = compare_samples(values, other)

    assert compared.distance == pytest.approx(naive_comparisons.distance(values.tolist(), other.tolist()))
    assert compared.moved == pytest.approx(wasserstein_distance(values, other))
    scaled = compared.distance * np.sqrt(40 * n_other / (40 + n_other))
    assert compared.p_value == pytest.approx(kolmogorov(scaled), abs=1e-12)


def test_equal_samples_do_not_differ() -> None:
    assert compare_samples(np.array([1, 1, 2]), np.array([2, 1, 1])) == (0.0, 1.0, 0.0)


def test_p_values_are_below_a_level_no_oftener_than_it_says() -> None:
    rng = np.random.default_rng(0)
    p_values = [compare_samples(*rng.normal(size=(2, 200))).p_value for _ in range(400)]
    assert np.mean(np.array(p_values) <= 0.05) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 400)


@pytest.mark.parametrize(("n_values", "n_other"), [(50, 2_000), (300, 300)])
def test_what_can_be_detected_is_detected_in_four_of_five_cases(n_values: int, n_other: int) -> None:
    rng, distance = np.random.default_rng(1), detectable_distance(n_values, n_other)
    # The second distribution is the first, moved so that the largest difference of the two is that distance.
    seen = [compare_samples(rng.random(n_values), rng.random(n_other) + distance).p_value <= 0.05 for _ in range(300)]
    assert np.mean(seen) >= 0.75


def test_more_tests_need_a_larger_distance_and_nothing_is_beyond_1() -> None:
    assert detectable_distance(100, 100) < detectable_distance(100, 100, 20)
    assert detectable_distance(2, 2) == 1


def test_p_values_that_hold_together_are_holms() -> None:
    assert holm([0.04, 0.01, 0.03, 0.9]) == pytest.approx([0.09, 0.04, 0.09, 0.9])
    assert holm([]) == []
    assert holm([0.8, 0.7]) == [1.0, 1.0]
