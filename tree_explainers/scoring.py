"""What judging predictions takes, whoever made them: shares that weigh classes alike, and constants to compare with."""

import numpy as np
from numpy.typing import NDArray


def balanced_share(holds: NDArray[np.bool_], classes: NDArray[np.int64]) -> float:
    """Return the mean, over the classes that rows have, of the share of their rows for which something holds.

    Parameters
    ----------
    holds : (n_rows,)
        Whether it holds; a row at least.
    classes : (n_rows,) int64
        Class of each row, 0 or more.
    """
    n_rows = np.bincount(classes)
    n_held = np.bincount(classes[holds], minlength=len(n_rows))
    return float((n_held[n_rows > 0] / n_rows[n_rows > 0]).mean())


def constant_class(classes: NDArray[np.int64]) -> int:
    """Return the class that most rows have (ties: the first): no other constant is right more often."""
    return int(np.bincount(classes).argmax())


def constant_value(values: NDArray[np.float64]) -> float:
    """Return the mean, which no other constant beats by squared errors."""
    return float(values.mean())
