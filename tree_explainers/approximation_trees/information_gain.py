"""Information gain of tests on rows with class probabilities, and what ISM reads off a node's rows."""

from math import log2
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from .trees import NodeFacts

Units = NDArray[np.int64]
UNITS = 2.0**32  # of a probability of 1


class Tests(Protocol):
    """Yes-or-no questions about rows, each known by its position."""

    @property
    def n_tests(self) -> int:
        """How many there are."""

    def gains(self, rows: NDArray[np.int64], units: Units, min_samples_leaf: int) -> NDArray[np.float64]:
        """Return what each test tells of the classes of some rows, (n_tests,), in bits.

        Parameters
        ----------
        rows : (n_own,)
            Ascending positions of the rows that reach a node.
        units : (n_rows, n_classes)
            The classes of all rows, as ``in_units`` makes them.
        min_samples_leaf
            A test that leaves fewer rows on one side tells nothing: its gain is 0. So is that of a test which is
            decided already, as all rows answer alike.

        References
        ----------
        Van Assche, Blockeel (2007), "Seeing the Forest through the Trees", equations 2 and 3.
        """

    def best(self, rows: NDArray[np.int64], units: Units, min_samples_leaf: int) -> tuple[int, float]:
        """Return the test of the highest gain (ties: the earlier one), and its gain; -1 and 0 where none tells any."""

    def holds(self, test: int, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for which of these rows a test succeeds, (n_own,)."""


def in_units(scores: NDArray[np.floating[Any]]) -> Units:
    """Return class probabilities as whole numbers of 2⁻³² parts, (n_rows, n_classes), contiguous.

    Sums of whole numbers are the same in any order: tests that part rows alike gain exactly the same, however their
    sums are made, and ties are real ties. Up to 2³⁰ rows can be added.
    """
    return np.ascontiguousarray(np.rint(np.clip(scores, 0, 1).astype(np.float64) * UNITS).astype(np.int64))


def highest(gains: NDArray[np.float64]) -> tuple[int, float]:
    """Return the best of tests; see ``Tests.best``."""
    best = int(gains.argmax()) if len(gains) else -1
    return (best, float(gains[best])) if best >= 0 and gains[best] > 0 else (-1, 0.0)


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
    """Return equation 2: entropy of the whole, less that of both parts, each weighed by its share of the rows.

    Rounding may not make it negative.
    """
    n_rows = n_yes + n_no
    return max(0.0, whole - (n_yes / n_rows * entropy(yes) + n_no / n_rows * entropy(no)))


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
