"""ApproximationTree: one tree of conditions on raw features that represents an ensemble."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..questions.conditions import Condition, ConditionReader
from ..rows import Rows

NO_CHILD = -1


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """What is known of the rows that reach a node, whether it asks a question or not."""

    scores: NDArray[np.float64]  # (n_scores,) shares of classes, which sum to 1; or (1,) the value of a regression
    label: int | None  # position of the predicted class; None for regression
    n_samples: int  # training rows that reach the node
    n_pseudo_samples: int = 0  # drawn to find the node's question; 0 where none were


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure the choice of a node's question is."""

    p_value: float  # sum over the other candidates of the probability that new pseudo rows prefer them, at most 1
    at_cap: bool  # no more pseudo rows were allowed, although the sum exceeded the significance


Question = TypeVar("Question")
"""What a node asks: a condition on raw rows, or whatever else parts them."""


@dataclass(frozen=True)  # no slots: what is generic and frozen could not be made by the name ``TreeNode``
class Node(Generic[Question]):
    """A node: a question, or a leaf."""

    facts: NodeFacts
    condition: Question | None = None  # rows for which it holds go left; None at a leaf
    left: int = NO_CHILD  # positions among the tree's nodes
    right: int = NO_CHILD
    confidence: Confidence | None = None  # None at a leaf, and where the method has no test

    @property
    def is_leaf(self) -> bool:
        """Whether nothing is asked."""
        return self.condition is None


TreeNode = Node[Condition]


@dataclass(frozen=True, slots=True)
class ApproximationTree:
    """A tree in preorder: the root first, the left child of a node right after it.

    Numbers are compared as they are, in double precision, whatever the model rounds them to: nothing but raw rows and
    the printed conditions is needed to apply the tree.
    """

    nodes: tuple[TreeNode, ...]
    missing_texts: Mapping[str, str]  # by column: a text that stands for a missing category

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return sum(node.is_leaf for node in self.nodes)

    @property
    def depth(self) -> int:
        """Questions on the longest way from the root to a leaf."""
        return int(self.depths.max())

    @property
    def depths(self) -> NDArray[np.int64]:
        """Questions asked before each node is reached, (n_nodes,)."""
        depths = np.zeros(len(self.nodes), np.int64)
        for at, node in enumerate(self.nodes):
            if not node.is_leaf:
                depths[[node.left, node.right]] = depths[at] + 1
        return depths

    def leaves_of(self, rows: Rows) -> NDArray[np.int64]:
        """Return the position among the nodes of the leaf that each row reaches, (n_rows,).

        Raises
        ------
        InvalidInput
            ``schema_mismatch`` where a column is lacking that some node asks about.
        """
        reader = ConditionReader(np.float64, self.missing_texts)
        reached = np.zeros(len(rows), np.int64)
        waiting = {0: np.arange(len(rows))}
        for at, node in enumerate(self.nodes):  # parents come first
            here = waiting.pop(at)
            if node.condition is None:
                reached[here] = at
                continue
            holds = reader.holds(node.condition, _asked(rows, node.condition.column).take(here))
            waiting[node.left], waiting[node.right] = here[holds], here[~holds]
        return reached

    def scores_of(self, rows: Rows) -> NDArray[np.float64]:
        """Return the scores of each row's leaf, (n_rows, n_scores)."""
        return np.array([node.facts.scores for node in self.nodes])[self.leaves_of(rows)]

    def labels_of(self, rows: Rows) -> NDArray[np.int64]:
        """Return the class of each row's leaf, (n_rows,); only for classification."""
        return np.array([node.facts.label for node in self.nodes], np.int64)[self.leaves_of(rows)]

    def structure(self, depth: int) -> tuple[Any, ...]:
        """Return what two trees have in common whose questions are the same down to a depth.

        Parameters
        ----------
        depth
            How many levels of questions count: 1 for the root's alone.
        """
        return self._structure_below(0, depth)

    def _structure_below(self, at: int, depth: int) -> tuple[Any, ...]:
        node = self.nodes[at]
        if node.condition is None or depth == 0:
            return ()
        return (
            node.condition,
            self._structure_below(node.left, depth - 1),
            self._structure_below(node.right, depth - 1),
        )


def _asked(rows: Rows, column: str) -> Rows:
    """Return the rows with a single column: to take all of them along at each node would take longer than to ask."""
    return rows.select([column]) if column in rows.names else rows  # who reads a column says that it is lacking


_DECIMALS = 9  # in which shares of classes must differ for the larger one to win


def facts_of(
    scores: NDArray[np.float64], n_samples: int, n_pseudo_samples: int = 0, *, is_classifier: bool
) -> NodeFacts:
    """Return the facts of a node: the class of the largest share, ties to the first; or a value."""
    label = int(np.argmax(scores.round(_DECIMALS))) if is_classifier else None
    return NodeFacts(scores, label, n_samples, n_pseudo_samples)
