"""What ISM makes of the rows of a node, whatever the tests are: their mean scores, their label, the best test."""

import numpy as np
from numpy.typing import NDArray

from .information_gain import UNITS, Tests, Units
from .trees import NodeFacts

_LEAST_GAIN = 1e-9  # bits: a test that tells less tells nothing but rounding


class NodeLabels:
    """Scores and labels of training rows, as the ensemble gives them.

    Parameters
    ----------
    units : (n_rows, n_classes)
        The scores, as ``in_units`` makes them.
    labels : (n_rows,)
        The ensemble's own.
    """

    def __init__(self, units: Units, labels: NDArray[np.int64]) -> None:
        self.units = units
        self._labels = labels

    def facts(self, rows: NDArray[np.int64]) -> NodeFacts:
        """Return the mean scores of some rows, and the label of a leaf that holds them.

        That is the ensemble's, where it labels them alike; else the class of the highest mean (ties: the earlier one).
        """
        totals = self.units[rows].sum(axis=0)
        label = self.common(rows)
        return NodeFacts(
            totals / (UNITS * max(1, len(rows))), int(totals.argmax()) if label is None else label, len(rows)
        )

    def common(self, rows: NDArray[np.int64]) -> int | None:
        """Return the label that the ensemble gives to all of some rows; ``None`` where it gives several."""
        own = self._labels[rows]
        return int(own[0]) if len(own) and (own == own[0]).all() else None


def best_test(tests: Tests, rows: NDArray[np.int64], units: Units, min_samples_leaf: int) -> tuple[int, float] | None:
    """Return the test of the highest gain (ties: the earlier one), and its gain; ``None`` where none tells anything."""
    best, gain = tests.best(rows, units, min_samples_leaf)
    return (best, gain) if gain > _LEAST_GAIN else None
