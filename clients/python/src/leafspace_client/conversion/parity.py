"""Parity: rows with the library's own predictions, so that the service can prove that the graph predicts the same.

The library sees the rows as the caller has them: what rounding to float32 spoils is a disagreement.
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
    """Return up to 100 rows, spread evenly over those that came along; ``None`` where there are none.

    Predictions are the library's own for the rows as they are, in double precision where they have it. Rows between a
    threshold and its float32 neighbour are left out, as no graph in float32 can tell them from the threshold: rows
    whose scores the library itself changes once the numbers are rounded to float32 and thresholds to the nearest. Where
    that would be more than half of the rows, none is left out: then the model does not fit float32, and is refused.
    """
    if inputs.rows is None or len(inputs.rows) == 0:
        return None
    sample, predictions = _representable(estimator, inputs.rows, _taken(inputs.rows, _spread(len(inputs.rows))))
    rows = [list(row.values()) if isinstance(row, dict) else list(row) for row in instances_of(sample)]
    return Parity(rows, predictions.tolist())


def _representable(estimator: Any, rows: Any, sample: Any) -> tuple[Any, Any]:  # noqa: ANN401  # an estimator, rows
    from .single_precision import (  # noqa: PLC0415  # imports an extra
        is_exact,
        predictions_of,
        rows_with_other_predictions,
    )

    predictions = predictions_of(estimator, sample)
    exact = is_exact(estimator, rows)
    differs = rows_with_other_predictions(estimator, sample, predictions, exact=exact)
    if 2 * int(differs.sum()) > len(differs):
        return sample, predictions
    kept = (~differs).nonzero()[0]
    return _taken(sample, kept), predictions[kept]


def _taken(rows: Any, positions: Any) -> Any:  # noqa: ANN401  # a DataFrame or a matrix
    return rows.iloc[positions] if is_frame(rows) else rows[positions]


def _spread(n_rows: int) -> list[int]:
    n_taken = min(n_rows, N_ROWS)
    return [index * n_rows // n_taken for index in range(n_taken)]
