"""Figures of evaluations as they are answered: shares and means with their intervals."""

import numpy as np
from numpy.typing import NDArray

from schemas.evaluations import MeasuredFigure, MeasuredShare
from tree_explainers.evaluations.error_figures import Figure
from tree_explainers.share_intervals import wilson_interval

from .share_comparisons import interval_view


def share_of(n_counted: int, n_rows: int) -> MeasuredShare:
    """Return a share that was counted, with Wilson's interval."""
    return MeasuredShare(
        share=n_counted / n_rows if n_rows else None,
        n_counted=n_counted,
        n_rows=n_rows,
        interval=interval_view(wilson_interval(n_counted, n_rows)) if n_rows else None,
    )


def share_where(counts: NDArray[np.bool_]) -> MeasuredShare:
    """Return the share of rows that count, (n_rows,)."""
    return share_of(int(np.count_nonzero(counts)), len(counts))


def figure_view(figure: Figure, constant: float | None = None) -> MeasuredFigure:
    """Return a figure as it is answered, beside that of the best constant answer."""
    value, interval = figure
    return MeasuredFigure(
        value=value, interval=None if interval is None else interval_view(interval), constant=constant
    )
