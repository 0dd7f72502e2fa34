"""Sums of doubles without rounding, as whole numbers: the same in whatever order and parts they are added.

A double is a whole number of ``2**-1126``. So a sum over partitions is a sum of Python's integers, which is rounded
once, when all is added up.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

_DIGITS = 53  # of a double
_HALF, _LOW = 32, (1 << 32) - 1  # of a mantissa: sums of fewer than 2**31 halves fit into 64 bits
_SPLITTER = 2.0**27 + 1  # times a double, it parts its digits into halves
_SHIFT = 1126  # of the smallest double's lowest digit, if its mantissa has all digits

LARGEST_ROOT = 2.0**480
"""Of doubles below it, squares and what these lose can be added up."""


def exact_sum(values: NDArray[np.float64]) -> int:
    """Return the sum of finite doubles, of any shape, as a whole number of ``2**-1126``."""
    if not values.size:
        return 0
    fractions, exponents = np.frexp(values.ravel())
    order = np.argsort(exponents, kind="stable")
    mantissas = np.ldexp(fractions[order], _DIGITS).astype(np.int64)
    distinct, starts = np.unique(exponents[order], return_index=True)
    highs = np.add.reduceat(mantissas >> _HALF, starts).tolist()
    lows = np.add.reduceat(mantissas & _LOW, starts).tolist()
    return sum(
        ((high << _HALF) + low) << (exponent - _DIGITS + _SHIFT)
        for exponent, high, low in zip(distinct.tolist(), highs, lows, strict=True)
    )


def exact_sum_of_squares(values: NDArray[np.float64]) -> int:
    """Return the sum of the squares of doubles below ``LARGEST_ROOT``, as ``exact_sum`` does.

    What a square loses when it is rounded is computed from the halves of its root, and added (Dekker 1971); without
    error where the root is 0 or at least 2**-480.
    """
    squares = values * values
    scaled = values * _SPLITTER
    high = scaled - (scaled - values)
    low = values - high
    return exact_sum(squares) + exact_sum((high * high - squares) + 2 * high * low + low * low)


def exact_fraction(total: int, divisor: int = 1) -> Fraction:
    """Return a sum, divided by a count of 1 or more."""
    return Fraction(total, divisor << _SHIFT)


def exact_value(total: int, divisor: int = 1) -> float:
    """Return the same as the nearest double."""
    return float(exact_fraction(total, divisor))
