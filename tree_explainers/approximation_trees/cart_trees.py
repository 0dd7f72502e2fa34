"""scikit-learn's regression trees on pseudo rows, and the same trees as conditions on raw features.

scikit-learn reads single precision, in which neighbouring raw values may be equal. So it is given ranks, which are
exact, and its thresholds are translated back into raw values.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..questions.conditions import Condition, ConditionReader, Operator
from ..rows import Rows
from .candidate_splits import round_midpoints
from .node_boxes import is_missing
from .oracle import LabelledRows
from .tree_growth import ExaminedNode, Split, TreeLimits, grow
from .trees import ApproximationTree, NodeFacts, facts_of

CartTree = Any  # scikit-learn ships no types


@dataclass(frozen=True, slots=True)
class _Column:
    """What a column of the matrix holds."""

    name: str  # the raw column's
    values: NDArray[np.float64]  # of a number: its distinct values, ascending
    category: str | None = None
    is_number: bool = False  # else an indicator: of the category, or of the missing value where that is None


@dataclass(frozen=True, slots=True)
class RankTable:
    """Rows as a matrix of single precision.

    A number is a column of its ranks among the distinct values, exact up to 2^24, NaN where it is missing. A category
    is one column of 0 and 1 for each that occurs, and one for the missing value if some row misses it.
    """

    matrix: NDArray[np.float32]  # (n_rows, n_columns)
    columns: tuple[_Column, ...]

    @classmethod
    def of(cls, rows: Rows, missing_texts: Mapping[str, str]) -> Self:
        """Return the table of rows."""
        columns: list[_Column] = []
        parts: list[NDArray[Any]] = []
        for name, values in zip(rows.names, rows.columns, strict=True):
            missing = is_missing(values, missing_texts.get(name))
            if values.dtype == object:
                present: list[str | None] = sorted(set(values[~missing]))
                for category in [*present, *([None] if missing.any() else [])]:
                    columns.append(_Column(name, np.empty(0), category))
                    parts.append(missing if category is None else values == category)
            else:
                distinct, ranks = np.unique(values[~missing], return_inverse=True)
                columns.append(_Column(name, distinct, is_number=True))
                parts.append(np.full(len(values), np.nan, np.float32))
                parts[-1][~missing] = ranks
        return cls(np.column_stack([part.astype(np.float32) for part in parts]), tuple(columns))

    def goes_left(
        self, rows: NDArray[np.int64], column: int, threshold: float, *, missing_left: bool
    ) -> NDArray[np.bool_]:
        """Return which rows scikit-learn sends left, (n_rows,), given their indices."""
        ranks = self.matrix[rows, column]
        return np.where(np.isnan(ranks), missing_left, ranks <= threshold)

    def condition(self, rows: NDArray[np.int64], column: int, goes_left: NDArray[np.bool_]) -> tuple[Condition, bool]:
        """Return a split as a condition, and whether it holds for the rows that go left.

        Parameters
        ----------
        rows : (n_at_node,)
            Indices of the rows that reach the node.
        column
            Index of the column that the node tests.
        goes_left : (n_at_node,)
            Which of them go left.
        """
        ranked = self.columns[column]
        if not ranked.is_number:
            operator: Operator = "is missing" if ranked.category is None else "is"
            return Condition(ranked.name, ranked.name, operator, ranked.category, or_missing=False), False
        ranks = self.matrix[rows, column]
        missing = np.isnan(ranks)
        low, high = ranks[goes_left & ~missing], ranks[~goes_left & ~missing]
        if not (len(low) and len(high)):
            return Condition(ranked.name, ranked.name, "is missing", None, or_missing=False), not len(low)
        cut = _between(float(ranked.values[int(low.max())]), float(ranked.values[int(high.min())]))
        return Condition(ranked.name, ranked.name, "<=", cut, or_missing=bool(goes_left[missing].any())), True


def _between(low: float, high: float) -> float:
    middle = float(round_midpoints(np.array([low]), np.array([high]))[0])
    return middle if low <= middle < high else low


def fit_cart(matrix: NDArray[np.float32], targets: NDArray[np.float32], limits: TreeLimits, seed: int) -> CartTree:
    """Return scikit-learn's tree of least squares, which on shares of classes is that of Gini impurity.

    ``limits.min_samples_leaf`` counts rows of the matrix here.
    """
    # Imported late: it takes longer than everything else that a worker imports (`workers.job_kinds.load_late`).
    from sklearn.tree import DecisionTreeRegressor

    tree = DecisionTreeRegressor(
        max_depth=limits.max_depth,
        min_samples_leaf=limits.min_samples_leaf,
        max_leaf_nodes=limits.max_leaves,
        random_state=seed,
    )
    return tree.fit(matrix, targets).tree_


def to_raw_features(
    tree: CartTree, table: RankTable, labelled: LabelledRows, training: Rows, missing_texts: Mapping[str, str]
) -> ApproximationTree:
    """Return scikit-learn's tree with conditions on raw features, which separate the pseudo rows in the same way.

    Thresholds lie halfway between the neighbouring values of the pseudo rows that reach the node, in round numbers.
    """
    converter = _Converter(tree, table, labelled, training, ConditionReader(np.float64, missing_texts))
    root = _Node(0, np.arange(len(labelled.rows)), np.arange(len(training)))
    limits = TreeLimits(max_depth=int(tree.max_depth))
    return ApproximationTree(grow(root, converter.examine, limits), missing_texts)


@dataclass(frozen=True, slots=True)
class _Node:
    index: int  # among scikit-learn's nodes
    pseudo_rows: NDArray[np.int64]  # that reach it
    rows: NDArray[np.int64]  # training rows that reach it


@dataclass(frozen=True, slots=True)
class _Converter:
    tree: CartTree
    table: RankTable
    labelled: LabelledRows
    training: Rows
    reader: ConditionReader

    def examine(self, node: _Node, n_levels: int) -> ExaminedNode[_Node, Condition]:
        """Describe a node by raw features."""
        if n_levels == 0 or self.tree.children_left[node.index] < 0:
            return ExaminedNode(self._facts(node, 0), None)
        column, threshold = int(self.tree.feature[node.index]), float(self.tree.threshold[node.index])
        missing_left = bool(self.tree.missing_go_to_left[node.index])
        goes_left = self.table.goes_left(node.pseudo_rows, column, threshold, missing_left=missing_left)
        condition, holds_left = self.table.condition(node.pseudo_rows, column, goes_left)
        holds = self.reader.holds(condition, self.training.take(node.rows))
        left, right = (
            _Node(
                self._child(node, left=side == holds_left),
                node.pseudo_rows[goes_left == (side == holds_left)],
                side_rows,
            )
            for side, side_rows in ((True, node.rows[holds]), (False, node.rows[~holds]))
        )
        return ExaminedNode(self._facts(node, len(node.pseudo_rows)), Split(condition, left, right, improvement=0.0))

    def _facts(self, node: _Node, n_pseudo_samples: int) -> NodeFacts:
        scores = self.labelled.scores(self.tree.value[node.index, :, 0])
        is_classifier = self.labelled.transform.is_classifier
        return facts_of(scores, len(node.rows), n_pseudo_samples, is_classifier=is_classifier)

    def _child(self, node: _Node, *, left: bool) -> int:
        return int((self.tree.children_left if left else self.tree.children_right)[node.index])
