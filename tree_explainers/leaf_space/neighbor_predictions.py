"""What a model says of rows, read off what it says of their neighbours: a proximity is worth what it predicts."""

import numpy as np
from numpy.typing import NDArray

from .neighborhoods import Neighborhoods

NO_LABEL = -1
"""The label that is read off where a row has no neighbour."""


def labels_of_neighbors(
    block: Neighborhoods, labels: NDArray[np.int64], n_classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the label of each row's nearest other, and the label that its neighbours' proximities add up to.

    Parameters
    ----------
    block
        Rows and their neighbours.
    labels : (n_all_rows,)
        Of all rows that may be neighbours, 0 to ``n_classes - 1``.
    n_classes
        Number of classes.

    Returns
    -------
    nearest, of_all : (n_rows,) int64
        ``NO_LABEL`` where no row is near; ties of sums: the first class.
    """
    votes = np.zeros((len(block.rows), n_classes), np.int64)
    voters = np.broadcast_to(np.arange(len(block.rows))[:, None], block.neighbors.shape)
    np.add.at(votes, (voters, labels[block.neighbors]), block.proximities)
    has_neighbors = block.proximities[:, 0] > 0
    nearest, leading = labels[block.neighbors[:, 0]], votes.argmax(axis=1)
    return np.where(has_neighbors, nearest, NO_LABEL), np.where(has_neighbors, leading, NO_LABEL)


def values_of_neighbors(
    block: Neighborhoods, values: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the value of each row's nearest other, and the mean value of its neighbours, by their proximities.

    Parameters
    ----------
    block
        Rows and their neighbours.
    values : (n_all_rows,)
        Of all rows that may be neighbours.

    Returns
    -------
    nearest, of_all : (n_rows,) float64
        NaN where no row is near.
    """
    weights = block.proximities.astype(np.float64)
    totals = weights.sum(axis=1)
    of_all = (weights * values[block.neighbors]).sum(axis=1) / np.where(totals > 0, totals, np.nan)
    return np.where(totals > 0, values[block.neighbors[:, 0]], np.nan), of_all


def fidelity(labels: NDArray[np.int64], read: NDArray[np.int64]) -> float:
    """Return the share of rows whose label was read off: (n_rows,) each."""
    return float(np.mean(labels == read))


def r2(values: NDArray[np.float64], read: NDArray[np.float64]) -> float | None:
    """Return the share of the variance of values that what was read off explains, (n_rows,) each.

    NaN counts as the mean of the values. ``None`` where these do not vary.
    """
    deviations = values - values.mean()
    if not deviations.any():
        return None
    errors = values - np.where(np.isnan(read), values.mean(), read)
    return float(1 - (errors**2).sum() / (deviations**2).sum())
