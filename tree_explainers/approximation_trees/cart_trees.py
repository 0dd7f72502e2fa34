"""scikit-learn's regression trees on pseudo rows, and the same trees as questions about raw features."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..questions.conditions import Condition, ConditionReader
from ..rows import Rows
from .asked_rows import AskedRows
from .node_facts import facts_of
from .rank_tables import RankTable
from .tree_growth import Examined, Parting, TreeLimits, grow
from .trees import ApproximationTree, NodeFacts

CartTree = Any  # scikit-learn ships no types


def fit_cart(matrix: NDArray[np.float32], targets: NDArray[np.float32], limits: TreeLimits, seed: int) -> CartTree:
    """Return scikit-learn's tree of least squares; on shares of classes that is Gini impurity.

    ``limits.min_samples_leaf`` counts rows of the matrix here.
    """
    # Imported late: it takes longer than everything else that a worker imports, and few jobs grow such trees.
    from sklearn.tree import DecisionTreeRegressor  # noqa: PLC0415

    tree = DecisionTreeRegressor(
        max_depth=limits.max_depth,
        min_samples_leaf=limits.min_samples_leaf,
        max_leaf_nodes=limits.max_leaves,
        random_state=seed,
    )
    return tree.fit(matrix, targets).tree_


@dataclass(frozen=True, slots=True)
class _Node:
    at: int  # among scikit-learn's nodes
    pseudo_rows: NDArray[np.int64]  # that reach it
    rows: NDArray[np.int64]  # training rows that reach it


@dataclass(frozen=True, slots=True)
class _Converter:
    tree: CartTree
    table: RankTable
    asked: AskedRows
    training: Rows
    reader: ConditionReader

    def examine(self, node: _Node, n_levels: int) -> Examined[_Node, Condition]:
        """Tell a node in raw features."""
        scores = self.asked.scores(self.tree.value[node.at, :, 0])
        if n_levels == 0 or self.tree.children_left[node.at] < 0:
            return Examined(self._facts(scores, node, 0), None)
        facts = self._facts(scores, node, len(node.pseudo_rows))
        column, threshold = int(self.tree.feature[node.at]), float(self.tree.threshold[node.at])
        missing_left = bool(self.tree.missing_go_to_left[node.at])
        goes_left = self.table.goes_left(node.pseudo_rows, column, threshold, missing_left=missing_left)
        condition, holds_left = self.table.condition(node.pseudo_rows, column, goes_left)
        holds = self.reader.holds(condition, self.training.take(node.rows))
        left, right = (
            _Node(self._child(node, left=side == holds_left), node.pseudo_rows[goes_left == (side == holds_left)], own)
            for side, own in ((True, node.rows[holds]), (False, node.rows[~holds]))
        )
        return Examined(facts, Parting(condition, left, right, improvement=0.0))

    def _facts(self, scores: NDArray[np.float64], node: _Node, n_pseudo_samples: int) -> NodeFacts:
        is_classifier = self.asked.scale.is_classifier
        return facts_of(scores, len(node.rows), n_pseudo_samples, is_classifier=is_classifier)

    def _child(self, node: _Node, *, left: bool) -> int:
        return int((self.tree.children_left if left else self.tree.children_right)[node.at])


def told_in_features(
    tree: CartTree, table: RankTable, asked: AskedRows, training: Rows, missing_texts: Mapping[str, str]
) -> ApproximationTree:
    """Return scikit-learn's tree as questions about raw features, which part the pseudo rows in the same way.

    Thresholds lie halfway between the neighbouring values of the pseudo rows that reach the node, in round numbers.
    """
    converter = _Converter(tree, table, asked, training, ConditionReader(np.float64, missing_texts))
    root = _Node(0, np.arange(len(asked.rows)), np.arange(len(training)))
    limits = TreeLimits(max_depth=int(tree.max_depth))
    return ApproximationTree(grow(root, converter.examine, limits), missing_texts)
