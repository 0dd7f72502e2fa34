"""ISM where a test is nothing but a position: trees over any tests, those without an order among them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from .information_gain import Tests, in_units
from .ism_nodes import NodeLabels, best_test
from .tree_growth import Examined, Parting, TreeLimits, grow
from .trees import NodeFacts


@dataclass(frozen=True, slots=True)
class TestNode:
    """A node of a tree in preorder; rows for which its test succeeds go left."""

    __test__ = False  # its name is no invitation to pytest

    facts: NodeFacts
    test: int | None  # None at a leaf
    left: int  # positions among the nodes
    right: int


def grow_over_tests(
    tests: Tests,
    scores: NDArray[np.float64],
    labels: NDArray[np.int64],
    limits: TreeLimits = TreeLimits(),  # noqa: B008  # frozen
    report: ReportProgress = ignore_progress,
) -> tuple[TestNode, ...]:
    """Return the tree that ISM grows over tests of training rows, by the classes that an ensemble predicts for them.

    What a test asks, and whether it can be asked of other rows, is for the caller to know: first-order queries come
    as ``CoverLists``. Without boxes there is no safe pruning. See ``grow_ism`` for what is chosen.

    Parameters
    ----------
    tests
        Of n_rows rows.
    scores : (n_rows, n_classes)
        Probabilities.
    labels : (n_rows,)
        The ensemble's own classes.
    """
    known = NodeLabels(in_units(scores), labels)

    def examine(rows: NDArray[np.int64], n_levels: int) -> Examined[NDArray[np.int64], int]:
        best = best_test(tests, rows, known.units, max(1, limits.min_samples_leaf)) if n_levels else None
        if best is None:
            return Examined(known.facts(rows), None)
        holds = tests.holds(best[0], rows)
        improvement = best[1] * len(rows) / len(labels)
        return Examined(known.facts(rows), Parting(best[0], rows[holds], rows[~holds], improvement))

    nodes = grow(np.arange(len(labels)), examine, limits, report)
    return tuple(TestNode(node.facts, node.condition, node.left, node.right) for node in nodes)
