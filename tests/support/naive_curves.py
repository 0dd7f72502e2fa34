"""Slow, obvious twin of curves: the model itself predicts the row with one feature changed to each value."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.rows import Rows


def scores_with(
    session: ModelSession, row: Rows, changes: Sequence[Mapping[str, float | str | None]]
) -> NDArray[np.floating[Any]]:
    """Return what the model predicts of a row with each of the changes, (n_changes, n_scores)."""
    columns = []
    for name, column in zip(row.names, row.columns, strict=True):
        values = [change.get(name, column[0]) for change in changes]
        columns.append(np.array([None if v is None else v for v in values], dtype=column.dtype))
    scores: NDArray[np.floating[Any]] = session.predict(Rows(row.names, tuple(columns))).scores
    return scores


def numbers_to_try(thresholds: NDArray[np.float64], rng: np.random.Generator) -> list[float]:
    """Return numbers on both sides of each threshold, halfway between them, and at random."""
    cuts = np.unique(thresholds)
    single = cuts.astype(np.float32)
    sides = [np.nextafter(single, np.float32(end)).astype(np.float64) for end in (-np.inf, np.inf)]
    spread = (cuts[-1] - cuts[0] + 1) if len(cuts) else 1.0
    middle = cuts.mean() if len(cuts) else 0.0
    parts = [cuts, single, *sides, (cuts[1:] + cuts[:-1]) / 2, middle + rng.normal(size=20) * spread]
    return [float(value) for value in np.concatenate(parts)]
