"""WarmTree: an approximation tree, ready to be asked which way rows go."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from schemas.approximation_trees import ApproximationNode, ApproximationTreeResult
from tree_explainers.approximation_trees.trees import NO_CHILD, ApproximationTree, NodeFacts, TreeNode
from tree_explainers.rows import Rows

from .tree_terms import Step, condition_of, steps_of
from .warm_rules import printed_condition


@dataclass(frozen=True, slots=True)
class WarmTree:
    """A tree, and what is said of the rows that reach each of its leaves: all of a way follows from its leaf.

    Single rows go down by plain terms, many by array code; a test holds the two against each other.
    """

    features: tuple[str, ...]  # of rows, in their order
    steps: tuple[tuple[int, Step] | None, ...]  # (n_nodes,) of which of a row's values a node asks; None at leaves
    printed: ApproximationTree
    labels: NDArray[np.int64]  # (n_nodes,) positions of predicted labels among the classes; -1: none, in regression
    told: tuple[dict[str, Any] | None, ...]  # (n_nodes,) what is said where a leaf is reached, but for ``agrees``
    texts: tuple[tuple[bytes, bytes], ...]  # (n_nodes,) the same as JSON, where the model says otherwise or the same

    @staticmethod
    def of(content: ApproximationTreeResult, features: Sequence[str]) -> "WarmTree":
        """Prepare the tree for rows that have these features, in this order."""
        position = {name: index for index, name in enumerate(features)}
        steps = steps_of(content)
        told = _told(content, steps)
        is_regression = not content.classes
        return WarmTree(
            tuple(features),
            tuple(None if step is None else (position[step.term.column], step) for step in steps),
            _printed(content),
            np.array([-1 if is_regression else content.classes.index(str(node.prediction)) for node in content.nodes]),
            told,
            tuple(_texts(each, is_regression=is_regression) for each in told),
        )

    def leaf_of(self, values: Sequence[Any]) -> int:
        """Return the node that a row reaches, whose values are as callers send them, in the order of the features."""
        at = 0
        while (asked := self.steps[at]) is not None:
            position, step = asked
            at = step.left if step.term.holds(values[position]) else step.right
        return at

    def leaves_of(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
        """Return the nodes that many rows reach, (n_rows,).

        Parameters
        ----------
        columns : n_features arrays (n_rows,)
            float64, NaN where missing; or objects: texts, None where missing.
        """
        return self.printed.leaves_of(Rows(self.features, tuple(columns)))

    def text(self, leaf: int, label: int | None) -> bytes:
        """Return what is said of a row that reaches a leaf, as JSON.

        Parameters
        ----------
        leaf
            The node.
        label
            Position among the classes of what the model predicts; ``None`` for a regression.
        """
        return self.texts[leaf][label is not None and bool(self.labels[leaf] == label)]


def _told(content: ApproximationTreeResult, steps: tuple[Step | None, ...]) -> tuple[dict[str, Any] | None, ...]:
    found: list[dict[str, Any] | None] = [None] * len(steps)
    ways: list[list[dict[str, Any]]] = [[] for _ in steps]
    for at, step in enumerate(steps):  # parents come first
        node = content.nodes[at]
        if step is None:
            found[at] = {"nodes": ways[at], "leaf": _leaf(node)}
            continue
        ways[step.left] = [*ways[at], path_node(node, holds=True)]
        ways[step.right] = [*ways[at], path_node(node, holds=False)]
    return tuple(found)


def path_node(node: ApproximationNode, *, holds: bool) -> dict[str, Any]:
    """Return what is said of a node on a row's way."""
    return {"id": node.id, "feature": node.feature, "text": node.text, "holds": holds}


def _leaf(node: ApproximationNode) -> dict[str, Any]:
    scores = [{"label": score.label, "value": score.value} for score in node.scores]
    return {"id": node.id, "prediction": node.prediction, "scores": scores, "n_samples": node.n_samples}


def _texts(told: dict[str, Any] | None, *, is_regression: bool) -> tuple[bytes, bytes]:
    agreements = (None, None) if is_regression else (False, True)
    other, same = (orjson.dumps({"agrees": agrees, **(told or {})}) for agrees in agreements)
    return other, same


def _printed(content: ApproximationTreeResult) -> ApproximationTree:
    texts = {feature.name: feature.missing_text for feature in content.features if feature.missing_text is not None}
    return ApproximationTree(tuple(map(_printed_node, content.nodes)), texts)


def _printed_node(node: ApproximationNode) -> TreeNode:
    condition = condition_of(node)
    facts = NodeFacts(np.array([score.value for score in node.scores]), None, node.n_samples)
    if condition is None or node.left is None or node.right is None:
        return TreeNode(facts, left=NO_CHILD, right=NO_CHILD)
    return TreeNode(facts, printed_condition(condition), node.left, node.right)
