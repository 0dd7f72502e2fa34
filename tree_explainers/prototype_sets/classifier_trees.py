"""The nearest-prototype classifier on raw rows: each tree cut down to what parts the prototypes' leaves from the rest.

A row's nearest prototypes follow from which of their leaves it shares. So a tree needs no more than the paths to these
leaves: whatever leads to another leaf is one leaf, of nobody. Tests are about raw values in double precision and send a
value where the model does, which may round it first. Where the graph calculates with a number before (scaling), a test
is exact but for the rounding in between.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..ensemble import TreeEnsemble
from ..onnx_models.description import ModelDescription
from .leaf_boxes import parents
from .raw_tests import RawTestReader, RawTests


@dataclass(frozen=True, slots=True, eq=False)
class ClassifierTree:
    """A tree cut down; its children are nodes from 0 on, or leaves: leaf ``i`` is written as -1 - i."""

    nodes: NDArray[np.int64]  # (n_nodes, 3) test, child where it holds, the other; parents come first
    root: int
    leaves: NDArray[np.int64]  # (n_prototypes,) leaf of each prototype, from 1 on; leaf 0 is nobody's
    weight: int


@dataclass(frozen=True, slots=True, eq=False)
class ClassifierTrees:
    """What the nearest-prototype classifier is made of."""

    tests: RawTests
    trees: tuple[ClassifierTree, ...]  # those that count
    total_weight: int


def classifier_trees(
    ensemble: TreeEnsemble, leaves: NDArray[np.int32], weights: NDArray[np.int64], description: ModelDescription
) -> ClassifierTrees:
    """Cut trees down to the prototypes' leaves.

    Parameters
    ----------
    ensemble
        The trees, cut back to coarser leaves where rows are compared by such.
    leaves : (n_prototypes, n_trees) int32
        Leaf of each prototype in each tree.
    weights : (n_trees,) int64
        What each tree counts; those of weight 0 are left out.
    description
        The model, whose columns are mapped back to raw features.

    Raises
    ------
    MethodNotApplicable
        Where a test that is needed is about a column that cannot be mapped back to one raw feature.
    """
    counted = np.flatnonzero(weights > 0)
    prototype_leaves = ensemble.leaf_nodes[ensemble.leaf_offsets[counted] + leaves[:, counted]]
    ancestors = _above(ensemble, prototype_leaves)
    tests, test_of_node = RawTestReader(ensemble, description).tests(ancestors)
    first = np.searchsorted(ancestors, ensemble.offsets)  # of the nodes that are kept of each tree
    code = _codes(ensemble, ancestors, first, prototype_leaves)
    nodes = np.stack([test_of_node, code[ensemble.left[ancestors]], code[ensemble.right[ancestors]]], axis=1)
    numbers_of_trees = np.ascontiguousarray((-1 - code[prototype_leaves]).T)
    trees = [
        ClassifierTree(
            nodes[first[tree] : first[tree + 1]], int(code[ensemble.offsets[tree]]), numbers, int(weights[tree])
        )
        for tree, numbers in zip(counted.tolist(), numbers_of_trees, strict=True)
    ]
    return ClassifierTrees(tests, tuple(trees), int(weights.sum()))


def _above(ensemble: TreeEnsemble, leaf_nodes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the nodes above some leaves, ascending: children come after their parents."""
    parent, is_above = parents(ensemble.left, ensemble.right), np.zeros(ensemble.n_nodes, dtype=np.bool_)
    reached = np.unique(leaf_nodes)
    while len(reached):
        above = parent[reached]
        reached = np.unique(above[(above != reached) & ~is_above[above]])
        is_above[reached] = True
    return np.flatnonzero(is_above)


def _codes(
    ensemble: TreeEnsemble, ancestors: NDArray[np.int64], first: NDArray[np.int64], prototype_leaves: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Return how each node is written as a child, (n_nodes,): its place in the tree, or -1 less the leaf's number.

    Leaves are numbered in the order of the prototypes; 0 is nobody's.
    """
    code = np.full(ensemble.n_nodes, -1, dtype=np.int64)
    code[ancestors] = np.arange(len(ancestors)) - np.repeat(first[:-1], np.diff(first))
    for of_tree in prototype_leaves.T:
        distinct, earliest = np.unique(of_tree, return_index=True)
        code[distinct[np.argsort(earliest)]] = -2 - np.arange(len(distinct))
    return code
