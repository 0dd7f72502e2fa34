"""Parity: rows with the library's own predictions, so that the service can prove that the graph predicts the same.

Numbers are rounded to float32 before the library sees them, as the graph will see them: rounding is no disagreement.
"""

from dataclasses import dataclass
from typing import Any

from ..cells import Cell
from ..rows import instances_of
from .inputs import ModelInputs, is_frame

N_ROWS = 100


@dataclass(frozen=True, slots=True)
class Parity:
    """Raw rows and what the library predicts for them."""

    rows: list[list[Cell]]  # values in the order of the features
    predictions: list[list[float]]  # scores of the classes, or one value

    def document(self) -> dict[str, Any]:
        """Return what goes into the metadata."""
        return {"rows": self.rows, "predictions": self.predictions}


def parity_rows(estimator: Any, inputs: ModelInputs) -> Parity | None:  # noqa: ANN401  # an estimator
    """Return up to 100 rows, spread evenly over those that came along; ``None`` where there are none."""
    if inputs.rows is None or len(inputs.rows) == 0:
        return None
    sample = _rounded_frame(inputs.rows) if is_frame(inputs.rows) else _rounded_matrix(inputs.rows)
    rows = [list(row.values()) if isinstance(row, dict) else list(row) for row in instances_of(sample)]
    return Parity(rows, _predictions(estimator, sample))


def _spread(n_rows: int) -> list[int]:
    n_taken = min(n_rows, N_ROWS)
    return [index * n_rows // n_taken for index in range(n_taken)]


def _rounded_matrix(matrix: Any) -> Any:  # noqa: ANN401  # a matrix
    taken = matrix[_spread(len(matrix))]
    return taken.astype("float32").astype(taken.dtype) if taken.dtype.kind in "fiu" else taken


def _rounded_frame(frame: Any) -> Any:  # noqa: ANN401  # a DataFrame
    taken = frame.iloc[_spread(len(frame))].copy()
    for position, dtype in enumerate(taken.dtypes):
        if getattr(dtype, "kind", "O") == "f":
            taken.isetitem(position, taken.iloc[:, position].astype("float32").astype(dtype))
    return taken


def _predictions(estimator: Any, sample: Any) -> list[list[float]]:  # noqa: ANN401  # an estimator, rows
    if hasattr(estimator, "predict_proba"):
        scores = estimator.predict_proba(sample)
    else:
        scores = estimator.predict(sample).reshape(len(sample), -1)
    predictions: list[list[float]] = scores.astype(float).tolist()
    return predictions
