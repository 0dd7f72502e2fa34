"""What is done to a grown tree so that people read less: leaves that say the same are merged, and conditions faced.

Neither changes what the tree predicts for any row.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..questions.conditions import Condition, Operator
from .trees import NO_CHILD, ApproximationTree, TreeNode

_NO_LABEL = -1
_OPPOSITE: dict[str, Operator] = {"<=": ">", ">": "<="}


def merge_alike(tree: ApproximationTree) -> ApproximationTree:
    """Return the tree with each node as a leaf whose leaves all carry one label.

    Every label that is predicted stays; the scores of such a leaf are the means over all rows that reach the node. A
    tree of a regression, whose leaves carry no labels, is returned as it is.
    """
    labels, settled = _shared_labels(tree.nodes), _settled(tree.nodes)
    leaves = [
        replace(node, facts=replace(node.facts, label=label, is_settled=is_settled), condition=None, confidence=None)
        if label != _NO_LABEL
        else node
        for node, label, is_settled in zip(tree.nodes, labels.tolist(), settled, strict=True)
    ]
    return replace(tree, nodes=in_preorder(leaves))


def _shared_labels(nodes: Sequence[TreeNode]) -> NDArray[np.int64]:
    """Return the label that all leaves below each node carry, (n_nodes,); ``_NO_LABEL`` where they differ."""
    labels = np.full(len(nodes), _NO_LABEL)
    for index in reversed(range(len(nodes))):  # children before their parents
        node = nodes[index]
        if node.is_leaf:
            labels[index] = _NO_LABEL if node.facts.label is None else node.facts.label
        elif labels[node.left] == labels[node.right]:
            labels[index] = labels[node.left]
    return labels


def _settled(nodes: Sequence[TreeNode]) -> list[bool | None]:
    """Return whether all leaves below each node are settled: then a leaf in their place is."""
    settled = [node.facts.is_settled for node in nodes]
    for index in reversed(range(len(nodes))):
        node = nodes[index]
        if not node.is_leaf and settled[index] is not None:
            settled[index] = bool(settled[node.left] and settled[node.right])
    return settled


def face(tree: ApproximationTree, states_absence: Callable[[Condition], bool]) -> ApproximationTree:
    """Return the tree with some comparisons of numbers turned round, so that "yes" means that there is something.

    The opposite of ``x <= c`` is ``x > c``, and the children change sides. No missing value fulfils the opposite.

    Parameters
    ----------
    tree
        The tree.
    states_absence
        Whether a comparison by ``<=`` or ``>`` is to be turned round: one that missing values fulfil, or of a column
        without any, as otherwise these would change sides.
    """
    return replace(tree, nodes=in_preorder([_faced(node, states_absence) for node in tree.nodes]))


def _faced(node: TreeNode, states_absence: Callable[[Condition], bool]) -> TreeNode:
    condition = node.condition
    if condition is None or condition.operator not in _OPPOSITE or not states_absence(condition):
        return node
    opposite = replace(condition, operator=_OPPOSITE[condition.operator], or_missing=False)
    return replace(node, condition=opposite, left=node.right, right=node.left)


def in_preorder(nodes: Sequence[TreeNode]) -> tuple[TreeNode, ...]:
    """Return the nodes that are reached from the first, in preorder, with the indices of children adapted."""
    ordered: list[TreeNode] = []
    waiting = [(0, NO_CHILD)]  # a node, and its parent among those found if it is a right child
    while waiting:
        index, parent = waiting.pop()
        node, position = nodes[index], len(ordered)
        if parent != NO_CHILD:
            ordered[parent] = replace(ordered[parent], right=position)
        if node.is_leaf:
            ordered.append(replace(node, left=NO_CHILD, right=NO_CHILD))
            continue
        ordered.append(replace(node, left=position + 1))
        waiting += [(node.right, position), (node.left, NO_CHILD)]
    return tuple(ordered)
