"""BinnedRows: for each row and feature the bin of its value, which determines the answers of all statements."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, RowRefused
from ..rows import Rows
from .statements import FeatureStatements, Statements

Bins = NDArray[np.unsignedinteger[Any]]


class KnownRows(Protocol):
    """Binned rows of which some process may know no more than this."""

    @property
    def statements(self) -> Statements:
        """The statements that bins determine."""

    def has_missing(self, feature: int) -> bool:
        """Return whether some row misses a feature."""


@dataclass(frozen=True, slots=True)
class BinnedRows:
    """The bins of some rows; see ``FeatureStatements`` for the values of a bin.

    They determine all statements of a row: for a number, statement ``j`` is true where the bin is above ``j``.
    """

    statements: Statements
    bins: NDArray[np.unsignedinteger[Any]]  # (n_features, n_rows), the smallest type that holds every bin

    @classmethod
    def of(cls, statements: Statements, rows: Rows) -> Self:
        """Return the bins of raw rows, which have the features by name, in any order, and may have others.

        Numbers are rounded to the model's precision first. The text that represents a missing category is missing.

        Raises
        ------
        InvalidInput
            ``schema_mismatch`` where a feature is missing.
        RowRefused
            ``bad_feature_type`` where a number is expected and there is a text, or the reverse.
        """
        features = statements.features
        n_bins = max((feature.n_bins for feature in features), default=1)
        bins = np.empty((len(features), len(rows)), dtype=np.min_scalar_type(n_bins - 1))
        columns = _columns(rows, [feature.name for feature in features])
        for feature, column, feature_bins in zip(features, columns, bins, strict=True):
            feature_bins[:] = _bins(feature, column, statements.precision)
        return cls(statements, bins)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.bins.shape[1])

    def has_missing(self, feature: int) -> bool:
        """Return whether some row misses a feature."""
        return bool((self.bins[feature] == self.statements.features[feature].missing_bin).any())

    def take(self, rows: NDArray[np.integer[Any]] | slice) -> "BinnedRows":
        """Return the bins of the rows with these 0-based indices, in this order."""
        return BinnedRows(self.statements, np.ascontiguousarray(self.bins[:, rows]))


def _columns(rows: Rows, names: Sequence[str]) -> tuple[NDArray[Any], ...]:
    try:
        return rows.select(names).columns
    except KeyError as error:
        msg = f"The rows do not have the feature {error.args[0]!r}, which the model reads."
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
    known: dict[str | None, int] = {category: index for index, category in enumerate(feature.categories)}
    known |= dict.fromkeys((None, feature.missing_token), feature.missing_bin)
    n_known = len(feature.categories)
    return np.array([known.get(value, n_known) for value in column.tolist()], dtype=np.int64)


class Layout(NamedTuple):
    """The statements and bins of all features, concatenated: arrays for compiled loops."""

    statement_starts: NDArray[np.int64]  # (n_features + 1,)
    bin_starts: NDArray[np.int64]  # (n_features + 1,)
    is_number: NDArray[np.bool_]  # (n_features,)
    missing_greater: NDArray[np.bool_]  # (n_statements,) of numbers
    answers: NDArray[np.bool_]  # of categories: statement by statement, (n_statements, n_bins) flattened
    answer_starts: NDArray[np.int64]  # (n_features + 1,)

    @property
    def n_statements(self) -> int:
        """Number of statements of all features."""
        return int(self.statement_starts[-1])

    @staticmethod
    def of(statements: Statements) -> "Layout":
        """Return the layout of an ensemble's statements."""
        features = statements.features
        none, no_answers = np.empty(0, np.bool_), np.empty((0, 0), np.bool_)
        answers = [no_answers if feature.answers is None else feature.answers for feature in features]
        sides = [
            feature.missing_greater if feature.is_number else np.zeros(feature.n_statements, np.bool_)
            for feature in features
        ]
        return Layout(
            statements.statement_starts,
            statements.bin_starts,
            np.array([feature.is_number for feature in features], dtype=np.bool_),
            np.concatenate([none, *sides]),
            np.concatenate([none, *(each.ravel() for each in answers)]),
            np.cumsum([0, *(each.size for each in answers)], dtype=np.int64),
        )
