"""Positions of raw values, by which rows of unlike features can be compared: ranks of numbers, codes of categories.

A number becomes its rank among the reference rows, which leaves no units and no outliers: half of the rows are below
the median, whatever its value. A category has no order, so that its code says only which values are the same.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

UNIT = 2**16
"""The position of rank 1; that of rank 0 is 0."""

MISSING = -1
"""The position of a missing value, of whatever feature."""


class _ColumnScale(Protocol):
    def positions(self, values: NDArray[Any]) -> NDArray[np.int32]:
        """Return the position of each value, (n_rows,)."""


@dataclass(frozen=True, slots=True)
class RankScale:
    """Where values lie among those of the reference rows, feature by feature."""

    is_ranked: NDArray[np.bool_]  # (n_features,) positions are ranks; otherwise codes, which are the same or not
    _columns: tuple[_ColumnScale, ...]

    @classmethod
    def of(cls, columns: Iterable[NDArray[Any]], is_ranked: Sequence[bool]) -> "RankScale":
        """Measure the reference rows.

        Parameters
        ----------
        columns : each (n_rows,)
            float64 with NaN where a value is missing, or objects (``str``, or ``None`` where missing).
        is_ranked : (n_features,)
            Whether a column holds numbers to be ranked; the others are compared for equality.
        """
        scales = (
            _Ranks.of(each) if ranked else _Codes.of(each) for each, ranked in zip(columns, is_ranked, strict=True)
        )
        return cls(np.array(is_ranked, dtype=np.bool_), tuple(scales))

    def positions(self, columns: Iterable[NDArray[Any]]) -> NDArray[np.int32]:
        """Return the positions of rows, given column by column as in ``of``.

        Returns
        -------
        (n_rows, n_features) int32
            Of ranked features 0 to ``UNIT``: the share of the reference values below, and half of the share that is
            equal; between two of these values linear, and beyond all of them, or beside an infinite one, that of the
            nearest. Of other features
            0 or more, the same for equal values; one code serves for all values that no reference row has.
            ``MISSING`` where there is no value.
        """
        return np.stack([scale.positions(each) for scale, each in zip(self._columns, columns, strict=True)], axis=1)


@dataclass(frozen=True, slots=True)
class _Ranks:
    """Distinct values of a number, and their positions."""

    values: NDArray[np.float64]  # (n_distinct,) ascending
    ranks: NDArray[np.float64]  # (n_distinct,) in units of ``UNIT``

    @classmethod
    def of(cls, column: NDArray[np.float64]) -> "_Ranks":
        values, counts = np.unique(column[~np.isnan(column)], return_counts=True)
        twice_below = 2 * np.cumsum(counts) - counts  # twice the number below, and once that of equal ones
        return cls(values, UNIT * twice_below / max(1, 2 * counts.sum()))

    def positions(self, values: NDArray[np.float64]) -> NDArray[np.int32]:
        positions = np.full(len(values), MISSING, dtype=np.int32)
        is_known = ~np.isnan(values)
        if not len(self.values):
            positions[is_known] = 0
            return positions
        with np.errstate(invalid="ignore"):  # minus infinity by itself, which is the lowest of all
            ranks = np.interp(values[is_known], self.values, self.ranks)
        positions[is_known] = np.rint(np.where(values[is_known] == -np.inf, self.ranks[0], ranks))
        return positions


@dataclass(frozen=True, slots=True)
class _Codes:
    """A code for each distinct value."""

    codes: dict[Any, int]

    @classmethod
    def of(cls, column: NDArray[Any]) -> "_Codes":
        distinct = dict.fromkeys(value for value in column.tolist() if not _is_missing(value))
        return cls({value: code for code, value in enumerate(distinct)})

    def positions(self, values: NDArray[Any]) -> NDArray[np.int32]:
        unknown = len(self.codes)
        codes = (MISSING if _is_missing(value) else self.codes.get(value, unknown) for value in values.tolist())
        return np.fromiter(codes, dtype=np.int32, count=len(values))


def _is_missing(value: object) -> bool:
    return value is None or value != value  # NaN
