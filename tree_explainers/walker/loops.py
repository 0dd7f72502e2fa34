"""The innermost loops: eight rows go down a tree together, so that one row's reads do not wait for another's."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, inlined, inlined_reader

ROWS_TOGETHER = 8

Ints = NDArray[np.int64]
Ranks = NDArray[np.uint16]


class Trees(NamedTuple):
    """What it takes to walk: as in ``TreeWords``."""

    words: NDArray[Any]  # (n_words,)
    layout: NDArray[Any]  # (3,) of the same type
    starts: Ints  # (n_trees + 1,)
    n_sure_steps: Ints  # (n_trees,)
    leaf: NDArray[np.int32]  # (n_words,)


@compiled
def walk_leaves(trees: Trees, ranks: Ranks, leaves: NDArray[np.int32]) -> None:
    """Write the leaf of each row in each tree.

    Parameters
    ----------
    trees
        All trees.
    ranks : (at least n_rows, a multiple of 8; n_ranked)
        What is behind the rows may be anything that is a rank.
    leaves : (n_trees, as many as ``ranks``)
        Counted within the tree; filled in.
    """
    reached = np.empty(ranks.shape[0], np.int64)
    for tree in range(len(trees.starts) - 1):
        first, end = trees.starts[tree], trees.starts[tree + 1]
        _walk(trees.words[first:end], trees.layout, trees.n_sure_steps[tree], ranks, reached)
        for row in range(leaves.shape[1]):
            leaves[tree, row] = trees.leaf[first + reached[row]]


@compiled
def sum_leaves(leaves: NDArray[np.int32], leaf_starts: Ints, values: NDArray[Any], sums: NDArray[Any]) -> None:
    """Add the values of each row's leaves to its sums, tree by tree, in the values' precision.

    Parameters
    ----------
    leaves : (n_trees, at least n_rows)
        As ``walk_leaves`` writes them.
    leaf_starts : (n_trees,)
        The first leaf of each tree among all.
    values : (n_leaves, n_outputs)
        Of all leaves.
    sums : (n_rows, n_outputs)
        Changed.
    """
    for tree in range(leaves.shape[0]):
        for row in range(sums.shape[0]):
            at = leaf_starts[tree] + leaves[tree, row]
            for output in range(sums.shape[1]):
                sums[row, output] += values[at, output]


@compiled
def logistic_of_sums(scores: NDArray[np.float32]) -> None:
    """Change sums, (n_rows, n_classes), into 1 / (1 + exp(-s)) of each, rounded as onnxruntime rounds."""
    for row in range(scores.shape[0]):
        for output in range(scores.shape[1]):
            scores[row, output] = _logistic(scores[row, output])


@compiled
def softmax_of_sums(scores: NDArray[np.float32]) -> None:
    """Change sums, (n_rows, n_classes), into exp(s) by their total in the row, rounded as onnxruntime rounds."""
    for row in range(scores.shape[0]):
        highest = scores[row].max()
        total = np.float32(0)
        for output in range(scores.shape[1]):
            scores[row, output] = math.exp(np.float32(scores[row, output] - highest))
            total += scores[row, output]
        for output in range(scores.shape[1]):
            scores[row, output] /= total


@inlined
def _logistic(total: Any) -> Any:  # numba's own numbers
    """Return 1 / (1 + exp(-s)) in single precision; below 0, the rest of what it is above."""
    above = np.float32(1) / (np.float32(1) + np.float32(math.exp(-abs(total))))
    return np.float32(1) - above if total < 0 else above


@inlined
def _walk(words: NDArray[Any], layout: NDArray[Any], n_sure_steps: int, ranks: Ranks, reached: Ints) -> None:
    """Write the position of the leaf that each row reaches in one tree."""
    bits = layout[0], layout[1], layout[2]  # in registers
    last_rank = (words.dtype.type(1) << layout[0]) - words.dtype.type(1)
    width, flat = ranks.shape[1], ranks.ravel()
    for row in range(0, len(reached), ROWS_TOGETHER):
        at0 = row * width
        at1 = at0 + width
        at2 = at1 + width
        at3 = at2 + width
        at4 = at3 + width
        at5 = at4 + width
        at6 = at5 + width
        at7 = at6 + width
        node0 = node1 = node2 = node3 = node4 = node5 = node6 = node7 = 0
        n_steps, moved = 0, 1
        while n_steps < n_sure_steps or moved:
            next0 = _next(words, node0, flat, at0, bits, last_rank)
            next1 = _next(words, node1, flat, at1, bits, last_rank)
            next2 = _next(words, node2, flat, at2, bits, last_rank)
            next3 = _next(words, node3, flat, at3, bits, last_rank)
            next4 = _next(words, node4, flat, at4, bits, last_rank)
            next5 = _next(words, node5, flat, at5, bits, last_rank)
            next6 = _next(words, node6, flat, at6, bits, last_rank)
            next7 = _next(words, node7, flat, at7, bits, last_rank)
            moved = (next0 ^ node0) | (next1 ^ node1) | (next2 ^ node2) | (next3 ^ node3)
            moved |= (next4 ^ node4) | (next5 ^ node5) | (next6 ^ node6) | (next7 ^ node7)
            node0, node1, node2, node3 = next0, next1, next2, next3
            node4, node5, node6, node7 = next4, next5, next6, next7
            n_steps += 1
        reached[row], reached[row + 1], reached[row + 2], reached[row + 3] = node0, node1, node2, node3
        reached[row + 4], reached[row + 5], reached[row + 6], reached[row + 7] = node4, node5, node6, node7


@inlined_reader
def _next(
    words: NDArray[Any], node: Any, ranks: Ranks, at: int, layout: Any, last_rank: Any
) -> Any:  # numba's own numbers
    """Return the position that follows a position, for the row whose ranks begin at ``at``."""
    rank_bits, child_bits, last_column = layout
    word = words[node]
    rank = ranks[at + np.int64((word >> rank_bits) & last_column)]
    return np.int64(word >> child_bits) + np.int64(rank > (word & last_rank))
