"""Shares of the rows of two datasets, compared: what chance leaves open about each, and about their difference."""

from schemas.reports import ShareComparison, ShareInterval
from tree_explainers.share_intervals import Interval, difference_interval, wilson_interval

CHANCE = 0.05
"""Probability with which at least one of all comparisons claims a difference where there is none."""


def compare_shares(newer: tuple[int, int], reference: tuple[int, int], confidence: float) -> ShareComparison:
    """Compare two shares, each as the number of rows that count and of all rows; either may have no rows."""
    difference = difference_interval(newer, reference, confidence) if newer[1] and reference[1] else None
    return ShareComparison(
        share=newer[0] / newer[1] if newer[1] else None,
        interval=interval_view(wilson_interval(*newer)) if newer[1] else None,
        reference_share=reference[0] / reference[1] if reference[1] else None,
        reference_interval=interval_view(wilson_interval(*reference)) if reference[1] else None,
        difference_interval=None if difference is None else interval_view(difference),
        differs=difference is not None and not difference.low <= 0 <= difference.high,
    )


def interval_view(interval: Interval) -> ShareInterval:
    """Return an interval as it is answered."""
    return ShareInterval(low=interval.low, high=interval.high)
