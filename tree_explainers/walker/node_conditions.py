"""The tests of all nodes as tests of one form, ``value <= cut``, whatever the graph's operators are."""

from dataclasses import dataclass, replace

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


def tests_of_whole_numbers(ensemble: TreeEnsemble) -> NodeTests:
    """Return the tests as ``tests_of`` does, those for membership among them: right where these read whole numbers."""
    of_sets = np.flatnonzero(ensemble.operator == Operator.MEMBER)
    if not len(of_sets):
        return tests_of(ensemble)
    operator = ensemble.operator.copy()
    operator[of_sets] = Operator.LEQ  # replaced below
    return _with_sets(tests_of(replace(ensemble, operator=operator)), ensemble, of_sets)


def _with_sets(tests: NodeTests, ensemble: TreeEnsemble, nodes: Ints) -> NodeTests:
    """Return the tests with those for membership replaced by chains.

    A chain tests whether the value is in the first run of members, if it is above, in the second, and so on.
    """
    low, high, cut = tests.low.copy(), tests.high.copy(), tests.cut.copy()
    missing_low, end = tests.missing_low.copy(), len(tests.leaf)
    added: list[tuple[int, float, int, int]] = []  # column, cut, low, high
    for node in nodes.tolist():
        member, other = int(ensemble.left[node]), int(ensemble.right[node])
        column, runs = int(ensemble.column[node]), _runs(ensemble.members[int(ensemble.threshold[node])])
        missing_low[node] = ensemble.missing_left[node]
        within = end + len(added)  # the test whether the value is in the run, or below it
        (first, cut[node]), *others = runs
        low[node], high[node] = within, within + 1 if others else other
        added.append((column, np.nextafter(first, -np.inf), other, member))
        for at, (start, last) in enumerate(others, start=1):
            following = end + len(added) + 2 if at < len(others) else other
            added.append((column, last, end + len(added) + 1, following))
            added.append((column, np.nextafter(start, -np.inf), other, member))
    columns, cuts, lows, highs = map(np.array, zip(*added, strict=True))
    return NodeTests(
        column=np.concatenate((tests.column, columns)),
        cut=np.concatenate((cut, cuts)),
        low=np.concatenate((low, lows)),
        high=np.concatenate((high, highs)),
        missing_low=np.concatenate((missing_low, np.zeros(len(added), np.bool_))),
        leaf=np.concatenate((tests.leaf, np.full(len(added), -1))),
    )


def _runs(members: Floats) -> list[tuple[float, float]]:
    """Return the first and the last of each run of neighbouring whole numbers; an empty set has a run of none."""
    values = np.unique(np.trunc(members))
    if not len(values):
        return [(np.inf, -np.inf)]
    breaks = np.flatnonzero(np.diff(values) != 1)
    firsts, lasts = values[np.append(0, breaks + 1)], values[np.append(breaks, len(values) - 1)]
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))


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
