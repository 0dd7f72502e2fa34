"""Graphs of trees written by hand: random ones, and ones that are wrong in a way of the test's choosing."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper

BRANCHES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")


def regressor(
    attributes: dict[str, Any], n_features: int = 3, element: int = TensorProto.FLOAT, ml_version: int = 3
) -> ModelProto:
    """Return a graph of one TreeEnsembleRegressor with these attributes."""
    node = helper.make_node("TreeEnsembleRegressor", ["X"], ["Y"], domain="ai.onnx.ml", **attributes)
    return graph_of([node], n_features, element, ml_version)


def graph_of(nodes: Sequence[Any], n_features: int = 3, element: int = 1, ml_version: int = 3) -> ModelProto:
    """Return a graph that reads the matrix ``X`` and answers ``Y``."""
    graph = helper.make_graph(
        nodes,
        "trees",
        [helper.make_tensor_value_info("X", element, [None, n_features])],
        [helper.make_tensor_value_info("Y", TensorProto.FLOAT, [None, 1])],
    )
    opsets = [helper.make_opsetid("ai.onnx.ml", ml_version), helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def stump() -> dict[str, Any]:
    """Return the attributes of one tree with one question and two leaves."""
    return {
        "n_targets": 1,
        "nodes_treeids": [0, 0, 0],
        "nodes_nodeids": [0, 1, 2],
        "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
        "nodes_featureids": [0, 0, 0],
        "nodes_values": [1.0, 0.0, 0.0],
        "nodes_truenodeids": [1, 0, 0],
        "nodes_falsenodeids": [2, 0, 0],
        "target_treeids": [0, 0],
        "target_nodeids": [1, 2],
        "target_ids": [0, 0],
        "target_weights": [10.0, 20.0],
    }


def chain(depth: int) -> dict[str, Any]:
    """Return the attributes of one tree in which each question hangs on the other's "no"."""
    branches, n_nodes = list(range(depth)), 2 * depth + 1
    leaves = list(range(depth, n_nodes))
    return {
        "n_targets": 1,
        "nodes_treeids": [0] * n_nodes,
        "nodes_nodeids": list(range(n_nodes)),
        "nodes_modes": ["BRANCH_LEQ"] * depth + ["LEAF"] * len(leaves),
        "nodes_featureids": [0] * n_nodes,
        "nodes_values": [float(at) for at in branches] + [0.0] * len(leaves),
        "nodes_truenodeids": leaves[:depth] + [0] * len(leaves),
        "nodes_falsenodeids": [*range(1, depth), leaves[depth]] + [0] * len(leaves),
        "target_treeids": [0] * len(leaves),
        "target_nodeids": leaves,
        "target_ids": [0] * len(leaves),
        "target_weights": [1.0] * len(leaves),
    }


def random_trees(rng: np.random.Generator, n_trees: int, n_features: int) -> dict[str, Any]:
    """Return the attributes of random trees of all operators, with missing values going either way.

    Ids, trees and nodes stand in random order. Thresholds are small integers, so that values often hit them exactly.
    """
    rows: list[tuple[int, ...]] = []
    for tree in range(n_trees):
        rows += _random_tree(rng, tree, n_features)
    order = rng.permutation(len(rows))
    table = np.array(rows)[order]
    is_leaf = table[:, 2] == 0
    return {
        "n_targets": 1,
        "nodes_treeids": table[:, 0].tolist(),
        "nodes_nodeids": table[:, 1].tolist(),
        "nodes_modes": ["LEAF" if mode == 0 else BRANCHES[mode - 1] for mode in table[:, 2]],
        "nodes_featureids": table[:, 3].tolist(),
        "nodes_values": table[:, 4].astype(float).tolist(),
        "nodes_truenodeids": table[:, 5].tolist(),
        "nodes_falsenodeids": table[:, 6].tolist(),
        "nodes_missing_value_tracks_true": table[:, 7].tolist(),
        "target_treeids": table[is_leaf, 0].tolist(),
        "target_nodeids": table[is_leaf, 1].tolist(),
        "target_ids": [0] * int(is_leaf.sum()),
        "target_weights": rng.normal(size=int(is_leaf.sum())).astype(np.float32).tolist(),
    }


