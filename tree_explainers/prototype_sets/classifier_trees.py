"""The nearest-prototype classifier on raw rows: each tree cut down to what parts the prototypes' leaves from the rest.

A row's nearest prototypes follow from which of their leaves it shares. So a tree needs no more than the paths to these
leaves: whatever leads to another leaf is one leaf, of nobody. Tests are about raw values in double precision and send a
value where the model does, which may round it first. Where the graph calculates with a number before (scaling), a test
is exact but for the rounding in between.
"""

from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..ensemble import Operator, TreeEnsemble
from ..errors import MethodNotApplicable
from ..onnx_models.description import ModelColumn, ModelDescription
from ..questions.cut_points import Rounding, cuts_of_number
from ..questions.splits import ColumnSplits, base_of, model_value
from .leaf_boxes import parents

# By operator.
_IS_EQUALITY, _GREATER_IS_LEFT = (
    np.isin(np.arange(len(Operator)), some)
    for some in ((Operator.EQ, Operator.NEQ, Operator.MEMBER), (Operator.GTE, Operator.GT))
)


class RawTest(NamedTuple):
    """A test of one raw feature; a value for which it holds takes the first branch."""

    feature: int  # index among the model's features
    ranges: tuple[tuple[float, float], ...]  # of numbers: above the first end, up to the second, which may be infinite
    texts: tuple[str, ...]  # of categories
    is_among: bool  # it holds for values in the ranges, or of these texts; else for all others
    or_missing: bool  # it holds for a missing value


@dataclass(frozen=True, slots=True, eq=False)
class ClassifierTree:
    """A tree cut down; its children are nodes from 0 on, or leaves: leaf ``i`` is written as -1 - i."""

    nodes: NDArray[np.int64]  # (n_nodes, 3) test, child where it holds, the other; parents come first
    root: int
    leaves: NDArray[np.int64]  # (n_prototypes,) leaf of each prototype, from 1 on; leaf 0 is nobody's
    weight: int


@dataclass(frozen=True, slots=True, eq=False)
class ClassifierTrees:
    """What the nearest-prototype classifier is made of."""

    tests: tuple[RawTest, ...]
    trees: tuple[ClassifierTree, ...]  # those that count
    total_weight: int


def classifier_trees(
    ensemble: TreeEnsemble, leaves: NDArray[np.int32], weights: NDArray[np.int64], description: ModelDescription
) -> ClassifierTrees:
    """Cut trees down to the prototypes' leaves.

    Parameters
    ----------
    ensemble
        The trees, cut back to coarser leaves where rows are compared by such.
    leaves : (n_prototypes, n_trees) int32
        Leaf of each prototype in each tree.
    weights : (n_trees,) int64
        What each tree counts; those of weight 0 are left out.
    description
        The model, whose columns are mapped back to raw features.

    Raises
    ------
    MethodNotApplicable
        Where a test that is needed is about a column that cannot be mapped back to one raw feature.
    """
    counted = np.flatnonzero(weights > 0)
    prototype_leaves = ensemble.leaf_nodes[ensemble.leaf_offsets[counted] + leaves[:, counted]]
    ancestors = _above(ensemble, prototype_leaves)
    reader = _TestReader(ensemble, description)
    tests, test_of_node = reader.tests(ancestors)
    first = np.searchsorted(ancestors, ensemble.offsets)  # of the nodes that are kept of each tree
    code = _codes(ensemble, ancestors, first, prototype_leaves)
    nodes = np.stack([test_of_node, code[ensemble.left[ancestors]], code[ensemble.right[ancestors]]], axis=1)
    numbers_of_trees = np.ascontiguousarray((-1 - code[prototype_leaves]).T)
    trees = [
        ClassifierTree(
            nodes[first[tree] : first[tree + 1]], int(code[ensemble.offsets[tree]]), numbers, int(weights[tree])
        )
        for tree, numbers in zip(counted.tolist(), numbers_of_trees, strict=True)
    ]
    return ClassifierTrees(tests, tuple(trees), int(weights.sum()))


