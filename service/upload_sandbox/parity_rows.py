"""Parity rows: what the caller's own library predicted, as it came in JSON, compared with the model."""

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tree_explainers.errors import ExplainerError, InvalidInput, ModelRefused
from tree_explainers.onnx_models.description import ModelDescription, column_types
from tree_explainers.onnx_models.parity import check_parity
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.rows import Rows


def compare(session: ModelSession, parity: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return how closely the model agrees with ``{"rows", "predictions", "labels"}``, or None where there are none.

    Raises
    ------
    ModelRefused
        ``model_parity_failed``, or the code of what is wrong with the rows themselves.
    """
    if parity is None:
        return None
    try:
        rows = _rows(session.description, parity["rows"])
        report = check_parity(session, rows, _matrix(parity["predictions"]), parity.get("labels"))
    except ModelRefused:
        raise
    except ExplainerError as error:
        raise ModelRefused(error.code, f"parity: {error.detail}") from error
    return {**asdict(report), "n_beyond_precision": parity.get("n_beyond_precision", 0)}


def _rows(description: ModelDescription, rows: list[list[Any]]) -> Rows:
    n_features = len(description.feature_names)
    for position, row in enumerate(rows):
        if len(row) != n_features:
            msg = f"row {position} has {len(row)} values, the model has {n_features} features"
            raise InvalidInput(msg)
    types = column_types(description.inputs)
    columns = [_column([row[index] for row in rows], is_text=kind == "string") for index, kind in enumerate(types)]
    return Rows(description.feature_names, tuple(columns))


def _column(values: list[Any], *, is_text: bool) -> NDArray[Any]:
    if is_text:
        values = [value if value is None or isinstance(value, str) else f"{value:g}" for value in values]
    if is_text or any(isinstance(value, str) for value in values):
        # Texts where a number belongs are for the session to refuse: it names row and feature.
        return np.array([None, *values], dtype=np.object_)[1:]
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _matrix(predictions: list[list[float]]) -> NDArray[np.float64]:
    if len({len(scores) for scores in predictions}) > 1:
        msg = "predictions differ in length; send one score for each class, or one value, in each row"
        raise InvalidInput(msg)
    return np.array(predictions, dtype=np.float64)