def _random_tree(rng: np.random.Generator, tree: int, n_features: int) -> list[tuple[int, ...]]:
    """Return rows of tree, node, mode, feature, threshold, yes, no, and where missing values go."""
    ids = iter(rng.permutation(64).tolist())
    rows: list[tuple[int, ...]] = []
    waiting = [(next(ids), 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth == 4 or rng.random() < 0.2:
            rows.append((tree, node, 0, 0, 0, 0, 0, 0))
            continue
        yes, no = next(ids), next(ids)
        mode, feature = int(rng.integers(1, 7)), int(rng.integers(n_features))
        rows.append((tree, node, mode, feature, int(rng.integers(-2, 3)), yes, no, int(rng.integers(2))))
        waiting += [(yes, depth + 1), (no, depth + 1)]
    return rows


_NUMBERS_OF_MODES = {
    "BRANCH_LEQ": 0,
    "BRANCH_LT": 1,
    "BRANCH_GTE": 2,
    "BRANCH_GT": 3,
    "BRANCH_EQ": 4,
    "BRANCH_NEQ": 5,
    "LEAF": 0,
}


def newest(old: dict[str, Any], rng: np.random.Generator, element: int) -> NodeProto:
    """Return older attributes as a TreeEnsemble, with some questions of equality turned into membership."""
    keys = list(zip(old["nodes_treeids"], old["nodes_nodeids"], strict=True))
    is_leaf = [mode == "LEAF" for mode in old["nodes_modes"]]
    roots = _roots(old, keys, is_leaf)
    # A tree that is one leaf is written as a branch, both of whose sides are that leaf.
    branches = [at for at, leaf in enumerate(is_leaf) if not leaf] + [at for at in roots if is_leaf[at]]
    leaves = [at for at, leaf in enumerate(is_leaf) if leaf]
    weights = dict(
        zip(zip(old["target_treeids"], old["target_nodeids"], strict=True), old["target_weights"], strict=True)
    )
    modes = [_NUMBERS_OF_MODES[old["nodes_modes"][at]] for at in branches]
    modes = [6 if mode == 4 and rng.random() < 0.7 else mode for mode in modes]
    sets = [[*rng.choice(np.arange(-3, 4), 2, replace=False), np.nan] for mode in modes if mode == 6]
    members = np.array(sets, float).ravel()
    return helper.make_node(
        "TreeEnsemble",
        ["X"],
        ["Y"],
        domain="ai.onnx.ml",
        n_targets=1,
        tree_roots=[branches.index(at) for at in roots],
        nodes_modes=helper.make_tensor("modes", TensorProto.UINT8, [len(modes)], modes),
        nodes_featureids=[old["nodes_featureids"][at] for at in branches],
        nodes_splits=_tensor("splits", [old["nodes_values"][at] for at in branches], element),
        nodes_missing_value_tracks_true=[old["nodes_missing_value_tracks_true"][at] for at in branches],
        leaf_targetids=[0] * len(leaves),
        leaf_weights=_tensor("weights", [weights[keys[at]] for at in leaves], element),
        membership_values=_tensor("members", members, element) if len(members) else None,
        **_children(old, keys, branches, leaves),
    )


def _children(
    old: dict[str, Any], keys: list[tuple[int, int]], branches: list[int], leaves: list[int]
) -> dict[str, Any]:
    """Return the children of branches, as indices of branches or leaves."""
    is_leaf = [mode == "LEAF" for mode in old["nodes_modes"]]
    sides: dict[str, Any] = {}
    for side in ("true", "false"):
        children = [
            at if is_leaf[at] else keys.index((keys[at][0], old[f"nodes_{side}nodeids"][at])) for at in branches
        ]
        sides[f"nodes_{side}leafs"] = [int(is_leaf[child]) for child in children]
        sides[f"nodes_{side}nodeids"] = [(leaves if is_leaf[at] else branches).index(at) for at in children]
    return sides


def _roots(old: dict[str, Any], keys: list[tuple[int, int]], is_leaf: list[bool]) -> list[int]:
    children = {
        (key[0], child)
        for at, key in enumerate(keys)
        if not is_leaf[at]
        for child in (old["nodes_truenodeids"][at], old["nodes_falsenodeids"][at])
    }
    return [at for at, key in enumerate(keys) if key not in children]


def _tensor(name: str, values: Sequence[float] | NDArray[np.float64], element: int) -> TensorProto:
    return helper.make_tensor(name, element, [len(values)], list(values))


def classifier_graph(leaf_values: Sequence[Sequence[float]], n_trees: int = 1, **more: Any) -> ModelProto:  # attributes
    """Return a classifier of stumps that answers ``label`` and ``scores``.

    Tree t asks whether feature t is at most 0, and has both leaves of ``leaf_values`` (2, n_scored): for class 0, 1, …;
    of one value a leaf there are two classes.
    """
    n_scored = len(leaf_values[0])
    trees = range(n_trees)
    attributes: dict[str, Any] = {
        "classlabels_int64s": list(range(max(2, n_scored))),
        "nodes_treeids": [tree for tree in trees for _ in range(3)],
        "nodes_nodeids": [0, 1, 2] * n_trees,
        "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"] * n_trees,
        "nodes_featureids": [feature for tree in trees for feature in (tree, 0, 0)],
        "nodes_values": [0.0, 0.0, 0.0] * n_trees,
        "nodes_truenodeids": [1, 0, 0] * n_trees,
        "nodes_falsenodeids": [2, 0, 0] * n_trees,
        "class_treeids": [tree for tree in trees for _ in range(2 * n_scored)],
        "class_nodeids": [node for _ in trees for node in (1, 2) for _ in range(n_scored)],
        "class_ids": list(range(n_scored)) * 2 * n_trees,
        "class_weights": [value for _ in trees for leaf in leaf_values for value in leaf],
    }
    node = helper.make_node(
        "TreeEnsembleClassifier", ["X"], ["label", "scores"], domain="ai.onnx.ml", **attributes, **more
    )
    model = graph_of([node])
    del model.graph.output[:]
    model.graph.output.append(helper.make_tensor_value_info("label", TensorProto.INT64, [None]))
    model.graph.output.append(helper.make_tensor_value_info("scores", TensorProto.FLOAT, [None, max(2, n_scored)]))
    return model
