"""read_model, in the child: an ONNX file becomes a description, arrays and the graph that returns leaves.

The graph is run for one row and for as many as one call may have, and compared with the caller's own predictions
(parity), so that whatever can fail fails here first.
"""

import resource
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from storage.array_files import write_arrays
from tree_explainers.errors import ExplainerError, InvalidInput, ModelRefused, RowRefused
from tree_explainers.onnx_models.description import (
    DeclaredModel,
    FeatureGroup,
    ModelDescription,
    ModelLimits,
    column_types,
)
from tree_explainers.onnx_models.parity import check_parity
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.onnx_models.sniffing import HEAD_BYTES, sniff_model
from tree_explainers.rows import Rows

from .messages import ENSEMBLE, LEAF_GRAPH, Request

_MOST_ROWS = 1_000  # in one call
_MOST_BYTES_OF_ROWS = 512 * 1024**2


def read_model_upload(request: Request) -> dict[str, Any]:
    """Write the arrays and the graph beside the upload; return the description, and how far parity holds."""
    upload = Path(request.upload)
    data = upload.read_bytes()
    sniff_model(data[:HEAD_BYTES])
    read = read_model(data, _declared(request.metadata), ModelLimits(**request.limits))
    del data
    session = ModelSession(read.leaf_graph, read.description)
    if _predicts_one_row(session):
        _predict_many_rows(session)
    parity = compare_predictions(session, request.metadata.get("parity"))
    _write(read, upload.parent)
    return {"description": read.description.to_json(), "parity": parity}


def _declared(metadata: dict[str, Any]) -> DeclaredModel:
    return DeclaredModel(
        feature_names=_tuple(metadata.get("feature_names")),
        classes=_tuple(metadata.get("classes")),
        ensemble=metadata.get("ensemble"),
        feature_groups=tuple(FeatureGroup.from_json(group) for group in metadata.get("feature_groups") or ()),
    )


def _tuple(names: list[str] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(names)


def _predicts_one_row(session: ModelSession) -> bool:
    """Run the graph once, and return whether it takes the row.

    A crash of the runtime ends this process, and no other. Some models refuse the row for its values (a category that
    they do not know), which is valid; a model that reads numbers only has no reason to.
    """
    try:
        session.run(session.encode(_some_rows(session.description, 1)))
    except RowRefused as refusal:
        if refusal.code == "validation_failed" and all(spec.type != "string" for spec in session.description.inputs):
            detail = "the model cannot predict a row of zeros: its operators, types or shapes do not fit together"
            raise ModelRefused("model_invalid_graph", detail) from refusal
        return False
    return True


def _predict_many_rows(session: ModelSession) -> None:
    """Run the graph for the largest number of rows in one call: the growth of tensors shows here first.

    A few operators can make a matrix of all rows by all rows, or twice as many columns each. Sizes do not depend on
    values (``onnx_models.checking``), so that other rows take no more.
    """
    before = _peak_bytes()
    rows = session.encode(_some_rows(session.description, _MOST_ROWS))
    try:
        session.run(rows)
    except RowRefused as refusal:
        # The same row alone was accepted: there was no memory for all of them.
        raise _too_large() from refusal
    if _peak_bytes() - before > _MOST_BYTES_OF_ROWS:
        raise _too_large()


def _too_large() -> ModelRefused:
    detail = f"Predicting {_MOST_ROWS:,} rows takes more than {_MOST_BYTES_OF_ROWS // 1024**2} MiB of memory."
    return ModelRefused("model_too_complex", detail)


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _some_rows(description: ModelDescription, n_rows: int) -> Rows:
    columns: list[NDArray[Any]] = []
    for spec in description.inputs:
        is_text = spec.type == "string"
        value: NDArray[Any] = np.full(n_rows, None, np.object_) if is_text else np.zeros(n_rows)
        columns += [value] * spec.width
    return Rows(description.feature_names, tuple(columns))


def compare_predictions(session: ModelSession, parity: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return how closely the model agrees with ``{"rows", "predictions", "labels"}``, or None where there are none.

    Raises
    ------
    ModelRefused
        ``model_parity_failed``, or the code of what is wrong with the rows themselves.
    """
    if parity is None:
        return None
    try:
        rows = _parity_rows(session.description, parity["rows"])
        report = check_parity(session, rows, _matrix(parity["predictions"]), parity.get("labels"))
    except ModelRefused:
        raise
    except ExplainerError as error:
        raise ModelRefused(error.code, f"parity: {error.detail}") from error
    return {**asdict(report), "n_beyond_precision": parity.get("n_beyond_precision", 0)}


def _parity_rows(description: ModelDescription, rows: list[list[Any]]) -> Rows:
    n_features = len(description.feature_names)
    for index, row in enumerate(rows):
        if len(row) != n_features:
            msg = f"row {index} has {len(row)} values, the model has {n_features} features"
            raise InvalidInput(msg)
    types = column_types(description.inputs)
    columns = [_column([row[column] for row in rows], is_text=kind == "string") for column, kind in enumerate(types)]
    return Rows(description.feature_names, tuple(columns))


def _column(values: list[Any], *, is_text: bool) -> NDArray[Any]:
    if is_text:
        values = [value if value is None or isinstance(value, str) else f"{value:g}" for value in values]
    if is_text or any(isinstance(value, str) for value in values):
        # Texts in a column of numbers are refused by the session, which names row and feature.
        return np.array([None, *values], dtype=np.object_)[1:]
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _matrix(predictions: list[list[float]]) -> NDArray[np.float64]:
    if len({len(scores) for scores in predictions}) > 1:
        msg = "predictions differ in length; send one score for each class, or one value, in each row"
        raise InvalidInput(msg)
    return np.array(predictions, dtype=np.float64)


def _write(read: ReadModel, folder: Path) -> None:
    (folder / LEAF_GRAPH).write_bytes(read.leaf_graph)
    (folder / ENSEMBLE).write_bytes(write_arrays(read.ensemble.to_arrays()))
