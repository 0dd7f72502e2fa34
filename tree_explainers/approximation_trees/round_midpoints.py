"""Midpoints of neighbouring values in as few decimals as keep them near the middle."""

import numpy as np
from numpy.typing import NDArray

_NEAR = 1 / 8  # of the gap: how far a round number may be from its middle
_MOST_DECIMALS = 22  # ten to that power is still exact in a double

Floats = NDArray[np.float64]


def round_midpoints(low: Floats, high: Floats) -> Floats:
    """Return for each gap the number of fewest decimals within an eighth of it from its middle.

    People read them: 1.15 rather than 1.1500000357627869. Decimals before the point count as negative, so 1200 is
    rounder than 1250. Of numbers with as few decimals the nearest to the middle.

    Parameters
    ----------
    low, high : (n_gaps,)
        Neighbouring values, finite, each low below its high.

    Returns
    -------
    (n_gaps,)
        Above ``low`` and below ``high``; the middle itself where no short number is near it, which is ``low`` or
        ``high`` where no double lies between them.
    """
    middle = low / 2 + high / 2  # the sum itself may be too large for a double
    found, wanting = middle.copy(), np.ones(len(middle), np.bool_)
    reach = (high / 2 - low / 2) * (2 * _NEAR)
    for n_decimals in _decimals(middle, reach):
        with np.errstate(over="ignore", invalid="ignore"):  # what is too large for so many decimals does not fit
            rounded = np.round(middle, n_decimals)
        fits = wanting & (abs(rounded - middle) <= reach) & (low < rounded) & (rounded < high)
        found[fits] = rounded[fits]
        wanting &= ~fits
        if not wanting.any():
            break
    return found + 0.0  # no negative zero


def _decimals(middle: Floats, reach: Floats) -> range:
    """Return the numbers of decimals that are worth trying, fewest first."""
    if not len(middle):
        return range(0)
    most = float(max(abs(middle).max(), reach.max(), np.finfo(np.float64).tiny))
    least = float(max(reach.min(), np.finfo(np.float64).tiny))
    first, last = -int(np.ceil(np.log10(most))), int(np.ceil(-np.log10(least)))
    return range(max(first, -_MOST_DECIMALS), min(last, _MOST_DECIMALS) + 1)
