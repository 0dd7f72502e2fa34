"""read_model, in the child: an ONNX file becomes a description, arrays and the graph that gives leaves."""

import resource
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from storage.array_files import write_arrays
from tree_explainers.errors import ModelRefused, RowRefused
from tree_explainers.onnx_models.description import DeclaredModel, FeatureGroup, ModelDescription, ModelLimits
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.onnx_models.sniffing import HEAD_BYTES, sniff_model
from tree_explainers.rows import Rows

from .file_names import ENSEMBLE, LEAF_GRAPH
from .messages import Request
from .parity_rows import compare

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
    parity = compare(session, request.metadata.get("parity"))
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

    What brings the runtime down brings this process down, and no other. Some models refuse the row for its values (a
    category that they do not know), which is their right; one that reads numbers only has no reason to.
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
    """Run the graph for as many rows as one call may bring: what tensors grow to is seen here, and nowhere else first.

    A few operators can make a matrix of all rows by all rows, or twice as many columns each. Sizes do not depend on
    values (``size_checks``), so that other rows take no more.
    """
    before = _peak_bytes()
    rows = session.encode(_some_rows(session.description, _MOST_ROWS))
    try:
        session.run(rows)
    except RowRefused as refusal:
        # The same row by itself was taken: there was no memory for so many.
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


def _write(read: ReadModel, folder: Path) -> None:
    (folder / LEAF_GRAPH).write_bytes(read.leaf_graph)
    (folder / ENSEMBLE).write_bytes(write_arrays(read.ensemble.to_arrays()))
