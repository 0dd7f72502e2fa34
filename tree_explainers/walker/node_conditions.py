"""The tests of all nodes as tests of one form, ``value <= cut``, whatever the graph's operators are."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..ensemble import Operator, TreeEnsemble

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_STRICT = (Operator.LT, Operator.GTE)
_NEGATED = (Operator.GTE, Operator.GT)
_OF_EQUALITY = (Operator.EQ, Operator.NEQ)


@dataclass(frozen=True, slots=True)
class NodeTests:
    """Nodes that compare one column with one cut each.

    A node may be the child of two others: a test of equality becomes two tests, each of which leads to where the
    value differs.
    """

    column: Ints  # (n_tests,) of the ensemble
    cut: Floats  # (n_tests,) float64: values up to it, the cut included, go to ``low``
    low: Ints  # (n_tests,) the node that follows; the first n_nodes are the ensemble's own
    high: Ints  # (n_tests,)
    missing_low: NDArray[np.bool_]  # (n_tests,) whether a missing value goes to ``low``
    leaf: Ints  # (n_tests,) leaf counted within its tree, or -1


def can_be_walked(ensemble: TreeEnsemble) -> bool:
    """Whether all operators can be written as tests: membership cannot.

    onnxruntime cuts off fractions for some members of a set and not for others, by its own order of them.
    """
    return not (ensemble.operator == Operator.MEMBER).any()


def tests_of(ensemble: TreeEnsemble) -> NodeTests:
    """Return the tests of an ensemble's nodes, in the order of the nodes, and those that had to be added behind them.

    ``<`` is ``<=`` with the next smaller float64 as the cut, which no float32 or float64 value distinguishes from it;
    ``>`` and ``>=`` are the contrary with the children exchanged. Equality tests whether the value is between two cuts.
    """
    leaf = np.full(ensemble.n_nodes, -1)
    first_leaf = np.repeat(ensemble.leaf_offsets[:-1], ensemble.n_leaves)
    leaf[ensemble.leaf_nodes] = np.arange(len(ensemble.leaf_nodes)) - first_leaf
    is_negated, is_strict = np.isin(ensemble.operator, _NEGATED), np.isin(ensemble.operator, _STRICT)
    threshold = ensemble.threshold.astype(np.float64)
    tests = NodeTests(
        column=ensemble.column.astype(np.int64),
        cut=np.where(is_strict, np.nextafter(threshold, -np.inf), threshold),
        low=np.where(is_negated, ensemble.right, ensemble.left).astype(np.int64),
        high=np.where(is_negated, ensemble.left, ensemble.right).astype(np.int64),
        missing_low=ensemble.missing_left != is_negated,
        leaf=leaf,
    )
    of_equality = np.flatnonzero(np.isin(ensemble.operator, _OF_EQUALITY))
    return _with_equality(tests, ensemble, of_equality) if len(of_equality) else tests


def _with_equality(tests: NodeTests, ensemble: TreeEnsemble, nodes: Ints) -> NodeTests:
    """Return the tests with those for equality replaced: whether the value is above, and if not, whether below."""
    is_contrary = ensemble.operator[nodes] == Operator.NEQ
    equal = np.where(is_contrary, ensemble.right[nodes], ensemble.left[nodes]).astype(np.int64)
    other = np.where(is_contrary, ensemble.left[nodes], ensemble.right[nodes]).astype(np.int64)
    low, high, missing_low = tests.low.copy(), tests.high.copy(), tests.missing_low.copy()
    low[nodes] = len(low) + np.arange(len(nodes))
    high[nodes] = other
    missing_low[nodes] = ensemble.missing_left[nodes] != is_contrary
    return NodeTests(
        column=np.concatenate((tests.column, tests.column[nodes])),
        cut=np.concatenate((tests.cut, np.nextafter(tests.cut[nodes], -np.inf))),
        low=np.concatenate((low, other)),
        high=np.concatenate((high, equal)),
        missing_low=np.concatenate((missing_low, np.zeros(len(nodes), np.bool_))),
        leaf=np.concatenate((tests.leaf, np.full(len(nodes), -1))),
    )
