"""ApproximationTree: one tree of conditions on raw features that represents an ensemble."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..questions.conditions import Condition, ConditionReader
from ..rows import Rows

NO_CHILD = -1
_DECIMALS = 9  # in which shares of classes must differ for the larger one to win


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """What is known of the rows that reach a node, whether it is split or not."""

    scores: NDArray[np.float64]  # (n_scores,) shares of classes, which sum to 1; or (1,) the value of a regression
    label: int | None  # index of the predicted class; None for regression
    n_samples: int  # training rows that reach the node
    n_pseudo_samples: int = 0  # drawn to find the node's split; 0 where none were
    is_settled: bool | None = None  # its label is proved for every row that could reach it; None where none is tried


def facts_of(
    scores: NDArray[np.float64], n_samples: int, n_pseudo_samples: int = 0, *, is_classifier: bool
) -> NodeFacts:
    """Return the facts of a node, given the mean scores of its rows; the label is the largest share, ties to the first.

    Shares that differ by less than 10^-9 are a tie.
    """
    label = int(np.argmax(scores.round(_DECIMALS))) if is_classifier else None
    return NodeFacts(scores, label, n_samples, n_pseudo_samples)


@dataclass(frozen=True, slots=True)
class Confidence:
    """How reliable the choice of a node's split is."""

    p_value: float  # sum over the other candidates of the probability that new pseudo rows prefer them, at most 1
    at_cap: bool  # the sum exceeded the significance at the maximum number of pseudo rows


ConditionT = TypeVar("ConditionT")
"""A node's condition: on raw rows, or any other test that separates rows."""


@dataclass(frozen=True)  # no slots: a generic frozen class with slots could not be created by the name ``TreeNode``
class Node(Generic[ConditionT]):
    """An inner node or a leaf."""

    facts: NodeFacts
    condition: ConditionT | None = None  # rows for which it holds go left; None at a leaf
    left: int = NO_CHILD  # indices among the tree's nodes
    right: int = NO_CHILD
    confidence: Confidence | None = None  # None at a leaf, and where the method has no test

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no condition."""
        return self.condition is None


TreeNode = Node[Condition]


@dataclass(frozen=True, slots=True)
class DepthChoice:
    """How a tree's depth was found: by its errors when it is cut off at each depth, on rows it was not grown from."""

    errors: NDArray[np.float64]  # (n_depths,) the mean error, from depth 0 on
    standard_errors: NDArray[np.float64]  # (n_depths,) of these means
    depth: int  # the smallest, from 1 on, whose error is within one standard error of the least


@dataclass(frozen=True, slots=True)
class ApproximationTree:
    """A tree in preorder: the root first, the left child of a node right after it.

    Numbers are compared as they are, in double precision, whatever the model rounds them to: raw rows and the printed
    conditions are all that is needed to apply the tree.
    """

    nodes: tuple[TreeNode, ...]
    missing_texts: Mapping[str, str]  # by column: a text that represents a missing category
    depth_choice: DepthChoice | None = field(default=None, compare=False)  # None where the depth is the caller's

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return sum(node.is_leaf for node in self.nodes)

    @property
    def depth(self) -> int:
        """Number of conditions on the longest path from the root to a leaf."""
        return int(self.depths.max())

    @property
    def depths(self) -> NDArray[np.int64]:
        """Number of conditions on the path to each node, (n_nodes,)."""
        depths = np.zeros(len(self.nodes), np.int64)
        for index, node in enumerate(self.nodes):
            if not node.is_leaf:
                depths[[node.left, node.right]] = depths[index] + 1
        return depths

    def leaves_of(self, rows: Rows) -> NDArray[np.int64]:
        """Return the index of the leaf that each row reaches, (n_rows,).

        Raises
        ------
        InvalidInput
            ``schema_mismatch`` if a column of some condition is lacking.
        """
        reader = ConditionReader(np.float64, self.missing_texts)
        reached = np.zeros(len(rows), np.int64)
        waiting = {0: np.arange(len(rows))}
        for index, node in enumerate(self.nodes):  # parents come first
            at_node = waiting.pop(index)
            if node.condition is None:
                reached[at_node] = index
                continue
            holds = reader.holds(node.condition, _single_column(rows, node.condition.column).take(at_node))
            waiting[node.left], waiting[node.right] = at_node[holds], at_node[~holds]
        return reached

    def scores_of(self, rows: Rows) -> NDArray[np.float64]:
        """Return the scores of each row's leaf, (n_rows, n_scores)."""
        return np.array([node.facts.scores for node in self.nodes])[self.leaves_of(rows)]

    def labels_of(self, rows: Rows) -> NDArray[np.int64]:
        """Return the class of each row's leaf, (n_rows,); only for classification."""
        return np.array([node.facts.label for node in self.nodes], np.int64)[self.leaves_of(rows)]

    def structure(self, depth: int) -> tuple[Any, ...]:
        """Return a value that is equal for trees whose conditions are the same down to a depth.

        Parameters
        ----------
        depth
            Number of levels of conditions that are compared: 1 for the root's alone.
        """
        return self._structure_below(0, depth)

    def _structure_below(self, index: int, depth: int) -> tuple[Any, ...]:
        node = self.nodes[index]
        if node.condition is None or depth == 0:
            return ()
        return (
            node.condition,
            self._structure_below(node.left, depth - 1),
            self._structure_below(node.right, depth - 1),
        )


def _single_column(rows: Rows, column: str) -> Rows:
    """Return the rows with one column only: taking all columns at each node would cost more than its condition."""
    return rows.select([column]) if column in rows.names else rows  # the reader of a column reports that it is lacking
