"""Groups of about as many rows by the ranks of their numbers, in which rows of one number stay together."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

RESIDUAL_SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)


def rank_bins(values: NDArray[np.floating[Any]], n_bins: int) -> list[NDArray[np.int64]]:
    """Return the rows of each group in ascending order of the groups' numbers; groups without rows are left out.

    The middle of the ranks of all rows of a number says in which of the equal parts of the ranks they are.

    Parameters
    ----------
    values : (n_rows,)
        Numbers without NaN; a row at least.
    n_bins
        Number of groups, 1 or more.
    """
    _, indices, counts = np.unique(values, return_inverse=True, return_counts=True)
    # Twice the middle rank, in whole numbers, so that no rounding decides.
    doubled = 2 * np.cumsum(counts) - counts
    bins = np.minimum(doubled * n_bins // (2 * len(values)), n_bins - 1)
    order = np.argsort(indices, kind="stable")
    edges = np.searchsorted(bins, np.arange(n_bins + 1))
    starts = np.concatenate([[0], np.cumsum(counts)])[edges]
    rows = [order[start:stop] for start, stop in pairwise(starts)]
    return [each for each in rows if len(each)]
