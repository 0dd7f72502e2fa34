"""Infinite thresholds as finite ones that ask the same.

scikit-learn parts missing values from all others by asking whether the value is at most infinity. All values that reach
a tree are finite or missing, so the largest number of the tree's precision does as well, and neither arithmetic nor
JSON ever meets an infinity.
"""

import numpy as np
from numpy.typing import NDArray

from ..ensemble import Operator

# Comparing with an infinity is always true or always false: which operator says so of the largest number.
_SAME_ABOUT_LARGEST = {
    Operator.LEQ: Operator.LEQ,
    Operator.LT: Operator.LEQ,
    Operator.GTE: Operator.GT,
    Operator.GT: Operator.GT,
}
_SAME_ABOUT_LOWEST = {
    Operator.LEQ: Operator.LT,
    Operator.LT: Operator.LT,
    Operator.GTE: Operator.GTE,
    Operator.GT: Operator.GTE,
}


def with_finite_thresholds(
    operator: NDArray[np.uint8], threshold: NDArray[np.float64], *, is_double: bool
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Return operators and thresholds, shape (n_nodes,), that answer alike for all finite and missing values.

    Equality with an infinity, which no value has, stays as it is but for the threshold: no finite value of a float32
    tree is a float64 beyond its range.
    """
    if np.isfinite(threshold).all():
        return operator, threshold
    largest = float(np.finfo(np.float64 if is_double else np.float32).max)
    operator = operator.copy()
    for infinity, same in ((np.inf, _SAME_ABOUT_LARGEST), (-np.inf, _SAME_ABOUT_LOWEST)):
        for asked, instead in same.items():
            operator[(threshold == infinity) & (operator == asked)] = instead
    return operator, threshold.clip(-largest, largest)
