"""BinnedRows: for each row and feature the bin of its value, which says all that statements say of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, RowRefused
from ..rows import Rows
from .statements import FeatureStatements, Statements


@dataclass(frozen=True, slots=True)
class BinnedRows:
    """The bins of some rows; see ``FeatureStatements`` for what a bin holds.

    All statements of a row are known from them: for a number, statement ``j`` is true where the bin is above ``j``.
    """

    statements: Statements
    bins: NDArray[np.unsignedinteger[Any]]  # (n_features, n_rows), the smallest type that holds every bin

    @classmethod
    def of(cls, statements: Statements, rows: Rows) -> Self:
        """Return the bins of raw rows, which have the features by name, in any order and with others beside them.

        Numbers are rounded to the model's precision first. A category that stands for a missing one is missing.

        Raises
        ------
        InvalidInput
            ``schema_mismatch`` where a feature is lacking.
        RowRefused
            ``bad_feature_type`` where a number is expected and there is a text, or the other way round.
        """
        features = statements.features
        n_bins = max((feature.n_bins for feature in features), default=1)
        bins = np.empty((len(features), len(rows)), dtype=np.min_scalar_type(n_bins - 1))
        columns = _columns(rows, [feature.name for feature in features])
        for feature, column, place in zip(features, columns, bins, strict=True):
            place[:] = _bins(feature, column, statements.precision)
        return cls(statements, bins)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.bins.shape[1])

    def has_missing(self, feature: int) -> bool:
        """Return whether some row misses a feature."""
        return bool((self.bins[feature] == self.statements.features[feature].missing_bin).any())

    def take(self, rows: NDArray[np.integer[Any]] | slice) -> "BinnedRows":
        """Return the bins of the rows at these 0-based positions, in this order."""
        return BinnedRows(self.statements, np.ascontiguousarray(self.bins[:, rows]))


def _columns(rows: Rows, names: Sequence[str]) -> tuple[NDArray[Any], ...]:
    try:
        return rows.select(names).columns
    except KeyError as error:
        msg = f"The rows lack the feature {error.args[0]!r}, which the model reads."
        raise InvalidInput(msg, code="schema_mismatch") from error


def _bins(
    feature: FeatureStatements, column: NDArray[Any], precision: type[np.float32 | np.float64]
) -> NDArray[np.int64]:
    if not feature.is_number:
        return _bins_of_texts(feature, column)
    with np.errstate(over="ignore"):
        values = _numbers(feature, column).astype(precision)
    bins = np.searchsorted(feature.cuts, values.astype(np.float64), side="left")
    bins[np.isnan(values)] = feature.missing_bin
    return bins


def _numbers(feature: FeatureStatements, column: NDArray[Any]) -> NDArray[np.float64]:
    if column.dtype != object:
        return column
    for row, value in enumerate(column):
        if value is not None:
            detail = f"feature {feature.name!r}: a number is expected; the value is {ascii(value)[:40]}"
            raise RowRefused("bad_feature_type", detail, row)
    return np.full(len(column), np.nan)


def _bins_of_texts(feature: FeatureStatements, column: NDArray[Any]) -> NDArray[np.int64]:
    if column.dtype != object:
        present = ~np.isnan(column)
        if present.any():
            row = int(np.argmax(present))
            detail = f"feature {feature.name!r}: a category (text) is expected; the value is {column[row]:g}"
            raise RowRefused("bad_feature_type", detail, row)
        return np.full(len(column), feature.missing_bin)
    known: dict[str | None, int] = {category: at for at, category in enumerate(feature.categories)}
    known |= dict.fromkeys((None, feature.missing_token), feature.missing_bin)
    n_known = len(feature.categories)
    return np.array([known.get(value, n_known) for value in column.tolist()], dtype=np.int64)
