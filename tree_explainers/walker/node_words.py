"""Trees as machine words: where a node's children are, which ranked column it tests, and at which rank."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from .node_conditions import NodeTests
from .value_ranks import Cuts

Ints = NDArray[np.int64]

_SINGLE_BITS, _WORD_BITS = 32, 64


@dataclass(frozen=True, slots=True)
class TreeWords:
    """All trees, level by level, the two children of a node side by side.

    From its high end, a word holds the position of the first child within the tree, the ranked column and the rank.
    A leaf is its own first child and has the highest rank there is, so that a row that goes on stays there.
    """

    words: NDArray[Any]  # (n_words,) uint32 where that is enough: twice as many stay in a cache; otherwise uint64
    starts: Ints  # (n_trees + 1,)
    leaf: NDArray[np.int32]  # (n_words,) the leaf counted within its tree; -1 at other nodes
    n_sure_steps: Ints  # (n_trees,) steps from the root to the nearest leaf
    layout: NDArray[Any]  # (3,) of the same type: the bits of a rank, those of rank and column, and the last column


def pack(tests: NodeTests, roots: NDArray[np.integer[Any]], cuts: Cuts, column: Ints, rank: Ints) -> TreeWords:
    """Return the trees with these roots, (n_trees,), whose nodes test these ranked columns and ranks, (n_tests,)."""
    rank_bits = max(1, int(np.diff(cuts.starts).max(initial=0)).bit_length())
    column_bits = max(1, (cuts.n_ranked - 1).bit_length())
    n_most = len(roots) + 2 * int((tests.leaf < 0).sum())
    words, leaf = np.empty(n_most, np.uint64), np.empty(n_most, np.int32)
    starts, n_sure_steps = np.zeros(len(roots) + 1, np.int64), np.empty(len(roots), np.int64)
    fields = tests.low, tests.high, tests.leaf, column, rank
    _pack(fields, roots.astype(np.int64), (rank_bits, column_bits), (words, leaf), (starts, n_sure_steps))
    longest = int(np.diff(starts).max()) - 1
    dtype = np.uint32 if longest.bit_length() + rank_bits + column_bits <= _SINGLE_BITS else np.uint64
    layout = np.array([rank_bits, rank_bits + column_bits, 2**column_bits - 1], dtype)
    end = starts[-1]
    return TreeWords(words[:end].astype(dtype), starts, leaf[:end].copy(), n_sure_steps, layout)


@compiled
def _pack(
    fields: tuple[Ints, Ints, Ints, Ints, Ints],
    roots: Ints,
    bits: tuple[int, int],
    of_words: tuple[NDArray[np.uint64], NDArray[np.int32]],
    of_trees: tuple[Ints, Ints],
) -> None:
    low, high, leaf, column, rank = fields
    words, leaves = of_words
    starts, n_sure_steps = of_trees
    node_of, depth = np.empty(len(words), np.int64), np.empty(len(words), np.int64)
    children = np.full(len(leaf), -1)  # the first position of each node's, once they have been given one
    for tree in range(len(roots)):
        first = starts[tree]
        node_of[first], depth[first] = roots[tree], 0
        end, at, nearest = first + 1, first, np.int64(2**62)
        while at < end:
            node = node_of[at]
            leaves[at] = leaf[node]
            if leaf[node] >= 0:
                nearest = min(nearest, depth[at])
                words[at] = (at - first) << (bits[0] + bits[1]) | ((1 << bits[0]) - 1)
            else:
                if children[node] < 0:
                    children[node] = end - first
                    node_of[end], node_of[end + 1] = low[node], high[node]
                    depth[end] = depth[end + 1] = depth[at] + 1
                    end += 2
                words[at] = children[node] << (bits[0] + bits[1]) | column[node] << bits[0] | rank[node]
            at += 1
        starts[tree + 1], n_sure_steps[tree] = end, nearest
