"""TreeArrays: all nodes of all trees in double precision, whichever library they come from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

MODES = {b"BRANCH_LEQ": 0, b"BRANCH_LT": 1, b"BRANCH_GTE": 2, b"BRANCH_GT": 3, b"BRANCH_EQ": 4, b"BRANCH_NEQ": 5}
_LEAF = 255


@dataclass(frozen=True, slots=True)
class TreeArrays:
    """Nodes, tree by tree, the root of each first, children by their place among all nodes."""

    roots: Any  # (n_trees,) place of each tree's root
    feature: Any  # (n_nodes,)
    threshold: Any  # (n_nodes,) float64
    mode: Any  # (n_nodes,) how values are compared, in the numbers of ONNX
    left: Any  # (n_nodes,) child when the answer is yes; a leaf is its own child
    right: Any  # (n_nodes,)
    missing_left: Any  # (n_nodes,)
    values: Any  # (n_nodes, n_outputs) float64; 0 but at leaves

    @property
    def is_leaf(self) -> Any:  # noqa: ANN401  # an array
        """Whether each node is a leaf, (n_nodes,)."""
        return self.mode == _LEAF


def arrays_of_trees(trees: Sequence[Any], columns: Sequence[Any], values: Sequence[Any]) -> TreeArrays:
    """Return scikit-learn's trees as arrays.

    Parameters
    ----------
    trees
        Objects with the arrays of ``sklearn.tree._tree.Tree``.
    columns
        For each tree, the columns of the rows that its features are, or ``None`` where it reads them all.
    values
        For each tree, what its nodes add to the outputs, (n_nodes, n_outputs).
    """
    starts = np.cumsum([0, *(tree.node_count for tree in trees)])
    is_leaf = np.concatenate([tree.children_left < 0 for tree in trees])
    own = np.arange(starts[-1])
    sides = [
        np.concatenate([getattr(tree, side) + start for tree, start in zip(trees, starts[:-1], strict=True)])
        for side in ("children_left", "children_right")
    ]
    features = [
        tree.feature if chosen is None else np.asarray(chosen)[tree.feature.clip(0)]
        for tree, chosen in zip(trees, columns, strict=True)
    ]
    missing_left = np.concatenate([np.asarray(tree.missing_go_to_left, bool) for tree in trees])
    return TreeArrays(
        roots=starts[:-1],
        feature=np.where(is_leaf, 0, np.concatenate(features)),
        threshold=np.where(is_leaf, 0, np.concatenate([tree.threshold for tree in trees])),
        mode=np.where(is_leaf, _LEAF, MODES[b"BRANCH_LEQ"]).astype(np.uint8),
        left=np.where(is_leaf, own, sides[0]),
        right=np.where(is_leaf, own, sides[1]),
        missing_left=missing_left & ~is_leaf,
        values=np.where(is_leaf[:, None], np.concatenate(values), 0),
    )


def arrays_of_attributes(attributes: Mapping[str, Any], n_outputs: int) -> TreeArrays:
    """Return what converters write as attributes of a TreeEnsembleClassifier or TreeEnsembleRegressor as arrays."""
    prefix = "class" if "class_ids" in attributes else "target"
    trees, nodes = (np.asarray(attributes[f"nodes_{name}"], np.int64) for name in ("treeids", "nodeids"))
    order = np.lexsort((nodes, trees))
    trees, nodes = trees[order], nodes[order]
    modes = [mode if isinstance(mode, bytes) else str(mode).encode() for mode in attributes["nodes_modes"]]
    mode = np.array([MODES.get(mode, _LEAF) for mode in modes], np.uint8)[order]
    is_leaf, own = mode == _LEAF, np.arange(len(nodes))
    roots = np.flatnonzero(np.diff(trees, prepend=-1))
    start = roots[np.cumsum(np.diff(trees, prepend=-1) != 0) - 1]
    sides = [np.asarray(attributes[f"nodes_{side}nodeids"], np.int64)[order] + start for side in ("true", "false")]
    values = np.zeros((len(nodes), n_outputs))
    first = dict(zip(trees[roots].tolist(), roots.tolist(), strict=True))
    of_weights = [first[tree] for tree in attributes[f"{prefix}_treeids"]]
    places = np.asarray(attributes[f"{prefix}_nodeids"], np.int64) + np.asarray(of_weights, np.int64)
    outputs = np.asarray(attributes[f"{prefix}_ids"], np.int64)
    np.add.at(values, (places, outputs), np.asarray(attributes[f"{prefix}_weights"], np.float64))
    missing = attributes.get("nodes_missing_value_tracks_true") or [0] * len(nodes)
    return TreeArrays(
        roots=roots,
        feature=np.asarray(attributes["nodes_featureids"], np.int64)[order],
        threshold=np.asarray(attributes["nodes_values"], np.float64)[order],
        mode=mode,
        left=np.where(is_leaf, own, sides[0]),
        right=np.where(is_leaf, own, sides[1]),
        missing_left=np.asarray(missing, bool)[order] & ~is_leaf,
        values=values,
    )
