"""CoverLists: tests without an order, each kept as the rows that it covers, and trees grown over such tests."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..compute.progress import ReportProgress, ignore_progress
from .information_gain import GAIN, NodeLabels, Tests, Units, best_test, gain_of, highest, impurity, in_units
from .tree_growth import ExaminedNode, Split, TreeLimits, grow
from .trees import NodeFacts

_ROWS_OF_A_BYTE = 8
_SUMS_AT_ONCE = 1_000_000  # whole numbers that stay near the processor: 8 MB
_PATTERNS = 256  # subsets of eight rows


class CoverLists:
    """Tests that are known only by the rows that they cover.

    A node's rows are a list of the same kind; the rows of a node for which a test succeeds are an intersection of bits.
    Sums over it are looked up eight rows at a time, in tables of the sums of all their 256 subsets.

    Parameters
    ----------
    packed : (n_tests, n_bytes) uint8
        Bit ``row % 8`` of byte ``row // 8``, the lowest first: whether a test succeeds for a row.
    n_rows
        Number of rows; bits beyond them are ignored.
    criterion
        That of gains: ``GAIN``, ``GAIN_RATIO`` or ``VARIANCE``.

    References
    ----------
    Van Assche, Blockeel (2007), "Seeing the Forest through the Trees", section 2.5.
    """

    def __init__(self, packed: NDArray[np.uint8], n_rows: int, criterion: int = GAIN) -> None:
        self._packed = np.ascontiguousarray(packed)
        self._n_rows, self._criterion = n_rows, criterion

    @classmethod
    def of(cls, covered: NDArray[np.bool_], criterion: int = GAIN) -> "CoverLists":
        """Return the lists of tests that are known row by row, (n_tests, n_rows)."""
        return cls(np.packbits(covered, axis=1, bitorder="little"), covered.shape[1], criterion)

    @property
    def n_tests(self) -> int:
        """Number of tests."""
        return len(self._packed)

    def gains(self, rows: NDArray[np.int64], units: Units, min_samples_leaf: int) -> NDArray[np.float64]:
        """Return the gain of each test on some rows; see ``Tests.gains``."""
        n_classes = units.shape[1]
        sums = np.zeros((self.n_tests, n_classes + 1), np.int64)
        length = max(1, _SUMS_AT_ONCE // (_PATTERNS * (n_classes + 1)))
        groups, masks = self._node_bytes(rows)
        for first in range(0, len(groups), length):
            here = slice(first, first + length)
            _add_sums(self._packed, groups[here], masks[here], units, sums)
        totals = np.append(units[rows].sum(axis=0), len(rows))
        return _gains(self._criterion, sums, totals, min_samples_leaf)

    def best(self, rows: NDArray[np.int64], units: Units, min_samples_leaf: int) -> tuple[int, float]:
        """Return the test of the highest gain, and its gain; see ``Tests.best``."""
        return highest(self.gains(rows, units, min_samples_leaf))

    def _node_bytes(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Return the indices of the bytes that hold some of these rows, and masks of their bits."""
        flags = np.zeros(self._n_rows, np.bool_)
        flags[rows] = True
        masks: NDArray[np.uint8] = np.packbits(flags, bitorder="little")
        groups = np.flatnonzero(masks)
        return groups, masks[groups]

    def holds(self, test: int, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for which of these rows a test succeeds, (n_own,)."""
        bits: NDArray[Any] = self._packed[test, rows // _ROWS_OF_A_BYTE] >> (rows % _ROWS_OF_A_BYTE).astype(np.uint8)
        return (bits & 1).astype(np.bool_)


@compiled
def _add_sums(
    packed: NDArray[np.uint8], groups: NDArray[np.int64], masks: NDArray[np.uint8], units: Units, sums: Units
) -> None:
    """Add to each test's sums the classes and the number of the rows of some bytes for which it succeeds."""
    n_classes = units.shape[1]
    table = np.zeros((len(groups), _PATTERNS, n_classes + 1), np.int64)
    for index in range(len(groups)):
        for pattern in range(1, _PATTERNS):
            bit = 0
            while not pattern >> bit & 1:
                bit += 1
            row = groups[index] * _ROWS_OF_A_BYTE + bit
            rest = pattern & (pattern - 1)  # the same but for its lowest bit
            if row < len(units):
                for label in range(n_classes):
                    table[index, pattern, label] = table[index, rest, label] + units[row, label]
                table[index, pattern, n_classes] = table[index, rest, n_classes] + 1
    for test in range(len(packed)):
        for index in range(len(groups)):
            pattern = packed[test, groups[index]] & masks[index]
            if pattern:
                for label in range(n_classes + 1):
                    sums[test, label] += table[index, pattern, label]


@compiled
def _gains(criterion: int, sums: Units, totals: Units, least: int) -> NDArray[np.float64]:
    """Return the gain of each test, from the sums and the number of rows (the last) for which it succeeds."""
    n_classes = len(totals) - 1
    n_rows, whole = totals[n_classes], impurity(criterion, totals[:n_classes])
    gains = np.zeros(len(sums))
    no = np.empty(n_classes, np.int64)
    for test in range(len(sums)):
        yes, n_yes = sums[test, :n_classes], sums[test, n_classes]
        for label in range(n_classes):
            no[label] = totals[label] - yes[label]
        if n_yes >= least and n_rows - n_yes >= least:
            gains[test] = gain_of(criterion, whole, n_yes, yes, n_rows - n_yes, no)
    return gains


@dataclass(frozen=True, slots=True)
class TestNode:
    """A node of a tree in preorder; rows for which its test succeeds go left."""

    __test__ = False  # pytest must not collect it

    facts: NodeFacts
    test: int | None  # None at a leaf
    left: int  # indices among the nodes
    right: int


def grow_over_tests(
    tests: Tests,
    scores: NDArray[np.float64],
    labels: NDArray[np.int64],
    limits: TreeLimits = TreeLimits(),  # noqa: B008  # frozen
    report: ReportProgress = ignore_progress,
) -> tuple[TestNode, ...]:
    """Return the tree that ISM grows over any tests of training rows, by the classes that an ensemble predicts.

    What a test means, and whether it applies to other rows, is known to the caller: first-order queries come as
    ``CoverLists``. Without boxes there is no safe pruning. See ``grow_ism`` for which test is chosen.

    Parameters
    ----------
    tests
        Tests of the training rows.
    scores : (n_rows, n_classes)
        Probabilities.
    labels : (n_rows,)
        The classes that the ensemble predicts.
    """
    known = NodeLabels(in_units(scores), labels)

    def examine(rows: NDArray[np.int64], n_levels: int) -> ExaminedNode[NDArray[np.int64], int]:
        best = best_test(tests, rows, known.units, max(1, limits.min_samples_leaf)) if n_levels else None
        if best is None:
            return ExaminedNode(known.facts(rows), None)
        holds = tests.holds(best[0], rows)
        improvement = best[1] * len(rows) / len(labels)
        return ExaminedNode(known.facts(rows), Split(best[0], rows[holds], rows[~holds], improvement))

    nodes = grow(np.arange(len(labels)), examine, limits, report)
    return tuple(TestNode(node.facts, node.condition, node.left, node.right) for node in nodes)
