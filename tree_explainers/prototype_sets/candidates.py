"""Which rows may become prototypes."""

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput


def sample_candidates(classes: NDArray[np.int64], n_candidates: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw the rows that may become prototypes where there are too many to look at them all.

    Parameters
    ----------
    classes : (n_rows,) int64
        Class of each row, 0 or more.
    n_candidates
        How many; all rows if there are no more.
    rng
        Draws the rows without replacement: first one of each class that occurs, in the order of the classes, then the
        others from all rows that are left, each as likely as any other.

    Returns
    -------
    (n_candidates,) int64
        Ascending.

    Raises
    ------
    InvalidInput
        If there are more classes than candidates.
    """
    if n_candidates >= len(classes):
        return np.arange(len(classes))
    present = np.unique(classes)
    if n_candidates < len(present):
        msg = f"n_candidates must be at least {len(present)}, one for each class that has rows, got {n_candidates}"
        raise InvalidInput(msg)
    one_each = [rng.choice(np.flatnonzero(classes == value)) for value in present]
    others = np.delete(np.arange(len(classes)), one_each)
    drawn = rng.choice(others, n_candidates - len(present), replace=False)
    return np.sort(np.concatenate([one_each, drawn]))
