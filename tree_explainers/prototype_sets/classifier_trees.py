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
from ..questions.cuts import Rounding, cuts_of_number
from ..questions.splits import ColumnSplits, base_of, model_value
from .leaf_boxes import parents


class RawTest(NamedTuple):
    """A test of one raw feature; a value for which it holds takes the first branch."""

    feature: int  # index among the model's features
    ranges: tuple[tuple[float, float], ...]  # of numbers: above the first end, up to the second, which may be infinite
    texts: tuple[str, ...]  # of categories
    is_among: bool  # it holds for values in the ranges, or of these texts; else for all others
    or_missing: bool  # it holds for a missing value


@dataclass(frozen=True, slots=True)
class ClassifierTree:
    """A tree cut down; its children are nodes from 0 on, or leaves: leaf ``i`` is written as -1 - i."""

    nodes: tuple[tuple[int, int, int], ...]  # (n_nodes,) test, child where it holds, the other; parents come first
    root: int
    leaves: tuple[int, ...]  # (n_prototypes,) leaf of each prototype, from 1 on; leaf 0 is nobody's
    weight: int


@dataclass(frozen=True, slots=True)
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
    tests: dict[RawTest, int] = {}
    parent, leaf_nodes = (
        parents(ensemble.left, ensemble.right),
        ensemble.leaf_nodes[ensemble.leaf_offsets[:-1] + leaves],
    )
    reader = _TestReader(ensemble, description, tests)
    trees = [
        _cut_down(ensemble, parent, leaf_nodes[:, tree], reader, int(weights[tree]))
        for tree in np.flatnonzero(weights > 0).tolist()
    ]
    return ClassifierTrees(tuple(tests), tuple(trees), int(weights.sum()))


def _cut_down(
    ensemble: TreeEnsemble, parent: NDArray[np.int32], own: NDArray[np.int32], reader: "_TestReader", weight: int
) -> ClassifierTree:
    numbers = {node: number for number, node in enumerate(dict.fromkeys(own.tolist()), 1)}
    kept: set[int] = set()
    for leaf in numbers:
        node = leaf
        while parent[node] != node and int(parent[node]) not in kept:
            node = int(parent[node])
            kept.add(node)
    order = {node: place for place, node in enumerate(sorted(kept))}  # children come after their parents

    def child(node: int) -> int:
        return order[node] if node in order else -1 - numbers.get(node, 0)

    root = 0 if order else -1 - numbers[int(own[0])]
    nodes = [(reader.test(node), child(int(ensemble.left[node])), child(int(ensemble.right[node]))) for node in order]
    return ClassifierTree(tuple(nodes), root, tuple(numbers[node] for node in own.tolist()), weight)


@dataclass(frozen=True, slots=True)
class _TestReader:
    """Reads the splits of nodes as tests of raw features, and numbers those that differ."""

    ensemble: TreeEnsemble
    description: ModelDescription
    tests: dict[RawTest, int]  # the number of each test found so far

    def test(self, node: int) -> int:
        """Return the number of a node's test, which holds where a value goes left."""
        column = self.description.columns[int(self.ensemble.column[node])]
        if column.transformed or column.raw_index is None:
            msg = (
                f"The trees test {column.name!r}, which cannot be mapped back to one raw feature: the classifier can "
                "be written as ONNX only."
            )
            raise MethodNotApplicable(msg)
        is_text = self.description.missing_tokens[column.raw_index] is not None
        found = self._of_text(column, node) if is_text else self._of_number(column, node)
        return self.tests.setdefault(found, len(self.tests))

    def _splits(self, node: int) -> ColumnSplits:
        one, trees = slice(node, node + 1), self.ensemble
        return ColumnSplits(trees.operator[one], trees.threshold[one], trees.missing_left[one], trees.members)

    def _of_text(self, column: ModelColumn, node: int) -> RawTest:
        named = column.categories if column.kind == "ordinal" else (column.category,)
        known = [each for each in dict.fromkeys((*named, column.imputed)) if isinstance(each, str)]
        splits = self._splits(node)
        goes_left = [
            bool(splits.answer(model_value(column, base_of(column, each)))[0]) for each in (*known, "\0", None)
        ]
        *of_known, of_others, of_missing = goes_left
        texts = tuple(each for each, left in zip(known, of_known, strict=True) if left != of_others)
        return RawTest(_index(column), (), texts, not of_others, of_missing)

    def _of_number(self, column: ModelColumn, node: int) -> RawTest:
        rounding = Rounding(Rounding.of(self.description, _index(column)).reads, np.float64)
        if column.kind in ("indicator", "ordinal") and not isinstance(column.category, str):
            return self._of_values(column, node, rounding)
        splits, operator = self._splits(node), Operator(self.ensemble.operator[node])
        cuts, missing_greater = cuts_of_number(column, splits, rounding)
        if operator in (Operator.EQ, Operator.NEQ, Operator.MEMBER):
            ends = np.sort(cuts).reshape(-1, 2).tolist()
            ranges = tuple((low, high) for low, high in ends)
            missing = self._missing_goes_left(column, splits)
            return RawTest(_index(column), ranges, (), operator != Operator.NEQ, missing)
        is_above = (operator in (Operator.GTE, Operator.GT)) != (column.scale < 0)
        return RawTest(
            _index(column), ((-inf, float(cuts[0])),), (), not is_above, bool(missing_greater[0]) == is_above
        )

    def _missing_goes_left(self, column: ModelColumn, splits: ColumnSplits) -> bool:
        imputed = column.imputed if isinstance(column.imputed, float | int) else None
        return bool(splits.answer(model_value(column, imputed))[0])

    def _of_values(self, column: ModelColumn, node: int, rounding: Rounding) -> RawTest:
        """Return the test of a column of indicators or codes of numbers, which are equal or are not."""
        named = column.categories if column.kind == "ordinal" else (column.category,)
        known = [float(each) for each in dict.fromkeys((*named, column.imputed)) if isinstance(each, float | int)]
        splits = self._splits(node)
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
    assert column.raw_index is not None  # noqa: S101  # for the type checker: others were refused
    return column.raw_index
