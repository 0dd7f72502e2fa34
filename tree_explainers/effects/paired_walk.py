"""Two rows walk a tree together: only paths that some mixture of the two takes are visited.

Where the two go different ways at a node, the player that the node tests decides: if it has been on the path before,
the way of the row that it is from is the only one; otherwise both ways are taken, one after the other. A leaf reached
with ``a`` players from the explained row and ``b`` from the reference case (of all others, both rows fit) adds to the
effect of each of the first its value times ``(a - 1)! b! / (a + b)!``, and takes from each of the second its value
times ``a! (b - 1)! / (a + b)!``: these are the Shapley values of the game that coalitions win which have all of the
first and none of the second. (Lundberg et al. 2020, From local explanations to global understanding with explainable AI
for trees, algorithm 3.)
"""

from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled_ahead, inlined

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Ranks = NDArray[np.uint16]
Leaves = NDArray[np.int32]

UNKNOWN_LEAVES: tuple[Leaves, Leaves] = (np.empty((0, 0), np.int32), np.empty((0, 0), np.int32))
"""Of rows whose leaves have not been found."""


class PairedTrees(NamedTuple):
    """What it takes to walk."""

    words: NDArray[Any]  # (n_words,) as ``TreeWords`` has them
    layout: NDArray[Any]  # (3,) of the same type
    starts: Ints  # (n_trees + 1,)
    leaf: NDArray[np.int32]  # (n_words,) the leaf among all; undefined at other nodes
    players: NDArray[np.int32]  # (n_ranked,) the player of each ranked column
    gains: Floats  # (most + 1, most + 1) by the number of players from the explained row, and from the reference case
    losses: Floats  # (most + 1, most + 1)


def leaf_shares(most: int) -> tuple[Floats, Floats]:
    """Return what players get of a leaf's value: each from the explained row, and each from the reference case.

    Parameters
    ----------
    most
        The largest number of players on any path.

    Returns
    -------
    gains, losses : (most + 1, most + 1) float64
        By the number of players from the explained row, then by that from the reference case; from 0 to 1.
    """
    gains, losses = np.zeros((2, most + 1, most + 1))
    for n_explained in range(most + 1):
        for n_reference in range(most + 1 - n_explained):
            n_coalitions = comb(n_explained + n_reference, n_explained)
            gains[n_explained, n_reference] = 1 / (n_explained * n_coalitions) if n_explained else 0
            losses[n_explained, n_reference] = 1 / (n_reference * n_coalitions) if n_reference else 0
    return gains, losses


def types_of_trees(n: Any) -> list[Any]:
    """Return numba's types of ``PairedTrees``."""
    of_words = [(words[::1], words[::1]) for words in (n.uint32, n.uint64)]
    others = n.int64[::1], n.int32[::1], n.int32[::1], n.float64[:, ::1], n.float64[:, ::1]
    return [n.NamedTuple((*words, *others), PairedTrees) for words in of_words]


def _types(n: Any) -> list[Any]:
    numbers, rows, leaves = n.float64[::1], n.UniTuple(n.uint16[:, ::1], 2), n.UniTuple(n.int32[:, ::1], 2)
    others = n.int64[::1], n.int64, numbers, numbers, numbers, n.float64[:, ::1]
    return [n.void(trees, n.int64[::1], rows, leaves, *others) for trees in types_of_trees(n)]


@compiled_ahead(_types)
def add_effects(  # noqa: C901, PLR0917  # a function that is called in the innermost loop takes longer
    trees: PairedTrees,
    tree_numbers: Ints,
    rows: tuple[Ranks, Ranks],
    leaves: tuple[Leaves, Leaves],
    firsts: Ints,
    n_each: int,
    weights: Floats,
    values: Floats,
    signs: Floats,
    effects: Floats,
) -> None:
    """Write the effects of some rows against some reference cases, each of which counts by its weight.

    Parameters
    ----------
    trees
        All trees.
    tree_numbers
        Of those that count.
    rows : (n_rows, n_ranked) and (n_references, n_ranked)
        The ranks of the explained rows, and of the reference cases.
    leaves : (n_rows, n_trees) and (n_references, n_trees)
        Of the same: a tree in which two rows have the same leaf is not walked. ``UNKNOWN_LEAVES``: all are.
    firsts : (n_rows,)
        The first reference case that each row is compared with.
    n_each
        Number of cases that each row is compared with, one behind the other.
    weights : (n_references,)
        Of the reference cases.
    values : (n_leaves,)
        Of all leaves.
    signs : (n_rows,)
        By which the effects of each row are multiplied at the end.
    effects : (n_rows, n_players)
        0 before.
    """
    most = trees.gains.shape[0]
    is_from = np.zeros(effects.shape[1], np.int8)  # 1: the explained row, 2: the reference case, 0: not on the path
    other_ways, players, before = np.empty(most, np.uint64), np.empty(most, np.int64), np.empty(most, np.float64)
    words, layout, starts, leaf, player_of, gains, losses = trees
    rank_bits, child_bits, last_column = layout[0], layout[1], layout[2]
    last_rank = (words.dtype.type(1) << rank_bits) - words.dtype.type(1)
    both = np.empty((len(player_of), 2), np.uint16)  # side by side, so that they are read at once
    walked = tree_numbers.copy()
    for row in range(effects.shape[0]):
        both[:, 0] = rows[0][row]
        for reference in range(firsts[row], firsts[row] + n_each):
            both[:, 1] = rows[1][reference]
            weight = weights[reference]
            for tree in walked[: _fill_walked(tree_numbers, leaves, row, reference, walked)]:
                first = np.uint64(starts[tree])
                node, depth, n_explained, n_reference = np.uint64(0), 0, 0, 0
                gained, lost = 0.0, 0.0
                while True:
                    word = np.uint64(words[first + node])
                    column = (word >> rank_bits) & last_column
                    rank, child = word & last_rank, word >> child_bits
                    following = child + np.uint64(both[column, 0] > rank)
                    other = child + np.uint64(both[column, 1] > rank)
                    if following != other:
                        player = player_of[column]
                        if is_from[player] == 0:
                            is_from[player] = 1
                            other_ways[depth], players[depth], before[depth] = other, player, gained
                            depth += 1
                            n_explained += 1
                        elif is_from[player] == 2:
                            following = other
                        node = following
                    elif following != node:
                        node = following
                    else:
                        value = values[leaf[first + node]]
                        gained += value * gains[n_explained, n_reference]
                        lost += value * losses[n_explained, n_reference]
                        while depth and is_from[players[depth - 1]] == 2:
                            depth -= 1
                            n_reference -= 1
                            is_from[players[depth]] = 0
                            effects[row, players[depth]] += weight * (before[depth] - lost)
                        if depth == 0:
                            break
                        is_from[players[depth - 1]] = 2
                        n_explained -= 1
                        n_reference += 1
                        before[depth - 1] = gained - before[depth - 1] + lost
                        node = other_ways[depth - 1]
        effects[row] *= signs[row]


@inlined
def _fill_walked(
    tree_numbers: Ints, leaves: tuple[Leaves, Leaves], row: Any, reference: Any, walked: Ints
) -> int:  # numba's own numbers
    """Write the trees in which the two have different leaves; return how many there are."""
    own, others = leaves
    if not len(own):
        return len(walked)
    n_walked = 0
    for tree in tree_numbers:  # without a branch, which the processor could not predict
        walked[n_walked] = tree
        n_walked += own[row, tree] != others[reference, tree]
    return n_walked
