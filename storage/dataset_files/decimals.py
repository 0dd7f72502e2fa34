"""Decimals: how many the numbers of a column have, by which conditions on it are printed."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

MOST_DECIMALS = 6
"""Numbers with more are measured numbers, of which nobody reads the last digits."""

_LARGEST_DOUBLE, _LARGEST_SINGLE = 2.0**53, 2.0**23  # beyond these every number is a multiple of the unit, or nearly
_Precision = type[np.float32 | np.float64]


class DecimalsTally:
    """Counts the decimals of a column block by block, as doubles and as the nearest numbers of single precision."""

    def __init__(self) -> None:
        self._double: int | None = 0
        self._single: int | None = 0

    @property
    def decimals(self) -> int | None:
        """The most decimals of any number, 0 to ``MOST_DECIMALS``; ``None``: some have more."""
        return self._single if self._double is None else self._double

    @property
    def is_single(self) -> bool:
        """Whether these are decimals only in single precision: 0.10000000149011612 is 0.1."""
        return self._double is None and self._single is not None

    def add(self, values: pa.ChunkedArray) -> None:
        """Count finite numbers; missing ones are left out."""
        if self.decimals is None:
            return
        numbers = values.drop_null().to_numpy()
        self._double = _decimals(numbers, self._double, np.float64, _LARGEST_DOUBLE)
        with np.errstate(over="ignore"):  # what is too large is not of single precision
            is_single = self._single is not None and bool((numbers == numbers.astype(np.float32)).all())
        self._single = _decimals(numbers, self._single, np.float32, _LARGEST_SINGLE) if is_single else None


def _decimals(numbers: NDArray[Any], fewest: int | None, precision: _Precision, largest: float) -> int | None:
    """Return the fewest decimals, from some number of them on, that bring back all numbers."""
    for decimals in range(fewest, MOST_DECIMALS + 1) if fewest is not None else ():
        multiples = np.round(numbers * 10.0**decimals)
        is_exact = decimals == 0 or bool((np.abs(multiples) < largest).all())
        if is_exact and np.array_equal((multiples / 10.0**decimals).astype(precision), numbers.astype(precision)):
            return decimals
    return None
