"""How many pseudo rows the next test takes, by how unsure the last one was."""

from math import ceil

from scipy.special import ndtri

FIRST_SIZE = 1_000  # pseudo rows of a node's first test
_VERY_UNSURE = 0.4  # above it a test says too little to plan by
_LEAST_GROWTH, _MOST_GROWTH = 1.1, 10.0  # several tests follow each other: neither tiny steps nor one leap


def next_size(n: int, p_value: float, significance: float, most: int) -> int:
    """Return the size of the sample that the next test takes.

    Twice as many where the p-value is above 0.4; else by equation (5), n (z_significance / z_p)^2, but at least a tenth
    more and at most tenfold.

    Parameters
    ----------
    n
        Size of the last sample.
    p_value
        The summed p-value of the last test, above the significance.
    significance
        In (0, 1): at which the choice counts as sure.
    most
        The cap, above n.

    References
    ----------
    Zhou, Hooker (2016), section 2.3, and section 2.4 for the summed p-value in place of that of one pair.
    """
    if p_value > _VERY_UNSURE:
        return min(most, 2 * n)
    growth = float(ndtri(significance) / ndtri(p_value)) ** 2
    return min(most, ceil(n * min(max(growth, _LEAST_GROWTH), _MOST_GROWTH)))
