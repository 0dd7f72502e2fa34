"""Infinite rows: whether a library predicts rows with infinite numbers, and some of them to compare predictions of."""

import warnings
from logging import getLogger
from typing import Any

import numpy as np

from ..row_kinds import is_frame
from .estimators import ModelInputs
from .threshold_rows import taken

_MOST_ROWS = 10
_LOG = getLogger("leafspace_client")


def is_finite_only(outer: Any, inputs: ModelInputs) -> bool:  # an estimator
    """Return whether the library refuses rows with an infinite number, though it predicts the same without it.

    It is false where no row is known that it predicts.
    """
    rows = _one_row(inputs)
    columns = [] if rows is None else _columns(rows, "fiub")
    if not columns or not predicts(outer, _without_infinities(rows)):
        return False
    return not all(predicts(outer, _filled(rows, columns, number)) for number in (np.inf, -np.inf))


def finite_rows(rows: Any) -> Any:  # a DataFrame or a matrix
    """Return the rows without an infinite number; ``None`` where none is left."""
    infinite = np.zeros(rows.shape[0], bool)
    for column in _columns(rows, "f"):
        infinite |= np.isinf(_values(rows, column))
    return taken(rows, (~infinite).nonzero()[0]) if not infinite.all() else None


def infinite_rows(rows: Any) -> Any:  # a DataFrame or a matrix
    """Return up to ten of the rows, each with an infinite number in another column; ``None`` where none can have one.

    Columns of whole numbers keep them.
    """
    columns = _columns(rows, "f")[:_MOST_ROWS]
    if not columns:
        return None
    chosen = _dense(taken(rows, np.arange(len(columns)) % rows.shape[0]))
    for row, column in enumerate(columns):
        number = np.inf if row % 2 == 0 else -np.inf
        values = _values(chosen, column)
        values[row] = number
        _put(chosen, column, values)
    return chosen


def _one_row(inputs: ModelInputs) -> Any:  # rows or None
    if inputs.rows is not None:
        return _dense(taken(inputs.rows, np.arange(1))) if inputs.rows.shape[0] else None
    return np.zeros((1, inputs.n_features)) if inputs.column_types is None else None


def _dense(rows: Any) -> Any:  # a DataFrame or a matrix, sparse or not
    return rows.copy() if is_frame(rows) else np.array(rows.toarray() if hasattr(rows, "toarray") else rows)


def _columns(rows: Any, kinds: str) -> list[int]:  # a DataFrame or a matrix
    """Return the columns of numpy's numbers of some kinds."""
    types = rows.dtypes if is_frame(rows) else [rows.dtype] * rows.shape[1]
    return [column for column, kind in enumerate(types) if isinstance(kind, np.dtype) and kind.kind in kinds]


def _values(rows: Any, column: int) -> Any:  # a DataFrame or a matrix
    """Return a copy of a column's numbers, (n_rows,)."""
    if is_frame(rows):
        return rows.iloc[:, column].to_numpy(copy=True)
    values = rows[:, [column]]
    return np.array(values.toarray() if hasattr(values, "toarray") else values)[:, 0]


def _put(rows: Any, column: int, values: Any) -> None:  # a DataFrame or a matrix
    if is_frame(rows):
        rows.isetitem(column, values)
    else:
        rows[:, column] = values


def _without_infinities(rows: Any) -> Any:  # a DataFrame or a matrix
    """Return the rows with 0 in place of infinities."""
    finite = rows.copy()
    for column in _columns(rows, "f"):
        values = _values(rows, column)
        values[np.isinf(values)] = 0
        _put(finite, column, values)
    return finite


def _filled(rows: Any, columns: list[int], number: float) -> Any:  # a DataFrame or a matrix
    """Return the rows with a number in these columns, which become floats."""
    filled = rows.copy() if is_frame(rows) or rows.dtype.kind == "f" else rows.astype(np.float64)
    for column in columns:
        kind = _values(rows, column).dtype
        _put(filled, column, np.full(rows.shape[0], number, kind if kind.kind == "f" else np.float64))
    return filled


def predicts(outer: Any, rows: Any) -> bool:  # an estimator, rows
    """Return whether the library predicts rows."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            outer.predict(rows)
    except Exception as error:  # noqa: BLE001  # libraries raise whatever they like
        _LOG.debug("rows are not predicted: %s", error)
        return False
    return True
