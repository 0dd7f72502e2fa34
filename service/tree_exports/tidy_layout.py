"""Where the nodes of a tree stand: the root at the left, leaves below each other in their order."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from schemas.approximation_trees import ApproximationNode

COLUMN_GAP = 84.0  # in which edges run
LEAF_PITCH = 42.0  # from one leaf to the next


@dataclass(frozen=True, slots=True)
class Place:
    """Where a node stands, in pixels."""

    left: float
    middle: float  # of its height
    width: float

    @property
    def right(self) -> float:
        """The end at which its edges begin."""
        return self.left + self.width


def lay_out(nodes: Sequence[ApproximationNode], widths: Sequence[float]) -> list[Place]:
    """Return the place of each node, by its id.

    Nodes of one depth stand in one column, all as wide as the widest, and a parent stands half way between its
    children. Two leaves of a column are at least one pitch apart, a leaf and another node one and a half, two other
    nodes two pitches; what lies between a node and its children is free for edges.

    Parameters
    ----------
    nodes
        In preorder.
    widths : (n_nodes,)
        How wide each is at least.
    """
    columns = [0.0] * (1 + max(node.depth for node in nodes))
    for node, width in zip(nodes, widths, strict=True):
        columns[node.depth] = max(columns[node.depth], width)
    starts = list(accumulate((width + COLUMN_GAP for width in columns), initial=0.0))
    middles = _middles(nodes)
    return [Place(starts[node.depth], middle, columns[node.depth]) for node, middle in zip(nodes, middles, strict=True)]


def _middles(nodes: Sequence[ApproximationNode]) -> list[float]:
    middles = [0.0] * len(nodes)
    n_leaves = 0
    for node in nodes:  # in preorder leaves come in their order
        if node.left is None:
            middles[node.id] = (n_leaves + 0.5) * LEAF_PITCH
            n_leaves += 1
    for node in reversed(nodes):  # children come before their parents
        if node.left is not None and node.right is not None:
            middles[node.id] = (middles[node.left] + middles[node.right]) / 2
    return middles
