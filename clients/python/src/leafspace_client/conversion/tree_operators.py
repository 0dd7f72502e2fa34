"""Tree operators: the nodes of all trees as arrays, written as operators that add up, and answer, in double precision.

A TreeEnsemble (ai.onnx.ml 5) does, but each of its leaves has one output only. Leaves that hold shares of
several classes need a TreeEnsembleRegressor (ai.onnx.ml 3), which adds up in double precision but answers in single. So
it is given each share in parts, so short that the sums of all but the last come out whole in single precision, and the
parts are put together behind it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from onnx import numpy_helper

MODES = {
    b"BRANCH_LEQ": 0,
    b"BRANCH_LT": 1,
    b"BRANCH_GTE": 2,
    b"BRANCH_GT": 3,
    b"BRANCH_EQ": 4,
    b"BRANCH_NEQ": 5,
    b"BRANCH_MEMBER": 6,
}
_LEAF = 255
_MEMBER = MODES[b"BRANCH_MEMBER"]


@dataclass(frozen=True, slots=True)
class TreeArrays:
    """Nodes, tree by tree, the root of each first, children by their index among all nodes."""

    roots: Any  # (n_trees,) index of each tree's root
    feature: Any  # (n_nodes,)
    threshold: Any  # (n_nodes,) float64
    mode: Any  # (n_nodes,) how values are compared, in the numbers of ONNX
    left: Any  # (n_nodes,) child where the test holds; a leaf is its own child
    right: Any  # (n_nodes,)
    missing_left: Any  # (n_nodes,)
    values: Any  # (n_nodes, n_outputs) float64; 0 but at leaves
    members: tuple[Any, ...] = ()  # the sets of nodes that test membership; their threshold is the index into these

    @property
    def is_leaf(self) -> Any:  # an array
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


def nearest_float32(values: Any) -> Any:  # numpy's array types
    """Return the float32 numbers nearest to the values, as float64; beyond float32's range they are infinite."""
    with np.errstate(over="ignore"):
        return np.asarray(values, np.float64).astype(np.float32).astype(np.float64)


def floor_float32(values: Any) -> Any:  # numpy's array types
    """Return the largest float32 numbers that are not above the values, as float64."""
    nearest = nearest_float32(values)
    below = np.nextafter(nearest.astype(np.float32), np.float32(-np.inf))
    return np.where(nearest > values, below, nearest).astype(np.float64)


OPSET_OF_TREE_ENSEMBLE = 5
_BITS = 24  # of a number in single precision
_ENOUGH = 28  # bits that the parts before the last take off the error of the last: then it is below 2^-52 a tree
_AVERAGE, _SUM = 0, 1
_MODE_NAMES = {number: name for name, number in MODES.items()}


def add_trees(graph: Any, tensor: str, trees: TreeArrays, *, average: bool) -> str:  # a Nodes
    """Add trees that read a tensor of doubles, and return the tensor of their sums or averages, (n_rows, n_outputs).

    Sums are divided after they were made: shares that are 0 or 1 then tie exactly where the estimator's do.
    """
    postponed: PostponedTrees | None = graph.postponed
    if postponed is not None:
        return postponed.reserved(graph, tensor, trees, average=average)
    if not has_several_outputs(trees):
        return _add_ensemble(graph, tensor, trees, _AVERAGE if average else _SUM)
    return (
        _divided(graph, _add_in_parts(graph, tensor, trees), trees) if average else _add_in_parts(graph, tensor, trees)
    )


def has_several_outputs(trees: TreeArrays) -> bool:
    """Whether a leaf adds to several outputs."""
    return bool((np.count_nonzero(trees.values, axis=1) > 1).any())


def _divided(graph: Any, sums: str, trees: TreeArrays) -> str:  # a Nodes
    # One divisor for each output: onnxruntime would fuse a single one with the product, in single precision.
    divisors = np.full(trees.values.shape[1], float(len(trees.roots)))
    return str(graph.add("Div", [sums, graph.constant(divisors)]))