def _above(ensemble: TreeEnsemble, leaf_nodes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the nodes above some leaves, ascending: children come after their parents."""
    parent, is_above = parents(ensemble.left, ensemble.right), np.zeros(ensemble.n_nodes, dtype=np.bool_)
    reached = np.unique(leaf_nodes)
    while len(reached):
        above = parent[reached]
        reached = np.unique(above[(above != reached) & ~is_above[above]])
        is_above[reached] = True
    return np.flatnonzero(is_above)


def _codes(
    ensemble: TreeEnsemble, ancestors: NDArray[np.int64], first: NDArray[np.int64], prototype_leaves: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Return how each node is written as a child, (n_nodes,): its place in the tree, or -1 less the leaf's number.

    Leaves are numbered in the order of the prototypes; 0 is nobody's.
    """
    code = np.full(ensemble.n_nodes, -1, dtype=np.int64)
    code[ancestors] = np.arange(len(ancestors)) - np.repeat(first[:-1], np.diff(first))
    for of_tree in prototype_leaves.T:
        distinct, earliest = np.unique(of_tree, return_index=True)
        code[distinct[np.argsort(earliest)]] = -2 - np.arange(len(distinct))
    return code


@dataclass(frozen=True, slots=True)
class _TestReader:
    """Reads the splits of nodes as tests of raw features, and numbers those that differ."""

    ensemble: TreeEnsemble
    description: ModelDescription

    def tests(self, nodes: NDArray[np.int64]) -> tuple[tuple[RawTest, ...], NDArray[np.int64]]:
        """Return the tests that nodes make, by their first node, and the number of each node's test, (n_nodes,).

        A test holds where a value goes left. Equal splits are read once, those of one column together.
        """
        trees = self.ensemble
        keys = [values[nodes] for values in (trees.missing_left, trees.threshold, trees.operator, trees.column)]
        keys = [key for key in keys[:-1] if (key != key[:1]).any()] + keys[-1:]  # others sort nothing, and take time
        order = np.lexsort(keys)  # by column, and in the order of the nodes where all are equal
        is_new = np.zeros(len(nodes), dtype=np.bool_)
        is_new[:1] = True
        for key in keys:
            in_order = key[order]
            is_new[1:] |= in_order[1:] != in_order[:-1]
        distinct, split_of_node = order[is_new], np.empty(len(nodes), dtype=np.int64)
        split_of_node[order] = np.cumsum(is_new) - 1
        tests = self._of_splits(nodes[distinct])
        numbers: dict[RawTest, int] = {}
        number_of_split = np.empty(len(distinct), dtype=np.int64)
        by_node = np.argsort(distinct)
        number_of_split[by_node] = [numbers.setdefault(tests[split], len(numbers)) for split in by_node.tolist()]
        return tuple(numbers), number_of_split[split_of_node]

    def _of_splits(self, nodes: NDArray[np.int64]) -> list[RawTest]:
        """Return the tests of some nodes, which are in the order of their columns."""
        columns, starts = np.unique(self.ensemble.column[nodes], return_index=True)
        tests: list[RawTest] = []
        of_columns = np.split(nodes, starts[1:]) if len(nodes) else []  # trees without any split have none
        for column, of_column in zip(columns.tolist(), of_columns, strict=True):
            tests += self._of_column(self.description.columns[column], of_column)
        return tests

    def _of_column(self, column: ModelColumn, nodes: NDArray[np.int64]) -> list[RawTest]:
        if column.transformed or column.raw_index is None:
            msg = (
                f"The trees test {column.name!r}, which cannot be mapped back to one raw feature: the classifier can "
                "be written as ONNX only."
            )
            raise MethodNotApplicable(msg)
        if self.description.missing_tokens[column.raw_index] is not None:
            return [self._of_text(column, node) for node in nodes.tolist()]
        rounding = Rounding(Rounding.of(self.description, column.raw_index).reads, np.float64)
        if column.kind in ("indicator", "ordinal") and not isinstance(column.category, str):
            return [self._of_values(column, node, rounding) for node in nodes.tolist()]
        is_ordered = ~_IS_EQUALITY[self.ensemble.operator[nodes]]
        of_order = self._of_order(column, nodes[is_ordered], rounding)
        if len(of_order) == len(nodes):
            return of_order
        ordered = iter(of_order)
        return [
            next(ordered) if is_one else self._of_equality(column, node, rounding)
            for node, is_one in zip(nodes.tolist(), is_ordered.tolist(), strict=True)
        ]

    def _splits(self, nodes: NDArray[np.int64]) -> ColumnSplits:
        trees = self.ensemble
        return ColumnSplits(trees.operator[nodes], trees.threshold[nodes], trees.missing_left[nodes], trees.members)

    def _of_text(self, column: ModelColumn, node: int) -> RawTest:
        named = column.categories if column.kind == "ordinal" else (column.category,)
        known = [each for each in dict.fromkeys((*named, column.imputed)) if isinstance(each, str)]
        splits = self._splits(np.array([node]))
        goes_left = [
            bool(splits.answer(model_value(column, base_of(column, each)))[0]) for each in (*known, "\0", None)
        ]
        *of_known, of_others, of_missing = goes_left
        texts = tuple(each for each, left in zip(known, of_known, strict=True) if left != of_others)
        return RawTest(_index(column), (), texts, not of_others, of_missing)

    def _of_order(self, column: ModelColumn, nodes: NDArray[np.int64], rounding: Rounding) -> list[RawTest]:
        """Return the tests of nodes that compare by order."""
        splits, feature = self._splits(nodes), _index(column)
        cuts, missing_greater = cuts_of_number(column, splits, rounding)
        is_above = _GREATER_IS_LEFT[splits.operator] != (column.scale < 0)
        return [
            RawTest(feature, ((-inf, cut),), (), not above, missing)
            for cut, above, missing in zip(
                cuts.tolist(), is_above.tolist(), (missing_greater == is_above).tolist(), strict=True
            )
        ]

    def _of_equality(self, column: ModelColumn, node: int, rounding: Rounding) -> RawTest:
        splits = self._splits(np.array([node]))
        cuts, _ = cuts_of_number(column, splits, rounding)
        ranges = tuple((low, high) for low, high in np.sort(cuts).reshape(-1, 2).tolist())
        is_among = self.ensemble.operator[node] != Operator.NEQ
        imputed = column.imputed if isinstance(column.imputed, float | int) else None
        return RawTest(_index(column), ranges, (), bool(is_among), bool(splits.answer(model_value(column, imputed))[0]))

    def _of_values(self, column: ModelColumn, node: int, rounding: Rounding) -> RawTest:
        """Return the test of a column of indicators or codes of numbers, which are equal or are not."""
        named = column.categories if column.kind == "ordinal" else (column.category,)
        known = [float(each) for each in dict.fromkeys((*named, column.imputed)) if isinstance(each, float | int)]
        splits = self._splits(np.array([node]))
        answers = [splits.answer(model_value(column, base_of(column, each)))[0] for each in (*known, inf, None)]
        *of_known, of_others, of_missing = map(bool, answers)
        values = [each for each, left in zip(known, of_known, strict=True) if left != of_others]
        ranges = tuple(_around(value, rounding) for value in sorted(values))
        return RawTest(_index(column), ranges, (), not of_others, of_missing)


def _around(value: float, rounding: Rounding) -> tuple[float, float]:
    """Return the numbers that the model reads as a value: those above the first end, up to the second."""
    read = rounding.reads(value)
    below = np.nextafter(read, rounding.reads(-np.inf))
    low, high = rounding.lower(np.array([below, read], dtype=np.float64)).tolist()
    return low, high


def _index(column: ModelColumn) -> int:
    assert column.raw_index is not None  # for the type checker: others were refused
    return column.raw_index
