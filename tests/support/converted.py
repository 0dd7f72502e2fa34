"""What a converted model predicts once the service has read it."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from leafspace_client.conversion.parity import Parity
from numpy.typing import NDArray
from onnx import load_from_string

from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.session import ModelSession, Outcome
from tree_explainers.rows import Rows

from .models import rows_of_matrix

Table: TypeAlias = Any  # a DataFrame or a matrix


def read_converted(
    onnx: bytes, names: Sequence[str] | None, classes: tuple[str, ...] | None = None, *, oracle_only: bool = False
) -> ReadModel:
    feature_names = None if names is None else tuple(names)
    declared = DeclaredModel(feature_names=feature_names, classes=classes, oracle_only=oracle_only)
    return read_model(onnx, declared, ModelLimits())


def scores_of_converted(onnx: bytes, rows: Table) -> NDArray[np.floating[Any]]:
    """Return scores or values, shape (n_rows, n_outputs), for a DataFrame or a matrix."""
    return outcome_of_converted(onnx, rows).scores


def outcome_of_converted(
    onnx: bytes, rows: Table, classes: tuple[str, ...] | None = None, *, oracle_only: bool = False
) -> Outcome:
    """Return all predictions of the model for a DataFrame or a matrix."""
    raw = raw_rows(_features(onnx, rows))
    read = read_converted(onnx, list(raw.names), classes, oracle_only=oracle_only)
    return ModelSession(read.leaf_graph, read.description).run_in_chunks(raw)


def n_infinite(parity: Parity) -> int:
    """Return the number of parity rows with an infinite number, which come on top of the caller's."""
    return sum(any(value in {"Infinity", "-Infinity"} for value in row) for row in parity.rows)


def _features(onnx: bytes, rows: Table) -> Table:
    """Return the columns of a DataFrame that the graph reads, where it reads only some."""
    names = [each.name for each in load_from_string(onnx).graph.input]
    return rows[names] if isinstance(rows, pd.DataFrame) and set(names) < set(rows.columns) else rows


def raw_rows(rows: Table) -> Rows:
    """Return a DataFrame or a matrix as the service takes it."""
    return _rows_of_frame(rows) if isinstance(rows, pd.DataFrame) else rows_of_matrix(rows)


def _rows_of_frame(frame: pd.DataFrame) -> Rows:
    return Rows(tuple(frame.columns), tuple(_column(frame[name]) for name in frame.columns))


def _column(column: "pd.Series[Any]") -> NDArray[Any]:
    if not pd.api.types.is_numeric_dtype(column.dtype):
        values = [None if pd.isna(value) else value for value in column]
        is_text = any(isinstance(value, str) for value in values) or column.dtype == object
        return np.array(values, dtype=object if is_text else np.float64)
    return column.to_numpy(np.float64)
