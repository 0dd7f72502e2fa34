"""Round numbers: the number of fewest decimals in a gap."""

from math import floor, inf, isfinite, log10

_FEWEST = -308  # decimals: a double has no more digits before its point


def roundest_between(low: float, high: float, wanted: float) -> float:
    """Return the number of fewest decimals at or above ``low`` and below ``high``; of these, the nearest to ``wanted``.

    Decimals before the point count as negative, so 1000 is rounder than 1200. Where an end is infinite, ``wanted``
    stands for it: there is no gap to be round in. ``wanted`` itself where no shorter number lies in the gap.
    """
    low = low if isfinite(low) else wanted
    high = high if isfinite(high) else max(wanted, low) + abs(wanted) * 2.0**-20
    if not low < high:
        return wanted
    wanted = min(max(wanted, low), high)
    first = max(-floor(log10(high - low)) - 1, _FEWEST) if high - low < inf else _FEWEST
    for n_decimals in range(first, first + 20):
        step = 10.0**-n_decimals
        near = round(wanted, n_decimals)
        fitting = [each for each in _around(near, step, n_decimals) if low <= each < high]
        if fitting:
            return min(fitting, key=lambda each: (abs(each - wanted), each)) + 0.0  # no negative zero
    return low


def _around(near: float, step: float, n_decimals: int) -> tuple[float, ...]:
    return tuple(round(near + move * step, n_decimals) for move in (-1, 0, 1))
