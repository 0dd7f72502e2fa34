"""Reasons of similarity to any row, from the paths to the leaves of the explained row, in mapped arrays.

Two rows that share a leaf share its box. So the boxes of the explained row's own leaves give the reasons of its
similarity to any other row; they are made while a request waits, for the trees that it shares with some of these.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import array_of, compiled, compiled_ahead, compiled_for_loops
from ..ensemble import TreeEnsemble
from .leaf_boxes import ENTRY, Answer, LeafBoxes, Side, distinct_sets, parents, take_answer
from .reasons import Reasons

# A node that splits: where the path to it comes from, and what it tests.
NODE = np.dtype([("threshold", np.float64), ("up", np.int32), ("test", np.int32)], align=True)
_OPERATOR_BITS, _MISSING_BITS = 4, 1


def path_arrays(
    ensemble: TreeEnsemble, leaf_nodes: NDArray[np.integer[Any]], leaf_offsets: NDArray[np.integer[Any]]
) -> dict[str, NDArray[Any]]:
    """Return the paths to some leaves as plain arrays, from which ``LeafPaths`` reads them.

    Parameters
    ----------
    ensemble
        The trees.
    leaf_nodes : (n_leaves,)
        The node of each leaf, tree by tree: the ensemble's own, or others that cut each tree back.
    leaf_offsets : (n_trees + 1,)
        Where each tree's leaves begin among them.
    """
    parent = parents(ensemble.left, ensemble.right)
    is_kept = np.zeros(ensemble.n_nodes, dtype=np.bool_)
    _mark_above(parent, np.asarray(leaf_nodes, dtype=np.int64), is_kept)
    number = np.cumsum(is_kept, dtype=np.int32) - np.int32(1)

    def up(nodes: NDArray[Any]) -> NDArray[np.int32]:
        above = parent[nodes]
        turns = 2 * number[above] + (ensemble.left[above] == nodes)
        return np.where(above == nodes, -1, turns).astype(np.int32)

    path_nodes = np.flatnonzero(is_kept)
    nodes = np.empty(len(path_nodes), dtype=NODE)
    _, threshold = distinct_sets(ensemble)
    nodes["threshold"], nodes["up"] = threshold[path_nodes], up(path_nodes)
    question = (ensemble.column[path_nodes].astype(np.int64) << _OPERATOR_BITS) | ensemble.operator[path_nodes]
    nodes["test"] = (question << _MISSING_BITS) | ensemble.missing_left[path_nodes]
    offsets = np.asarray(leaf_offsets, dtype=np.int64)
    return {"path_nodes": nodes, "path_ends": up(np.asarray(leaf_nodes)), "path_offsets": offsets}


@dataclass(frozen=True, slots=True, eq=False)
class LeafPaths:
    """The paths to all leaves."""

    nodes: NDArray[Any]  # (n_nodes,) NODE
    ends: NDArray[np.int32]  # (n_leaves,) the last step to each leaf: node x 2, + 1 if it goes left; -1: it is the root
    offsets: NDArray[np.int64]  # (n_trees + 1,) where each tree's leaves begin
    features: NDArray[np.int32]  # (n_columns,) number of the feature of each model-side column
    ranks: NDArray[np.int64]  # (n_columns,) of each column by feature, then column

    @staticmethod
    def of_arrays(arrays: Mapping[str, NDArray[Any]], features: NDArray[np.int32]) -> "LeafPaths":
        """Return the paths that ``path_arrays`` took apart; ``features`` as ``leaf_boxes`` has them."""
        ranks = np.empty(len(features), dtype=np.int64)
        ranks[np.argsort(features, kind="stable")] = np.arange(len(features))
        own_features = np.array(features, dtype=np.int32)
        return LeafPaths(
            arrays["path_nodes"].view(NODE), arrays["path_ends"], np.array(arrays["path_offsets"]), own_features, ranks
        )

    def reasons(
        self, leaves: NDArray[np.int32], shared: NDArray[np.bool_], weights: NDArray[np.uint32]
    ) -> NDArray[Any]:
        """Return the reasons of a row's similarity to each of some others, as ``Reasons.of`` does for prototypes.

        Parameters
        ----------
        leaves : (n_trees,) int32
            Leaves of the row, numbered as in ``path_arrays``.
        shared : (n_pairs, n_trees) bool
            In which trees each of the others shares them.
        weights : (n_trees,) uint32
            What each tree counts in the proximity.

        Returns
        -------
        (n_reasons,) REASON
        """
        ends = self.ends[self.offsets[:-1] + leaves]
        is_shared = np.asarray(shared.any(axis=0))
        buffer = np.empty(2 * _n_steps(self.nodes, ends, is_shared), dtype=ENTRY)
        n_entries = _fill(self.nodes, ends, is_shared, self.features, buffer)
        entries, opens = np.empty(n_entries, dtype=ENTRY), np.empty(n_entries, dtype=np.bool_)
        n_distinct = _sort(buffer[:n_entries], self.ranks, len(ends), entries, opens)
        boxes = LeafBoxes(np.array([0, n_entries], dtype=np.int64), entries)
        reasons = Reasons(boxes, np.array([n_distinct], dtype=np.int64), opens)
        return reasons.of(np.zeros(len(shared), np.int64), shared, weights)


@compiled
def _mark_above(parent: NDArray[np.int32], leaf_nodes: NDArray[np.int64], is_marked: NDArray[np.bool_]) -> None:
    for leaf in leaf_nodes:
        node = leaf
        while parent[node] != node and not is_marked[parent[node]]:
            node = parent[node]
            is_marked[node] = True


_HOLE = int(Side.HOLE)


@compiled_ahead(lambda n: [n.int64(array_of(NODE, readonly=True), n.int32[::1], n.boolean[::1])])
def _n_steps(nodes: NDArray[Any], ends: NDArray[np.int32], is_shared: NDArray[np.bool_]) -> int:
    n_steps = 0
    for tree in range(len(ends)):
        step = ends[tree] if is_shared[tree] else -1
        while step >= 0:
            n_steps += 1
            step = nodes[step >> 1].up
    return n_steps


@compiled_ahead(
    lambda n: [n.int64(array_of(NODE, readonly=True), n.int32[::1], n.boolean[::1], n.int32[::1], array_of(ENTRY))]
)
def _fill(
    nodes: NDArray[Any],
    ends: NDArray[np.int32],
    is_shared: NDArray[np.bool_],
    features: NDArray[np.int32],
    entries: NDArray[Any],
) -> int:
    """Write the intervals and holes of each shared leaf; return how many there are."""
    end = 0
    for tree in range(len(ends)):
        first = end
        step = ends[tree] if is_shared[tree] else -1
        while step >= 0:
            node = nodes[step >> 1]
            question = node.test >> _MISSING_BITS
            column, operator = question >> _OPERATOR_BITS, question & ((1 << _OPERATOR_BITS) - 1)
            answer = Answer(features[column], column, tree, operator, node.threshold, node.test & 1 == 1, step & 1 == 1)
            end = take_answer(entries, first, end, answer)
            step = node.up
    return end


@compiled_ahead(lambda n: [n.int64(array_of(ENTRY), n.int64[::1], n.int64, array_of(ENTRY), n.boolean[::1])])
def _sort(
    unsorted: NDArray[Any],
    ranks: NDArray[np.int64],
    n_trees: int,
    entries: NDArray[Any],
    opens: NDArray[np.bool_],
) -> int:
    """Sort as ``LeafBoxes`` has it, and mark each tree's first entry of a feature; return how many are distinct."""
    following = np.zeros(2 * len(ranks) + 1, dtype=np.int64)
    for entry in unsorted:
        following[2 * ranks[entry.column] + (entry.side & _HOLE != 0) + 1] += 1
    for index in range(1, len(following)):
        following[index] += following[index - 1]
    for at in range(len(unsorted)):  # tree by tree: entries of the same column stay in this order
        entry = unsorted[at]
        key = 2 * ranks[entry.column] + (entry.side & _HOLE != 0)
        entries[following[key]] = entry
        following[key] += 1
    n_distinct = 0
    marks = np.full(n_trees, -1, dtype=np.int32)
    _sort_holes(entries)
    for at in range(len(entries)):
        entry = entries[at]
        opens[at] = marks[entry.tree] != entry.feature
        marks[entry.tree] = entry.feature
        n_distinct += at == 0 or not _is_alike(entries[at - 1], entry)
    return n_distinct


@compiled_for_loops
def _sort_holes(entries: NDArray[Any]) -> None:
    """Sort each column's holes and sets by kind, then value; equal ones stay in their order."""
    end = 0
    while end < len(entries):
        start = end
        while end < len(entries) and entries[end].side & _HOLE and entries[end].column == entries[start].column:
            end += 1
        if end - start > 1:
            held = entries[start:end].copy()
            by_value = np.argsort(np.array([entry.low for entry in held]), kind="mergesort")
            kinds = np.array([np.float64(held[at].side) for at in by_value])  # one more type to sort takes a second
            by_kind = by_value[np.argsort(kinds, kind="mergesort")]
            for at in range(len(held)):
                entries[start + at] = held[by_kind[at]]
        end = max(end, start + 1)


@compiled_for_loops
def _is_alike(entry: Any, other: Any) -> bool:  # records
    """Return whether two entries become one reason at most."""
    if entry.column != other.column or (entry.side & _HOLE) != (other.side & _HOLE):
        return False
    return not entry.side & _HOLE or (entry.low == other.low and entry.side == other.side)
