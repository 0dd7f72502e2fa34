"""Where the trees part two rows: for each tree that separates them, the split at which their paths part.

The two rows take the same path down to that split, and different ones at it. It is known what the other row has there
and this row has not.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import array_of, compiled_ahead
from .leaf_boxes import ENTRY, Answer, LeafBoxes, Side, take_answer
from .leaf_paths import NODE, LeafPaths
from .reasons import REASON, Reasons

_OPERATOR_BITS, _MISSING_BITS = 4, 1  # of a node's test, see ``path_arrays``


def parting_reasons(
    paths: LeafPaths, leaves: NDArray[np.int32], others: NDArray[np.int32], weights: NDArray[np.integer[Any]]
) -> NDArray[Any]:
    """Return what some other rows have, and a row has not, in each feature at which trees part it from them.

    Parameters
    ----------
    paths
        To all leaves.
    leaves : (n_trees,) int32
        Leaves of the row.
    others : (n_pairs, n_trees) int32
        Leaves of the other rows.
    weights : (n_trees,)
        What each tree counts; not negative. Those that count nothing are passed over.

    Returns
    -------
    (n_reasons,) REASON
        Sorted by pair, feature, column. A column's interval (and the holes that follow it) is the intersection of the
        other row's sides of all splits on the column at which trees part the two: with a value outside, the row goes
        another way than the other row at one of these splits at least. ``MISSING_STAYS`` holds if a missing value is
        on the other row's side of all of them. ``share_of_trees`` is the share, by weight, that the trees which part
        the two at the feature have among all trees that separate them; over the features these shares add up to 1.
        A pair in the same leaves has no reasons.
    """
    separates = (others != leaves) & (np.asarray(weights) > 0)
    ends = np.ascontiguousarray(paths.ends[paths.offsets[:-1] + leaves])
    of_pairs = [_of_pair(paths, ends, *pair, weights) for pair in zip(others, separates, strict=True)]
    for pair, reasons in enumerate(of_pairs):
        reasons["pair"] = pair
    return np.concatenate(of_pairs) if of_pairs else np.empty(0, dtype=REASON)


def _of_pair(
    paths: LeafPaths,
    ends: NDArray[np.int32],
    other: NDArray[np.int32],
    separates: NDArray[np.bool_],
    weights: NDArray[np.integer[Any]],
) -> NDArray[Any]:
    other_ends = np.ascontiguousarray(paths.ends[paths.offsets[:-1] + other])
    buffer = np.empty(2 * len(ends), dtype=ENTRY)
    entries = buffer[: _fill(paths.nodes, ends, other_ends, separates, paths.features, buffer)]
    is_hole = (entries["side"] & Side.HOLE) != 0
    kind, hole = np.where(is_hole, entries["side"], 0), np.where(is_hole, entries["low"], 0)
    order = np.lexsort((entries["tree"], hole, kind, entries["column"], entries["feature"]))
    entries, is_hole = entries[order], is_hole[order]
    boxes = LeafBoxes(np.array([0, len(entries)], dtype=np.int64), entries)
    every = Reasons(boxes, np.array([len(entries)], dtype=np.int64), ~is_hole)
    reasons = every.of(np.zeros(1, dtype=np.int64), separates[None, :], weights.astype(np.uint32))
    # A tree parts the two at one split: its interval, or the hole in it, represents the tree.
    counted = np.bincount(
        entries["feature"][~is_hole], weights[entries["tree"][~is_hole]], minlength=len(paths.features)
    )
    reasons["share_of_trees"] = counted[reasons["feature"]] / max(1, counted.sum())
    return reasons


def _types(n: Any) -> list[Any]:  # numba's types
    nodes, ends = array_of(NODE, readonly=True), n.int32[::1]
    return [n.int64(nodes, ends, ends, n.boolean[::1], n.int32[::1], array_of(ENTRY))]


@compiled_ahead(_types)
def _fill(
    nodes: NDArray[Any],
    ends: NDArray[np.int32],
    other_ends: NDArray[np.int32],
    separates: NDArray[np.bool_],
    features: NDArray[np.int32],
    entries: NDArray[Any],
) -> int:
    """Write the other row's side of the split at which each tree parts the two; return how many entries there are.

    A step of a path is a node x 2, + 1 to the left. A node comes before those below it, so of two different nodes the
    later one is not above the other, and the paths are followed upwards from there.
    """
    end = 0
    for tree in range(len(ends)):
        if not separates[tree]:
            continue
        step, other_step = ends[tree], other_ends[tree]
        while step >> 1 != other_step >> 1:
            if step > other_step:
                step = nodes[step >> 1].up
            else:
                other_step = nodes[other_step >> 1].up
        node = nodes[step >> 1]
        question = node.test >> _MISSING_BITS
        column, operator = question >> _OPERATOR_BITS, question & ((1 << _OPERATOR_BITS) - 1)
        went_left = other_step & 1 == 1
        answer = Answer(features[column], column, tree, operator, node.threshold, node.test & 1 == 1, went_left)
        end = take_answer(entries, end, end, answer)
    return end
