"""RankTable: raw rows as a matrix whose order scikit-learn's trees read without rounding."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..questions.conditions import Condition, Operator
from ..rows import Rows
from .missing_values import is_missing
from .round_midpoints import round_midpoints


@dataclass(frozen=True, slots=True)
class _Column:
    """What a column of the matrix holds."""

    name: str  # the raw column's
    values: NDArray[np.float64]  # of a number: its distinct values, ascending
    category: str | None = None
    is_number: bool = False  # else an indicator: of the category, or of the missing value where that is None


@dataclass(frozen=True, slots=True)
class RankTable:
    """Rows as a matrix of single precision.

    A number is a column of its ranks among the distinct values, which are exact up to 2^24, NaN where it is missing. A
    category is one column of 0 and 1 for each that is there, and one for the missing value where some row misses it.
    """

    matrix: NDArray[np.float32]  # (n_rows, n_columns)
    columns: tuple[_Column, ...]

    @classmethod
    def of(cls, rows: Rows, missing_texts: Mapping[str, str]) -> Self:
        """Return the table of rows."""
        columns: list[_Column] = []
        parts: list[NDArray[Any]] = []
        for name, values in zip(rows.names, rows.columns, strict=True):
            missing = is_missing(values, missing_texts.get(name))
            if values.dtype == object:
                present: list[str | None] = sorted(set(values[~missing]))
                for category in [*present, *([None] if missing.any() else [])]:
                    columns.append(_Column(name, np.empty(0), category))
                    parts.append(missing if category is None else values == category)
            else:
                distinct, ranks = np.unique(values[~missing], return_inverse=True)
                columns.append(_Column(name, distinct, is_number=True))
                parts.append(np.full(len(values), np.nan, np.float32))
                parts[-1][~missing] = ranks
        return cls(np.column_stack([part.astype(np.float32) for part in parts]), tuple(columns))

    def goes_left(
        self, rows: NDArray[np.int64], column: int, threshold: float, *, missing_left: bool
    ) -> NDArray[np.bool_]:
        """Return which rows scikit-learn sends left, (n_rows,), given their positions."""
        ranks = self.matrix[rows, column]
        return np.where(np.isnan(ranks), missing_left, ranks <= threshold)

    def condition(self, rows: NDArray[np.int64], column: int, goes_left: NDArray[np.bool_]) -> tuple[Condition, bool]:
        """Return a split as a condition, and whether it holds for the rows that go left.

        Parameters
        ----------
        rows : (n_at_node,)
            Positions of the rows that reach the node.
        column
            That is asked about.
        goes_left : (n_at_node,)
            Where they go.
        """
        own = self.columns[column]
        if not own.is_number:
            operator: Operator = "is missing" if own.category is None else "is"
            return Condition(own.name, own.name, operator, own.category, or_missing=False), False
        ranks = self.matrix[rows, column]
        missing = np.isnan(ranks)
        low, high = ranks[goes_left & ~missing], ranks[~goes_left & ~missing]
        if not (len(low) and len(high)):
            return Condition(own.name, own.name, "is missing", None, or_missing=False), not len(low)
        cut = _between(float(own.values[int(low.max())]), float(own.values[int(high.min())]))
        return Condition(own.name, own.name, "<=", cut, or_missing=bool(goes_left[missing].any())), True


def _between(low: float, high: float) -> float:
    middle = float(round_midpoints(np.array([low]), np.array([high]))[0])
    return middle if low <= middle < high else low
