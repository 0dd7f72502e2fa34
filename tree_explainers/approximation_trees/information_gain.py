"""Information gain of tests on rows whose class probabilities are known, and ISM's scores, labels and best test.

A test is any yes-or-no property of rows, known by its index: a statement of the ensemble about one feature
(``OrderedTests``), or a query without an order (``CoverLists``).
"""

from math import log2
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_for_loops
from .trees import NodeFacts

Units = NDArray[np.int64]
UNITS = 2.0**32  # of a probability of 1
GAIN, GAIN_RATIO, VARIANCE = (
    0,
    1,
    2,
)  # criteria: information gain, the same by the entropy of sides, decrease of variance
LEAST_GAIN = 1e-9  # bits: smaller gains are rounding


class Tests(Protocol):
    """Tests of rows, each known by its index."""

    @property
    def n_tests(self) -> int:
        """Number of tests."""

    def gains(self, rows: NDArray[np.int64], units: Units, min_samples_leaf: int) -> NDArray[np.float64]:
        """Return the gain of each test on some rows, (n_tests,): in bits, a ratio, or a decrease of variance.

        Parameters
        ----------
        rows : (n_own,)
            Ascending indices of the rows that reach a node.
        units : (n_rows, n_classes)
            The class probabilities of all rows, as ``in_units`` returns them.
        min_samples_leaf
            A test that leaves fewer rows on one side has a gain of 0. So has a test with the same result for all rows.

        References
        ----------
        Van Assche, Blockeel (2007), "Seeing the Forest through the Trees", equations 2 and 3.
        """

    def best(self, rows: NDArray[np.int64], units: Units, min_samples_leaf: int) -> tuple[int, float]:
        """Return the test of the highest gain (ties: the first), and its gain; -1 and 0 if no gain is above 0."""

    def holds(self, test: int, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for which of these rows a test succeeds, (n_own,)."""


def in_units(scores: NDArray[np.floating[Any]]) -> Units:
    """Return class probabilities as whole multiples of 2⁻³², (n_rows, n_classes), contiguous.

    Sums of whole numbers are the same in any order: tests that separate rows alike have exactly the same gain, however
    their sums are computed, and ties are real ties. Up to 2³⁰ rows can be added.
    """
    return np.ascontiguousarray(np.rint(np.clip(scores, 0, 1).astype(np.float64) * UNITS).astype(np.int64))


def highest(gains: NDArray[np.float64]) -> tuple[int, float]:
    """Return the best of tests; see ``Tests.best``."""
    best = int(gains.argmax()) if len(gains) else -1
    return (best, float(gains[best])) if best >= 0 and gains[best] > 0 else (-1, 0.0)


def best_test(tests: Tests, rows: NDArray[np.int64], units: Units, min_samples_leaf: int) -> tuple[int, float] | None:
    """Return the test of the highest gain (ties: the first), and its gain; ``None`` if no gain exceeds rounding."""
    best, gain = tests.best(rows, units, min_samples_leaf)
    return (best, gain) if gain > LEAST_GAIN else None


def in_centred_units(values: NDArray[np.floating[Any]]) -> Units:
    """Return a model's values, (n_rows, 1), in whole units: less their mean, by their largest distance from it.

    The decrease of variance of every test is multiplied by one factor by this; see ``in_units``.
    """
    mean = values.mean()
    return centred_units(values, mean, np.abs(values - mean).max())


def centred_units(values: NDArray[np.floating[Any]], mean: float, largest: float) -> Units:
    """Return the same, given the mean of all values, and the largest distance from it."""
    return np.ascontiguousarray(np.rint((values - mean) / (largest or 1.0) * UNITS).astype(np.int64))


@compiled_for_loops
def entropy(sums: Units) -> float:
    """Return the entropy of classes in bits, equation 3, of the sums of their probabilities, (n_classes,)."""
    total = 0
    for row_sums in sums:
        total += row_sums
    bits = 0.0
    for row_sums in sums:
        if row_sums > 0:
            share = row_sums / total
            bits -= share * log2(share)
    return bits


def entropy_of(shares: NDArray[np.float64]) -> float:
    """Return the entropy of shares of classes in bits, equation 3."""
    some = shares[shares > 0]
    return float(-(some * np.log2(some)).sum())


@compiled
def impurity(criterion: int, sums: Units) -> float:
    """Return what both parts of a node are compared with; 0 of a variance, whose decrease follows from the parts."""
    return 0.0 if criterion == VARIANCE else entropy(sums)


@compiled_for_loops
def gain_of(criterion: int, whole: float, n_yes: int, yes: Units, n_no: int, no: Units) -> float:
    """Return the gain of a test, given the sums of both parts; rounding may not make it negative.

    Equation 2: the entropy of the whole, less that of both parts, each weighted by its share of the rows. As a ratio,
    that by the entropy of these shares (Quinlan 1993). Of values the decrease of variance, the sum over both parts of
    share x mean squared, less the squared mean of the whole.
    """
    n_rows = n_yes + n_no
    if criterion == VARIANCE:
        decrease = 0.0
        for one in range(len(yes)):
            left, right = yes[one] / UNITS, no[one] / UNITS
            decrease += (n_no * left - n_yes * right) ** 2 / (float(n_yes) * n_no)
        return decrease / (float(n_rows) * n_rows)
    gain = max(0.0, whole - (n_yes / n_rows * entropy(yes) + n_no / n_rows * entropy(no)))
    if criterion == GAIN:
        return gain
    of_shares = (
        -(n_yes / n_rows * log2(n_yes / n_rows) + n_no / n_rows * log2(n_no / n_rows)) if n_yes and n_no else 0.0
    )
    return gain / of_shares if gain > LEAST_GAIN and of_shares > 0 else 0.0


class NodeLabels:
    """Scores and labels of training rows, as the ensemble predicts them.

    Parameters
    ----------
    units : (n_rows, n_classes)
        The scores, as ``in_units`` returns them.
    labels : (n_rows,)
        The ensemble's labels; ``None`` for regression.
    n_training
        Rows from here on are no training rows: they were drawn. ``None``: all are.
    values : (n_rows, 1)
        The ensemble's values, for regression.
    """

    def __init__(
        self,
        units: Units,
        labels: NDArray[np.int64] | None,
        n_training: int | None = None,
        values: NDArray[np.float64] | None = None,
    ) -> None:
        self.units = units
        self._labels, self._values = labels, values
        self._n_training = len(units) if n_training is None else n_training

    def facts(self, rows: NDArray[np.int64]) -> NodeFacts:
        """Return the mean scores of some rows, ascending, and the label of a leaf that holds them.

        That is the ensemble's, if it labels them alike; otherwise the class of the highest mean (ties: the first).
        """
        n_training = int(np.searchsorted(rows, self._n_training))
        n_drawn = len(rows) - n_training
        if self._values is not None:
            return NodeFacts(self._values[rows].mean(axis=0), None, n_training, n_drawn)
        totals = self.units[rows].sum(axis=0)
        label = self.common(rows)
        means = totals / (UNITS * max(1, len(rows)))
        return NodeFacts(means, int(totals.argmax()) if label is None else label, n_training, n_drawn)

    def common(self, rows: NDArray[np.int64]) -> int | None:
        """Return the label that the ensemble gives to all of some rows; ``None`` if it gives several, or values."""
        if self._labels is None:
            return None
        labels = self._labels[rows]
        return int(labels[0]) if len(labels) and (labels == labels[0]).all() else None
