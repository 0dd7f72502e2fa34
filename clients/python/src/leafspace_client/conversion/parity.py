"""Parity: rows with the library's own predictions, so that the service can prove that the graph predicts the same.

The library sees the rows as the caller has them: what rounding to float32 spoils is a disagreement.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from logging import getLogger
from typing import Any

from ..cells import Cell
from ..rows import instances_of
from .inputs import ModelInputs, is_frame

N_ROWS = 100
_LOG = getLogger("leafspace_client")
_BEYOND_PRECISION = (
    "%d of %d parity rows of this %s were left out: its graph takes numbers in single precision (about 7 digits), so "
    "that these rows get other scores than from the library, and perhaps other labels, as may other rows whose numbers "
    "lie on thresholds (model.parity: n_beyond_precision)"
)
_N_NEAR_TIES = 40  # rows whose two best scores are nearest to each other
_N_THRESHOLDS = 10  # each asked about at itself, just above and just below
_N_CANDIDATES = 10_000  # rows that are looked through for near ties


@dataclass(frozen=True, slots=True)
class Parity:
    """Raw rows and what the library predicts for them."""

    rows: list[list[Cell]]  # values in the order of the features
    predictions: list[list[float]]  # scores of the classes, or one value
    labels: list[str] | None  # names of classes; None for regression
    n_beyond_precision: int  # rows left out, which the graph's precision cannot tell from those beyond a threshold

    def document(self) -> dict[str, Any]:
        """Return what goes into the metadata."""
        document = {"rows": self.rows, "predictions": self.predictions, "n_beyond_precision": self.n_beyond_precision}
        return document if self.labels is None else {**document, "labels": self.labels}


def parity_rows(
    estimator: Any,  # noqa: ANN401  # an estimator
    inputs: ModelInputs,
    onnx: bytes,
    classes: Sequence[str] | None,
) -> Parity | None:
    """Return up to 100 rows, where a wrong conversion would show first; ``None`` where no rows came along.

    They are the rows whose two best scores are nearest to each other; rows that lie on thresholds and just beside them,
    where trees read the rows as they are; and rows spread evenly. Predictions are the library's own, in double
    precision where it has it.

    Rows are left out, counted and warned of, where single precision decides otherwise before they come to the trees:
    those whose scores the library itself changes once their numbers are rounded. Where that would be more than half of
    the rows, none is left out: then the model does not fit single precision, and is refused.
    """
    if inputs.rows is None or len(inputs.rows) == 0:
        return None
    from .single_precision import predictions_of, rows_with_other_predictions  # noqa: PLC0415  # imports an extra

    sample = _chosen(estimator, inputs, onnx)
    predictions = predictions_of(estimator, sample)
    differs = rows_with_other_predictions(estimator, onnx, sample, predictions)
    n_differing = int(differs.sum())
    if n_differing and 2 * n_differing <= len(differs):
        _LOG.warning(_BEYOND_PRECISION, n_differing, len(differs), type(estimator).__name__)
        kept = (~differs).nonzero()[0]
        sample, predictions = _taken(sample, kept), predictions[kept]
    else:
        n_differing = 0
    rows = [list(row.values()) if isinstance(row, dict) else list(row) for row in instances_of(sample)]
    return Parity(rows, predictions.tolist(), _labels(estimator, sample, classes), n_differing)


def _chosen(estimator: Any, inputs: ModelInputs, onnx: bytes) -> Any:  # noqa: ANN401  # an estimator, rows
    from .thresholds import rows_at_thresholds  # noqa: PLC0415  # imports an extra

    rows = inputs.rows
    n_threshold_rows = min(3 * _N_THRESHOLDS, max(0, N_ROWS - _N_NEAR_TIES))
    beside = rows_at_thresholds(onnx, inputs, n_threshold_rows)
    n_own = min(len(rows), N_ROWS - (0 if beside is None else len(beside)))
    positions = dict.fromkeys(_near_ties(estimator, rows)[:n_own])
    for position in _spread(len(rows), min(len(rows), N_ROWS)):
        if len(positions) < n_own:
            positions[position] = None
    own = _taken(rows, sorted(positions))
    return own if beside is None else _joined(own, beside)


def _near_ties(estimator: Any, rows: Any) -> list[int]:  # noqa: ANN401  # an estimator, rows
    """Return the positions of rows whose two best scores are nearest to each other, the nearest first."""
    if not hasattr(estimator, "predict_proba"):
        return []
    from .single_precision import predictions_of  # noqa: PLC0415  # imports an extra

    candidates = _spread(len(rows), min(len(rows), _N_CANDIDATES))
    scores = predictions_of(estimator, _taken(rows, candidates))
    scores.sort(axis=1)
    if scores.shape[1] == 1:
        return []
    order = (scores[:, -1] - scores[:, -2]).argsort(kind="stable")[:_N_NEAR_TIES]
    return [candidates[place] for place in order]


def _labels(estimator: Any, rows: Any, classes: Sequence[str] | None) -> list[str] | None:  # noqa: ANN401
    """Return the names of the classes that the library predicts."""
    known = getattr(estimator, "classes_", None)
    if classes is None or known is None or not hasattr(estimator, "predict_proba"):
        return None
    position = {label: index for index, label in enumerate(list(getattr(known, "tolist", lambda: known)()))}
    predicted = estimator.predict(rows).ravel().tolist()
    return [classes[_position(label, position)] for label in predicted]


def _position(label: Any, position: dict[Any, int]) -> int:  # noqa: ANN401  # a label
    # CatBoost tells booleans as texts.
    return position[label] if label in position else {str(known): at for known, at in position.items()}[label]


def _joined(rows: Any, others: Any) -> Any:  # noqa: ANN401  # two DataFrames or two matrices of numbers
    if is_frame(rows):
        import pandas as pd  # noqa: PLC0415  # an extra

        return pd.concat([rows.astype(others.dtypes), others], ignore_index=True)
    import numpy as np  # noqa: PLC0415  # an extra

    dense = rows.toarray() if hasattr(rows, "toarray") else rows
    return np.concatenate([np.asarray(dense, others.dtype), others])


def _taken(rows: Any, positions: Any) -> Any:  # noqa: ANN401  # a DataFrame or a matrix
    return rows.iloc[positions] if is_frame(rows) else rows[positions]


def _spread(n_rows: int, n_taken: int) -> list[int]:
    return [index * n_rows // n_taken for index in range(n_taken)]
