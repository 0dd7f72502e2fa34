"""Groups of rows by the values of a column: each value, or ranges of numbers and the most frequent texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .rank_bins import rank_bins

_N_VALUES = 10  # of a column that has a group each; of more numbers, ranges are groups
_N_RANGES = 4  # quartiles
MISSING = -1
"""The code of a text that is missing."""


class ColumnGroup(NamedTuple):
    """Rows of a value, of a range of numbers, of all other values, or of none."""

    kind: Literal["value", "range", "other", "missing"]
    value: float | str | None = None  # of a value alone
    low: float | None = None  # of numbers alone
    high: float | None = None
    n_values: int = 1  # distinct ones


@dataclass(frozen=True, slots=True)
class GroupedColumn:
    """The groups of a column, at most twelve, and which of them each row is in."""

    groups: list[ColumnGroup]
    codes: NDArray[np.int64]  # (n_rows,) indices into groups


def group_numbers(values: NDArray[np.float64]) -> GroupedColumn:
    """Return the groups of numbers in ascending order: each value of few, or quartiles by rank; then missing ones."""
    is_missing = np.isnan(values)
    known = np.flatnonzero(~is_missing)
    distinct, indices = np.unique(values[known], return_inverse=True)
    codes = np.full(len(values), 0, np.int64)
    if len(distinct) <= _N_VALUES:
        groups = [ColumnGroup("value", value, value, value) for value in distinct.tolist()]
        codes[known] = indices
    else:
        groups = []
        for rows in rank_bins(values[known], _N_RANGES):
            inside = values[known[rows]]
            codes[known[rows]] = len(groups)
            groups.append(ColumnGroup("range", None, float(inside.min()), float(inside.max()), len(np.unique(inside))))
    return _with_missing(groups, codes, is_missing)


def group_texts(indices: NDArray[np.int64], texts: Sequence[str]) -> GroupedColumn:
    """Return the groups of texts, the most frequent first (ties: the lower index), then all others, then missing ones.

    Parameters
    ----------
    indices : (n_rows,)
        Which of the texts each row has; ``MISSING`` for none.
    texts
        Distinct texts.
    """
    counts = np.bincount(indices[indices != MISSING], minlength=len(texts))
    order = np.argsort(-counts, kind="stable")[: int(np.count_nonzero(counts))]
    n_shown = min(len(order), _N_VALUES)
    groups = [ColumnGroup("value", texts[index]) for index in order[:n_shown].tolist()]
    n_others = len(order) - n_shown
    if n_others:
        groups.append(ColumnGroup("other", n_values=n_others))
    code_of = np.full(len(texts) + 1, n_shown, np.int64)  # the last is that of missing texts, which is set below
    code_of[order[:n_shown]] = np.arange(n_shown)
    return _with_missing(groups, code_of[indices], indices == MISSING)


def _with_missing(groups: list[ColumnGroup], codes: NDArray[np.int64], is_missing: NDArray[np.bool_]) -> GroupedColumn:
    if is_missing.any():
        codes[is_missing] = len(groups)
        groups = [*groups, ColumnGroup("missing", n_values=0)]
    return GroupedColumn(groups, codes)


class GroupMoments(NamedTuple):
    """Number, mean and variance of some numbers in each group, (n_groups,) each, and of those in no such group."""

    n_rows: NDArray[np.int64]
    means: NDArray[np.float64]
    variances: NDArray[np.float64]  # with n - 1; NaN of a single row

    @classmethod
    def of(cls, grouped: GroupedColumn, values: NDArray[np.float64]) -> tuple["GroupMoments", "GroupMoments"]:
        """Return the moments inside and outside of each group.

        Numbers are counted from their mean over all rows, so that sums of squares keep their digits.
        """
        center, n_groups = float(values.mean()), len(grouped.groups)
        n_rows = np.bincount(grouped.codes, minlength=n_groups)
        sums = np.bincount(grouped.codes, values - center, minlength=n_groups).astype(np.float64)
        squares = np.bincount(grouped.codes, (values - center) ** 2, minlength=n_groups).astype(np.float64)
        inside = cls._of_sums(n_rows, sums, squares, center)
        outside = cls._of_sums(n_rows.sum() - n_rows, sums.sum() - sums, squares.sum() - squares, center)
        return inside, outside

    @classmethod
    def _of_sums(
        cls, n_rows: NDArray[np.int64], sums: NDArray[np.float64], squares: NDArray[np.float64], center: float
    ) -> "GroupMoments":
        with np.errstate(divide="ignore", invalid="ignore"):
            means = sums / n_rows
            variances = np.maximum(squares - n_rows * means**2, 0) / (n_rows - 1)
        return cls(n_rows, center + means, np.where(n_rows > 1, variances, np.nan))
