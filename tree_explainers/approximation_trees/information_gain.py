"""Information gain of tests on rows whose class probabilities are known, and ISM's scores, labels and best test.

A test is any yes-or-no property of rows, known by its index: a statement of the ensemble about one feature
(``OrderedTests``), or a query without an order (``CoverLists``).
"""

from math import log2
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from .trees import NodeFacts

Units = NDArray[np.int64]
UNITS = 2.0**32  # of a probability of 1
_LEAST_GAIN = 1e-9  # bits: smaller gains are rounding


class Tests(Protocol):
    """Tests of rows, each known by its index."""

    @property
    def n_tests(self) -> int:
        """Number of tests."""

    def gains(self, rows: NDArray[np.int64], units: Units, min_samples_leaf: int) -> NDArray[np.float64]:
        """Return the information gain of each test on some rows, (n_tests,), in bits.

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
    return (best, gain) if gain > _LEAST_GAIN else None


@compiled
def entropy(sums: Units) -> float:
    """Return the entropy of classes in bits, equation 3, of the sums of their probabilities, (n_classes,)."""
    total = 0
    for own in sums:
        total += own
    bits = 0.0
    for own in sums:
        if own > 0:
            share = own / total
            bits -= share * log2(share)
    return bits


@compiled
def gain_of(whole: float, n_yes: int, yes: Units, n_no: int, no: Units) -> float:
    """Return equation 2: the entropy of the whole, less that of both parts, each weighted by its share of the rows.

    Rounding may not make it negative.
    """
    n_rows = n_yes + n_no
    return max(0.0, whole - (n_yes / n_rows * entropy(yes) + n_no / n_rows * entropy(no)))


class NodeLabels:
    """Scores and labels of training rows, as the ensemble predicts them.

    Parameters
    ----------
    units : (n_rows, n_classes)
        The scores, as ``in_units`` returns them.
    labels : (n_rows,)
        The ensemble's labels.
    """

    def __init__(self, units: Units, labels: NDArray[np.int64]) -> None:
        self.units = units
        self._labels = labels

    def facts(self, rows: NDArray[np.int64]) -> NodeFacts:
        """Return the mean scores of some rows, and the label of a leaf that holds them.

        That is the ensemble's, if it labels them alike; otherwise the class of the highest mean (ties: the first).
        """
        totals = self.units[rows].sum(axis=0)
        label = self.common(rows)
        means = totals / (UNITS * max(1, len(rows)))
        return NodeFacts(means, int(totals.argmax()) if label is None else label, len(rows))

    def common(self, rows: NDArray[np.int64]) -> int | None:
        """Return the label that the ensemble gives to all of some rows; ``None`` if it gives several."""
        own = self._labels[rows]
        return int(own[0]) if len(own) and (own == own[0]).all() else None
