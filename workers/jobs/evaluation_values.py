"""How far a regression's values are off, by their size; and what is decided by bands, of any model."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from schemas.evaluations import BandOutcome, RegressionEvaluation, ResidualBin
from tree_explainers.evaluations.error_figures import (
    Figure,
    loss_figure,
    mean_figure,
    r2_figure,
    root_mean_squared_error,
)
from tree_explainers.evaluations.rank_bins import RESIDUAL_SHARES, rank_bins

from .evaluation_figures import figure_view, share_of, share_where
from .evaluation_rows import EvaluatedRows

_N_BINS = 10


def evaluate_values(rows: EvaluatedRows) -> RegressionEvaluation:
    """Return how far predicted values are off."""
    values, predicted, residuals = rows.truth.values, rows.values, rows.residuals
    assert values is not None  # of a regression
    r2 = r2_figure(predicted, values)
    off_median = float(np.abs(values - np.median(values)).mean())
    return RegressionEvaluation(
        mean_absolute_error=figure_view(loss_figure(np.abs(residuals)), off_median),
        root_mean_squared_error=figure_view(root_mean_squared_error(residuals), float(values.std())),
        r2=None if r2 is None else figure_view(Figure(*r2), 0.0),
        mean_residual=figure_view(mean_figure(residuals), 0.0),
        residual_quantiles=_quantiles(residuals),
        bins=[_residual_bin(predicted[some], values[some]) for some in rank_bins(predicted, _N_BINS)],
    )


def _residual_bin(predicted: NDArray[np.float64], values: NDArray[np.float64]) -> ResidualBin:
    residuals = values - predicted
    return ResidualBin(
        low=float(predicted.min()),
        high=float(predicted.max()),
        n_rows=len(predicted),
        mean_prediction=float(predicted.mean()),
        mean_value=figure_view(mean_figure(values)),
        mean_absolute_error=figure_view(loss_figure(np.abs(residuals))),
        residual_quantiles=_quantiles(residuals),
    )


def _quantiles(residuals: NDArray[np.float64]) -> list[float]:
    shares: list[float] = np.quantile(residuals, RESIDUAL_SHARES).tolist()
    return shares


def evaluate_bands(rows: EvaluatedRows) -> Iterator[BandOutcome]:
    """Yield what became of the rows of each outcome that is decided; nothing without a decision."""
    rule = rows.model.description.decision
    if rule is None or rows.outcomes is None:
        return
    ends = (None, *rule.ends, None)
    for index, outcome in enumerate(rule.outcomes):
        inside = rows.outcomes == index
        yield BandOutcome(
            outcome=outcome,
            low=ends[index],
            below=ends[index + 1],
            is_adverse=outcome in rule.adverse,
            rows=share_of(int(np.count_nonzero(inside)), rows.n_rows),
            positive=None if rows.truth.classes is None else share_where(rows.truth.classes[inside] == rule.column),
            mean_value=None
            if rows.truth.values is None or not inside.any()
            else figure_view(mean_figure(rows.truth.values[inside])),
        )
