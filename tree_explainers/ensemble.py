"""TreeEnsemble: all nodes of all trees as flat arrays, and their invariants."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray


class Operator(IntEnum):
    """The question a node asks of ``value`` and ``threshold``; yes goes left (ONNX: the true branch)."""

    LEAF = 0
    LEQ = 1
    LT = 2
    GTE = 3
    GT = 4
    EQ = 5
    NEQ = 6
    MEMBER = 7  # value is one of a set; never mapped to an interval


@dataclass(frozen=True, slots=True)
class TreeEnsemble:
    """All nodes of all trees, one array per property.

    Node indices are global: the nodes of tree ``t`` are ``offsets[t]`` to ``offsets[t + 1]``, its root first, every
    child after its parent. A leaf is its own child on both sides, so walking down from a leaf stays there. Leaves
    are numbered within their tree in the order of their nodes: ``leaf_offsets[t] + code`` is the row of
    ``leaf_values``. ``column`` refers to model-side columns, which the column map leads back to raw ones.
    """

    offsets: NDArray[np.int32]  # (n_trees + 1,)
    column: NDArray[np.int32]  # (n_nodes,) model-side column asked about; 0 at a leaf
    operator: NDArray[np.uint8]  # (n_nodes,) an Operator
    threshold: NDArray[np.float64]  # (n_nodes,) 0 at a leaf
    missing_left: NDArray[np.bool_]  # (n_nodes,) a missing value (NaN) goes left
    left: NDArray[np.int32]  # (n_nodes,) child when the answer is yes
    right: NDArray[np.int32]  # (n_nodes,)
    leaf_nodes: NDArray[np.int32]  # (n_leaves,) the node of each leaf, tree by tree
    leaf_offsets: NDArray[np.int32]  # (n_trees + 1,)
    leaf_values: NDArray[np.float64]  # (n_leaves, n_outputs) as stored: boosting's step size is already in them

    @property
    def n_trees(self) -> int:
        """Number of trees, over all tree operators of the graph."""
        return len(self.offsets) - 1

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.column)

    @property
    def n_leaves(self) -> NDArray[np.int32]:
        """Leaves per tree, shape (n_trees,)."""
        return np.diff(self.leaf_offsets)