class PostponedTrees:
    """Trees of several models in one graph, which are added once all are known.

    A graph has either the old operators, which alone have several outputs a leaf, or the newest, which alone tests
    sets of categories. Where both are wanted, trees are repeated for each of their outputs.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[str, str, TreeArrays, bool]] = []

    def reserved(self, graph: Any, tensor: str, trees: TreeArrays, *, average: bool) -> str:
        """Return the name of the tensor that trees will make."""
        name = str(graph.unique_name("trees"))
        self._waiting.append((name, tensor, trees, average))
        return name

    def add(self, graph: Any) -> None:  # a Nodes
        """Add all of them."""
        several = any(has_several_outputs(trees) for _, _, trees, _ in self._waiting)
        write = _add_by_output if any(trees.members for _, _, trees, _ in self._waiting) else _add_in_parts
        for name, tensor, trees, average in self._waiting:
            sums = write(graph, tensor, trees) if several else _add_ensemble(graph, tensor, trees, _SUM)
            graph.add("Identity", [_divided(graph, sums, trees) if average else sums], name)


def _add_by_output(graph: Any, tensor: str, trees: TreeArrays) -> str:  # a Nodes
    if not has_several_outputs(trees):
        return _add_ensemble(graph, tensor, trees, _SUM)
    columns = range(trees.values.shape[1])
    sums = [_add_ensemble(graph, tensor, replace(trees, values=trees.values[:, [at]]), _SUM) for at in columns]
    return str(graph.add("Concat", sums, axis=1))


def _add_ensemble(graph: Any, tensor: str, trees: TreeArrays, aggregate: int) -> str:  # a Nodes
    is_leaf = trees.is_leaf
    lonely = trees.roots[is_leaf[trees.roots]]  # trees of one leaf are wrapped into a branch
    branches, leaves = np.append(np.flatnonzero(~is_leaf), lonely), np.flatnonzero(is_leaf)
    index = np.empty(len(is_leaf), np.int64)
    index[branches], index[leaves] = np.arange(len(branches)), np.arange(len(leaves))
    root_index = index.copy()
    root_index[lonely] = len(branches) - len(lonely) + np.arange(len(lonely))
    modes = np.where(is_leaf, 0, trees.mode)[branches].astype(np.uint8)
    tests_sets = modes == _MEMBER
    sets = [np.append(trees.members[int(index)], np.nan) for index in trees.threshold[branches][tests_sets]]
    membership = {"membership_values": numpy_helper.from_array(np.concatenate(sets), "members")} if sets else {}
    return str(
        graph.add(
            "TreeEnsemble",
            [tensor],
            domain="ai.onnx.ml",
            aggregate_function=aggregate,
            n_targets=trees.values.shape[1],
            tree_roots=root_index[trees.roots].tolist(),
            nodes_featureids=trees.feature[branches].tolist(),
            nodes_modes=numpy_helper.from_array(modes, "modes"),
            nodes_splits=numpy_helper.from_array(np.where(tests_sets, 0, trees.threshold[branches]), "splits"),
            nodes_truenodeids=index[trees.left[branches]].tolist(),
            nodes_trueleafs=is_leaf[trees.left[branches]].astype(int).tolist(),
            nodes_falsenodeids=index[trees.right[branches]].tolist(),
            nodes_falseleafs=is_leaf[trees.right[branches]].astype(int).tolist(),
            nodes_missing_value_tracks_true=trees.missing_left[branches].astype(int).tolist(),
            leaf_targetids=np.abs(trees.values[leaves]).argmax(axis=1).tolist(),
            leaf_weights=numpy_helper.from_array(trees.values[leaves].sum(axis=1), "weights"),
            **membership,
        )
    )


def _add_in_parts(graph: Any, tensor: str, trees: TreeArrays) -> str:  # a Nodes
    parts = _parts(trees.values, len(trees.roots))
    n_outputs = trees.values.shape[1]
    node, output = np.nonzero(parts)
    tree = np.searchsorted(trees.roots, np.arange(len(trees.mode)), side="right") - 1
    in_tree = np.arange(len(trees.mode)) - trees.roots[tree]
    first = trees.roots[tree]
    raw = graph.add(
        "TreeEnsembleRegressor",
        [tensor],
        domain="ai.onnx.ml",
        n_targets=parts.shape[1],
        nodes_treeids=tree.tolist(),
        nodes_nodeids=in_tree.tolist(),
        nodes_featureids=trees.feature.tolist(),
        nodes_modes=[_MODE_NAMES.get(mode, b"LEAF") for mode in trees.mode.tolist()],
        nodes_values_as_tensor=numpy_helper.from_array(trees.threshold, "thresholds"),
        nodes_truenodeids=np.where(trees.is_leaf, 0, trees.left - first).tolist(),
        nodes_falsenodeids=np.where(trees.is_leaf, 0, trees.right - first).tolist(),
        nodes_missing_value_tracks_true=trees.missing_left.astype(int).tolist(),
        target_treeids=tree[node].tolist(),
        target_nodeids=in_tree[node].tolist(),
        target_ids=output.tolist(),
        target_weights_as_tensor=numpy_helper.from_array(parts[node, output], "weights"),
    )
    together = np.tile(np.eye(n_outputs), (parts.shape[1] // n_outputs, 1))
    return str(graph.add("MatMul", [graph.as_double(raw), graph.constant(together)]))


def _parts(values: Any, n_trees: int) -> Any:  # arrays
    """Return values in parts that add up to them, side by side: (n_nodes, n_parts x n_outputs), the coarsest first."""
    bits = _BITS - n_trees.bit_length()
    scale = 2.0 ** np.ceil(np.log2(np.abs(values).max()))
    parts, rest = [], values
    for number in range(1, -(-_ENOUGH // bits) + 1):
        unit = scale * 2.0 ** (-number * bits)
        parts.append(np.round(rest / unit) * unit)
        rest = rest - parts[-1]
    return np.hstack([*parts, rest])
