"""Single precision: thresholds as numbers of it, and what an estimator makes of rows that were rounded to it."""

from typing import Any

import numpy as np
from onnx import TensorProto, load_from_string

from .inputs import is_frame
from .kinds import final_step

_ROW_KINDS = "fiub"


def nearest_float32(values: Any) -> Any:  # noqa: ANN401  # numpy's array types
    """Return the float32 numbers nearest to the values, as float64; beyond float32's range they are infinite."""
    with np.errstate(over="ignore"):
        return np.asarray(values, np.float64).astype(np.float32).astype(np.float64)


def floor_float32(values: Any) -> Any:  # noqa: ANN401  # numpy's array types
    """Return the largest float32 numbers that are not above the values, as float64."""
    nearest = nearest_float32(values)
    below = np.nextafter(nearest.astype(np.float32), np.float32(-np.inf))
    return np.where(nearest > values, below, nearest).astype(np.float64)


def before_trees(estimator: Any, rows: Any) -> Any:  # noqa: ANN401  # an estimator, rows
    """Return rows as the last step of a pipeline gets them."""
    while getattr(estimator, "steps", None):
        if len(estimator.steps) > 1:
            rows = estimator[:-1].transform(rows)
        estimator = estimator.steps[-1][1]
    return rows


def predictions_of(estimator: Any, rows: Any) -> Any:  # noqa: ANN401  # an estimator, rows
    """Return scores or values in float64, shape (n_rows, n_outputs)."""
    predict = estimator.predict_proba if hasattr(estimator, "predict_proba") else estimator.predict
    return np.asarray(predict(rows), np.float64).reshape(len(rows), -1)


def rows_with_other_predictions(estimator: Any, graph: bytes, rows: Any, predictions: Any) -> Any:  # noqa: ANN401
    """Return which rows, shape (n_rows,), single precision sends to leaves that predict otherwise.

    A graph that takes its rows in double precision rounds none of them. The bounds are those that the service compares
    with.
    """
    if any(each.type.tensor_type.elem_type == TensorProto.DOUBLE for each in load_from_string(graph).graph.input):
        return np.zeros(len(predictions), bool)
    final = final_step(estimator)
    rounded = predictions_of(final, before_trees(estimator, _changed(rows, nearest_float32)))
    return ~np.isclose(rounded, predictions, rtol=1e-5, atol=1e-4).all(axis=1)


def _survives(numbers: Any) -> bool:  # noqa: ANN401  # numpy's array types
    return bool(np.array_equal(nearest_float32(numbers), np.asarray(numbers, np.float64), equal_nan=True))


def _changed(rows: Any, change: Any) -> Any:  # noqa: ANN401  # rows, a function of numbers
    if not is_frame(rows):
        dense = rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)
        # Scalers calculate in the precision of their rows.
        return change(dense.astype(np.float64)).astype(np.float32 if dense.dtype == np.float32 else np.float64)
    changed = rows.copy()
    for position in range(rows.shape[1]):
        numbers = _numbers(rows.iloc[:, position])
        kind = getattr(rows.dtypes.iloc[position], "kind", "O")
        # Integers and booleans stay what they are where that is exact: encoders tell types apart.
        is_single = rows.dtypes.iloc[position] == np.float32
        if numbers is not None and not is_single and (kind == "f" or not _survives(numbers)):
            changed.isetitem(position, change(numbers))
    return changed


def _numbers(column: Any) -> Any:  # noqa: ANN401  # a Series; None where it has texts
    if getattr(column.dtype, "kind", "O") in _ROW_KINDS:
        return column.to_numpy(np.float64, na_value=np.nan)
    try:
        return column.to_numpy(np.float64)
    except (TypeError, ValueError):
        return None
