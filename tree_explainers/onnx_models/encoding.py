"""From raw rows to the tensors that a graph takes: types, missing values, and errors for values that do not fit."""

from collections.abc import Sequence
from math import isfinite, isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, RowRefused
from ..rows import Rows
from .description import InputSpec, ModelDescription

Feeds = dict[str, NDArray[Any]]

_DTYPES: dict[str, np.dtype[Any]] = {
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
    "int64": np.dtype(np.int64),
    "int32": np.dtype(np.int32),
    "bool": np.dtype(np.bool_),
}
_LARGEST = {"int64": 2.0**53, "int32": 2.0**31 - 1, "bool": 1.0}  # beyond 2^53 a float64 is no exact integer


FEW_VALUES = 64
"""So many are looked at one by one, before numpy has begun."""


class RowEncoder:
    """Turns rows into tensors for one model."""

    def __init__(self, description: ModelDescription) -> None:
        self._names = description.feature_names
        self._tokens = description.missing_tokens
        self._is_finite_only = description.finite_only
        self._inputs: list[tuple[InputSpec, int, int]] = []
        first = 0
        for spec in description.inputs:
            self._inputs.append((spec, first, first + spec.width))
            first += spec.width
        self._reads_texts = any(spec.type == "string" for spec in description.inputs)

    def encode(self, rows: Rows) -> Feeds:
        """Return the tensors for rows that have the model's features, in any order and with others beside them.

        Raises
        ------
        InvalidInput
            ``schema_mismatch`` where a feature is lacking.
        RowRefused
            ``bad_feature_type`` or ``non_finite_number``, naming the first row and the feature.
        """
        columns = self._in_order(rows).columns
        return {
            spec.name: self._texts(columns[first:last], first, spec)
            if spec.type == "string"
            else self._numbers(_block(columns[first:last], self._names[first:last]), first, spec)
            for spec, first, last in self._inputs
        }

    def encode_matrix(self, values: NDArray[np.floating[Any]]) -> Feeds:
        """Return the tensors for numbers of shape (n_rows, n_features); NaN is a missing value.

        Raises
        ------
        InvalidInput
            Where the shape does not fit, or the model reads categories.
        RowRefused
            ``bad_feature_type`` or ``non_finite_number``, naming the first row and the feature.
        """
        if values.ndim != 2 or values.shape[1] != len(self._names):  # rows by columns
            msg = f"the shape is {values.shape}; (n_rows, {len(self._names)}) is expected"
            raise InvalidInput(msg)
        if self._reads_texts:
            msg = "the model reads categories; a matrix of numbers cannot hold them"
            raise InvalidInput(msg)
        return {spec.name: self._numbers(values[:, first:last], first, spec) for spec, first, last in self._inputs}

    def _in_order(self, rows: Rows) -> Rows:
        if rows.names == self._names:
            return rows
        try:
            return rows.select(self._names)
        except KeyError as error:
            detail = f"The rows lack the feature {error.args[0]!r}, which the model reads."
            raise InvalidInput(detail, code="schema_mismatch") from error

    def _numbers(self, block: NDArray[np.floating[Any]], first: int, spec: InputSpec) -> NDArray[Any]:
        if spec.type in _LARGEST:
            self._check_integers(block, first, spec)
        dtype = _DTYPES[spec.type]
        if block.dtype == dtype:
            values: NDArray[Any] = np.ascontiguousarray(block)
        else:
            with np.errstate(over="ignore"):
                values = np.ascontiguousarray(block, dtype=dtype)
        if has_infinite(values):
            self._check_infinite(block, values, first, spec)
        return values if spec.rank > 1 else values.reshape(-1)

    def _check_infinite(
        self, block: NDArray[np.floating[Any]], values: NDArray[Any], first: int, spec: InputSpec
    ) -> None:
        """Refuse infinite numbers where the library does, and finite ones that would become infinite."""
        is_refused = np.isinf(values) if self._is_finite_only else np.isinf(values) & np.isfinite(block)
        if is_refused.any():
            row, column = np.argwhere(is_refused)[0]
            value = block[row, column]
            why = f"is infinite as {spec.type}" if np.isfinite(value) else "is refused by the model's library, too"
            detail = f"the value {value:g} {why}; send null where it is not known"
            raise self._refusal("non_finite_number", int(row), first + int(column), detail)

    def _check_integers(self, block: NDArray[np.floating[Any]], first: int, spec: InputSpec) -> None:
        limit = _LARGEST[spec.type]
        lowest = 0.0 if spec.type == "bool" else -limit
        fits = (block == np.floor(block)) & (block >= lowest) & (block <= limit)  # NaN does not
        if not fits.all():
            row, column = np.argwhere(~fits)[0]
            what = "a boolean" if spec.type == "bool" else "an integer"
            value = block[row, column]
            text = "missing" if np.isnan(value) else f"{value:g}"
            detail = f"the model takes {what} here and has no way to read a missing value; the value is {text}"
            if value == np.floor(value):
                detail = f"the model takes {what} of at most {limit:.0f} here; the value is {value:.0f}"
            raise self._refusal("bad_feature_type", int(row), first + int(column), detail)

    def _texts(self, columns: Sequence[NDArray[Any]], first: int, spec: InputSpec) -> NDArray[Any]:
        texts = np.empty((len(columns[0]), spec.width), dtype=object)
        for offset, column in enumerate(columns):
            token = self._tokens[first + offset] or ""
            if column.dtype != object:
                column = self._all_missing(column, first + offset)  # noqa: PLW2901  # the same column, as it should be
            texts[:, offset] = [token if value is None else value for value in column]
        return texts if spec.rank > 1 else texts.reshape(-1)

    def _all_missing(self, column: NDArray[Any], index: int) -> NDArray[Any]:
        present = ~np.isnan(column)
        if present.any():
            row = int(np.argmax(present))
            detail = f"the model takes a category (text) here; the value is the number {column[row]:g}"
            raise self._refusal("bad_feature_type", row, index, detail)
        return np.full(len(column), None, dtype=object)

    def _refusal(self, code: str, row: int, feature: int, detail: str) -> RowRefused:
        return RowRefused(code, f"feature {self._names[feature]!r}: {detail}", row)


def has_infinite(values: NDArray[Any]) -> bool:
    """Return whether any number is infinite."""
    if values.size <= FEW_VALUES:
        return any(map(isinf, values.ravel().tolist()))
    return bool(np.isinf(values).any())


def are_finite(values: NDArray[Any]) -> bool:
    """Return whether no number is infinite or NaN."""
    if values.size <= FEW_VALUES:
        return all(map(isfinite, values.ravel().tolist()))
    return bool(np.isfinite(values).all())


def _block(columns: Sequence[NDArray[Any]], names: Sequence[str]) -> NDArray[np.float64]:
    """Return columns of numbers side by side, shape (n_rows, n_columns)."""
    if any(column.dtype == object for column in columns):
        columns = [_as_numbers(column, name) for column, name in zip(columns, names, strict=True)]
    block: NDArray[np.float64] = np.concatenate(columns).reshape(len(columns), -1).T
    return block


def _as_numbers(column: NDArray[Any], name: str) -> NDArray[np.float64]:
    if column.dtype == object:
        for row, value in enumerate(column):
            if value is not None:
                detail = f"feature {name!r}: a number is expected; the value is {ascii(value)[:40]}"
                raise RowRefused("bad_feature_type", detail, row)
        return np.full(len(column), np.nan)
    return column
