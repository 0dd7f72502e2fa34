"""Tree operators put into the order that onnxruntime assumes.

It takes the first of each run of nodes with one tree id as a root, and expects node ids below the number of nodes.
Where an operator is ordered otherwise, which the format allows, the runtime would refuse it or evaluate parts of trees.
"""

import numpy as np
from numpy.typing import NDArray
from onnx import AttributeProto, NodeProto, numpy_helper

from .graph import tensor_array
from .tree_attributes import NodeTable
from .tree_nodes import OrderedTrees


def is_in_runtime_order(table: NodeTable, trees: OrderedTrees) -> bool:
    """Return whether each tree's nodes are contiguous, its root first, with small ids."""
    starts = np.flatnonzero(np.diff(table.tree, prepend=-1))
    roots = trees.order[trees.ensemble.offsets[:-1]]
    return (
        len(starts) == trees.ensemble.n_trees
        and set(starts.tolist()) == set(roots.tolist())
        and bool(table.node.max() < len(table.node))
    )


def put_in_runtime_order(node: NodeProto, trees: OrderedTrees) -> None:
    """Change a tree operator of opset 1 to 3: the same trees, in the order and with the ids of ``trees``."""
    ensemble = trees.ensemble
    tree_of_node = np.repeat(np.arange(ensemble.n_trees), np.diff(ensemble.offsets))
    node_in_tree = np.arange(ensemble.n_nodes) - ensemble.offsets[tree_of_node]
    weight_nodes = ensemble.leaf_nodes[trees.weight_leaf]
    renumbered = {
        "nodes_treeids": tree_of_node,
        "nodes_nodeids": node_in_tree,
        "nodes_truenodeids": node_in_tree[ensemble.left],
        "nodes_falsenodeids": node_in_tree[ensemble.right],
    }
    for prefix in ("class", "target"):
        renumbered[f"{prefix}_treeids"] = tree_of_node[weight_nodes]
        renumbered[f"{prefix}_nodeids"] = node_in_tree[weight_nodes]
    for attribute in node.attribute:
        if attribute.name in renumbered:
            attribute.ints[:] = renumbered[attribute.name].tolist()
        elif attribute.name.startswith("nodes_"):
            _permute(attribute, trees.order)


def _permute(attribute: AttributeProto, order: NDArray[np.int64]) -> None:
    if attribute.HasField("t"):
        values = tensor_array(attribute.t).ravel()
        if len(values):
            attribute.t.CopyFrom(numpy_helper.from_array(values[order], attribute.t.name))
        return
    for field in (attribute.ints, attribute.floats, attribute.strings):
        if len(field):
            listed = list(field)
            field[:] = [listed[index] for index in order]
