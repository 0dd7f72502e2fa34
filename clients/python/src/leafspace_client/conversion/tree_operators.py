"""Tree operators that add up in double precision, and answer in it.

A TreeEnsemble (ai.onnx.ml 5) does, but each of its leaves speaks for one output only. Leaves that hold shares of
several classes need a TreeEnsembleRegressor (ai.onnx.ml 3), which adds up in double precision but answers in single. So
it is given each share in parts, so short that the sums of all but the last come out whole in single precision, and the
parts are put together behind it.
"""

from typing import Any

import numpy as np
from onnx import numpy_helper

from .tree_arrays import MODES, TreeArrays

OPSET_OF_TREE_ENSEMBLE = 5
_BITS = 24  # of a number in single precision
_ENOUGH = 28  # bits that the parts before the last take off the error of the last: then it is below 2^-52 a tree
_AVERAGE, _SUM = 0, 1
_MODE_NAMES = {number: name for name, number in MODES.items()}


def add_trees(graph: Any, tensor: str, trees: TreeArrays, *, average: bool) -> str:  # noqa: ANN401  # see Nodes
    """Add trees that read a tensor of doubles, and return the tensor of their sums or averages, (n_rows, n_outputs).

    Sums are divided after they were made: shares that are 0 or 1 then tie exactly where the estimator's do.
    """
    if (np.count_nonzero(trees.values, axis=1) <= 1).all():
        return _add_ensemble(graph, tensor, trees, _AVERAGE if average else _SUM)
    sums = _add_in_parts(graph, tensor, trees)
    # One divisor for each output: onnxruntime would fuse a single one with the product, in single precision.
    divisors = np.full(trees.values.shape[1], float(len(trees.roots)))
    return str(graph.add("Div", [sums, graph.constant(divisors)])) if average else sums


def _add_ensemble(graph: Any, tensor: str, trees: TreeArrays, aggregate: int) -> str:  # noqa: ANN401  # see Nodes
    is_leaf = trees.is_leaf
    lonely = trees.roots[is_leaf[trees.roots]]  # trees of one leaf are wrapped into a branch
    branches, leaves = np.append(np.flatnonzero(~is_leaf), lonely), np.flatnonzero(is_leaf)
    place = np.empty(len(is_leaf), np.int64)
    place[branches], place[leaves] = np.arange(len(branches)), np.arange(len(leaves))
    root_place = place.copy()
    root_place[lonely] = len(branches) - len(lonely) + np.arange(len(lonely))
    modes = np.where(is_leaf, 0, trees.mode)[branches].astype(np.uint8)
    return str(
        graph.add(
            "TreeEnsemble",
            [tensor],
            domain="ai.onnx.ml",
            aggregate_function=aggregate,
            n_targets=trees.values.shape[1],
            tree_roots=root_place[trees.roots].tolist(),
            nodes_featureids=trees.feature[branches].tolist(),
            nodes_modes=numpy_helper.from_array(modes, "modes"),
            nodes_splits=numpy_helper.from_array(trees.threshold[branches], "splits"),
            nodes_truenodeids=place[trees.left[branches]].tolist(),
            nodes_trueleafs=is_leaf[trees.left[branches]].astype(int).tolist(),
            nodes_falsenodeids=place[trees.right[branches]].tolist(),
            nodes_falseleafs=is_leaf[trees.right[branches]].astype(int).tolist(),
            nodes_missing_value_tracks_true=trees.missing_left[branches].astype(int).tolist(),
            leaf_targetids=np.abs(trees.values[leaves]).argmax(axis=1).tolist(),
            leaf_weights=numpy_helper.from_array(trees.values[leaves].sum(axis=1), "weights"),
        )
    )


def _add_in_parts(graph: Any, tensor: str, trees: TreeArrays) -> str:  # noqa: ANN401  # see Nodes
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


def _parts(values: Any, n_trees: int) -> Any:  # noqa: ANN401  # arrays
    """Return values in parts that add up to them, side by side: (n_nodes, n_parts x n_outputs), the coarsest first."""
    bits = _BITS - n_trees.bit_length()
    scale = 2.0 ** np.ceil(np.log2(np.abs(values).max()))
    parts, rest = [], values
    for position in range(1, -(-_ENOUGH // bits) + 1):
        unit = scale * 2.0 ** (-position * bits)
        parts.append(np.round(rest / unit) * unit)
        rest = rest - parts[-1]
    return np.hstack([*parts, rest])
