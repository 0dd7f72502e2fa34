"""Single precision: thresholds rounded so that rows stay on their side of them, and what trees make of rounded rows.

Rounding to the nearest float32 keeps order: what is not above a threshold in double precision is not above it in single
precision. Values above a threshold that round to the same float32 as the threshold are lost. Where all values are exact
in float32 nothing need be lost: thresholds are rounded down instead.
"""

from typing import Any

import numpy as np

from .inputs import is_frame
from .kinds import final_step

_ROW_KINDS = "fiub"


class FlooringContainer:
    """What a converter adds tree nodes to: their thresholds are rounded down on the way, from double precision."""

    def __init__(self, container: Any) -> None:  # noqa: ANN401  # a converter's container
        self._container = container

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # whatever the container has
        return getattr(self._container, name)

    def add_node(self, *arguments: Any, **attributes: Any) -> Any:  # noqa: ANN401  # passed on
        """Add a node, with thresholds that are exact in float32."""
        if "nodes_values" in attributes:
            attributes["nodes_values"] = floor_float32(attributes["nodes_values"]).tolist()
        return self._container.add_node(*arguments, **attributes)


def nearest_float32(values: Any) -> Any:  # noqa: ANN401  # numpy's array types
    """Return the float32 numbers nearest to the values, as float64; beyond float32's range they are infinite."""
    with np.errstate(over="ignore"):
        return np.asarray(values, np.float64).astype(np.float32).astype(np.float64)


def floor_float32(values: Any) -> Any:  # noqa: ANN401  # numpy's array types
    """Return the largest float32 numbers that are not above the values, as float64."""
    nearest = nearest_float32(values)
    below = np.nextafter(nearest.astype(np.float32), np.float32(-np.inf))
    return np.where(nearest > values, below, nearest).astype(np.float64)


def lowest_alike(values: Any) -> Any:  # noqa: ANN401  # numpy's array types
    """Return the smallest float64 numbers that round to the same float32 as the values."""
    nearest = nearest_float32(values)
    below = np.nextafter(nearest.astype(np.float32), np.float32(-np.inf)).astype(np.float64)
    middle = below / 2 + nearest / 2  # halves first: the sum might overflow
    lowest = np.where(nearest_float32(middle) == nearest, middle, np.nextafter(middle, np.inf))
    return np.where(np.isfinite(nearest) & np.isfinite(below), lowest, values)


def is_exact(estimator: Any, rows: Any) -> bool:  # noqa: ANN401  # an estimator, rows or None
    """Whether every number that comes to the trees, after the steps before them, is exact in float32."""
    if rows is None or len(rows) == 0:
        return False
    return all(_survives(numbers) for numbers in _columns(before_trees(estimator, rows)))


def before_trees(estimator: Any, rows: Any) -> Any:  # noqa: ANN401  # an estimator, rows
    """Return rows as the last step of a pipeline gets them."""
    while getattr(estimator, "steps", None):
        if len(estimator.steps) > 1:
            rows = estimator[:-1].transform(rows)
        estimator = estimator.steps[-1][1]
    return rows


def rows_as_trees_see_them(estimator: Any, rows: Any, *, exact: bool) -> Any:  # noqa: ANN401  # an estimator, rows
    """Return what the last step, in double precision, treats as the graph treats the rows in single precision.

    The graph has thresholds rounded to nearest, unless ``exact``: each value then goes where the lowest value goes
    that rounds to the same float32.
    """
    seen = before_trees(estimator, _changed(rows, nearest_float32))
    return seen if exact else _changed(seen, lowest_alike)


def predictions_of(estimator: Any, rows: Any) -> Any:  # noqa: ANN401  # an estimator, rows
    """Return scores or values in float64, shape (n_rows, n_outputs)."""
    predict = estimator.predict_proba if hasattr(estimator, "predict_proba") else estimator.predict
    return np.asarray(predict(rows), np.float64).reshape(len(rows), -1)


def rows_with_other_predictions(estimator: Any, rows: Any, predictions: Any, *, exact: bool) -> Any:  # noqa: ANN401
    """Return which rows, shape (n_rows,), single precision sends to leaves that predict otherwise.

    The bounds are those that the service compares with.
    """
    seen = rows_as_trees_see_them(estimator, rows, exact=exact)
    rounded = predictions_of(final_step(estimator), seen)
    return ~np.isclose(rounded, predictions, rtol=1e-5, atol=1e-4).all(axis=1)


def _survives(numbers: Any) -> bool:  # noqa: ANN401  # numpy's array types
    return bool(np.array_equal(nearest_float32(numbers), np.asarray(numbers, np.float64), equal_nan=True))


def _columns(rows: Any) -> list[Any]:  # noqa: ANN401  # a DataFrame, a matrix or a sparse one
    if is_frame(rows):
        columns = (_numbers(rows.iloc[:, position]) for position in range(rows.shape[1]))
        return [column for column in columns if column is not None]
    return [rows.data.astype(np.float64) if hasattr(rows, "toarray") else np.asarray(rows, np.float64)]


def _changed(rows: Any, change: Any) -> Any:  # noqa: ANN401  # rows, a function of numbers
    if not is_frame(rows):
        dense = rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)
        return change(dense.astype(np.float64))
    changed = rows.copy()
    for position in range(rows.shape[1]):
        numbers = _numbers(rows.iloc[:, position])
        kind = getattr(rows.dtypes.iloc[position], "kind", "O")
        # Integers and booleans stay what they are where that is exact: encoders tell types apart.
        if numbers is not None and (kind == "f" or not _survives(numbers)):
            changed.isetitem(position, change(numbers))
    return changed


def _numbers(column: Any) -> Any:  # noqa: ANN401  # a Series; None where it has texts
    if getattr(column.dtype, "kind", "O") in _ROW_KINDS:
        return column.to_numpy(np.float64, na_value=np.nan)
    try:
        return column.to_numpy(np.float64)
    except (TypeError, ValueError):
        return None
