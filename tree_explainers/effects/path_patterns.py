"""Mean effects of many rows against many reference cases, by the patterns in which they fit the paths to the leaves.

What a leaf adds to effects depends on two sets alone: of the players on its path, those whose tests the explained row
does not fit, and those whose tests the reference case does not fit. Where the two have a player in common, no mixture
reaches the leaf; otherwise the players that the reference case does not fit must be from the explained row, and the
other way round. So reference cases are counted by their patterns at each leaf, each pattern of an explained row is
compared with each compatible one once, and the time grows with the sum of both numbers of rows, not with their product
(Nadel and Wettenstein, From decision trees to Boolean logic: a fast and unified SHAP algorithm, arXiv 2511.09376).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled_ahead, compiled_for_loops, inlined
from .paired_walk import PairedTrees, types_of_trees

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Masks = NDArray[np.uint64]

MOST_PLAYERS = 63
"""As many players on a path have patterns of one word."""

_DIRECT_BITS = 12  # patterns of so few players are their own places in a table
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # of Fibonacci hashing
_ONE, _ZERO = np.uint64(1), np.uint64(0)


class _Patterns(NamedTuple):
    """The distinct patterns of some rows at one leaf."""

    places: NDArray[np.int32]  # (2 ** n_bits,) index among the distinct ones, or -1
    masks: Masks  # (n_rows,) the distinct ones, as far as there are any
    taken: Ints  # (n_rows,) the place of each distinct one
    weights: Floats  # (n_rows,) of each distinct one


def new_patterns(n_rows: int) -> _Patterns:
    """Return room for the patterns of some rows."""
    n_bits = max(_DIRECT_BITS, int(2 * n_rows).bit_length())
    positions = np.full(1 << n_bits, -1, np.int32)
    return _Patterns(positions, np.empty(n_rows, np.uint64), np.empty(n_rows, np.int64), np.empty(n_rows))


def _types(n: Any) -> list[Any]:
    whole, numbers = n.int64[::1], n.float64[::1]
    patterns = n.NamedTuple((n.int32[::1], n.uint64[::1], whole, numbers), _Patterns)
    rows, room = n.UniTuple(n.uint16[:, ::1], 2), n.Tuple((patterns, patterns, n.int64))
    effects = n.float64[:, ::1]
    return [n.void(trees, whole, rows, n.UniTuple(numbers, 2), room, effects) for trees in types_of_trees(n)]


@compiled_ahead(_types)
def add_mean_effects(
    trees: PairedTrees,
    tree_numbers: Ints,
    ranks: tuple[NDArray[np.uint16], NDArray[np.uint16]],
    numbers: tuple[Floats, Floats],
    room: tuple[_Patterns, _Patterns, int],
    effects: Floats,
) -> None:
    """Add the mean effects of some rows against reference cases, each of which counts by its weight.

    Parameters
    ----------
    trees
        All trees.
    tree_numbers
        Of those that count; none has more than ``MOST_PLAYERS`` players on a path.
    ranks : (n_ranked, n_rows) and (n_ranked, n_references)
        Of the explained rows, and of the reference cases: column by column.
    numbers : (n_references,) and (n_leaves,)
        The weights of the reference cases, and the values of all leaves.
    room
        For the patterns of the explained rows, for those of the reference cases, and the largest depth of a tree.
    effects : (n_rows, n_players)
        Changed.
    """
    own, others, depth = room
    weights, values = numbers
    n_rows, n_references = ranks[0].shape[1], ranks[1].shape[1]
    unfit = np.zeros((depth + 1, n_rows), np.uint64)
    reference_unfit = np.zeros((depth + 1, n_references), np.uint64)
    nodes, sides = np.zeros(depth + 1, np.int64), np.zeros(depth + 1, np.int64)
    n_players, locals_of = np.zeros(depth + 2, np.int64), np.zeros(effects.shape[1], np.int64)
    path = np.zeros(depth + 2, np.int64)  # the players on it, in the order in which they come first
    added = np.empty((n_rows, min(depth, trees.gains.shape[0]) + 1))
    rank_bits, child_bits, last_column = trees.layout[0], trees.layout[1], trees.layout[2]
    last_rank = (trees.words.dtype.type(1) << rank_bits) - trees.words.dtype.type(1)
    for tree in tree_numbers:
        first, level = trees.starts[tree], 0
        nodes[0], sides[0] = 0, 0
        while level >= 0:
            node, side = nodes[level], sides[level]
            word = trees.words[first + node]
            child = np.int64(word >> child_bits)
            if child == node:
                on_path = path[: n_players[level]]
                value = values[trees.leaf[first + node]]
                if value != 0:
                    _count(others, reference_unfit[level], weights, len(on_path))
                    _add_leaf(trees, (own, others, added), unfit[level], on_path, value, effects)
                    _clear(others)
                level -= 1
                continue
            if side == 2:
                level -= 1
                continue
            column, rank = np.int64((word >> rank_bits) & last_column), word & last_rank
            player, known = trees.players[column], n_players[level]
            local = locals_of[player]
            if not (local < known and path[local] == player):
                local = known
                locals_of[player], path[local] = local, player
                known += 1
            bit = _ONE << np.uint64(local)
            _descend(unfit[level], ranks[0][column], rank, side == 1, bit, unfit[level + 1])
            _descend(reference_unfit[level], ranks[1][column], rank, side == 1, bit, reference_unfit[level + 1])
            sides[level] = side + 1
            level += 1
            nodes[level], sides[level], n_players[level] = child + side, 0, known


@inlined
def _descend(
    unfit: Masks, ranks: NDArray[np.uint16], rank: Any, to_high: bool, bit: Any, below: Masks
) -> None:  # numba's own numbers
    """Write the players that each row does not fit on the way to a child."""
    if to_high:
        for row in range(len(unfit)):
            below[row] = unfit[row] | (bit if ranks[row] <= rank else _ZERO)
    else:
        for row in range(len(unfit)):
            below[row] = unfit[row] | (bit if ranks[row] > rank else _ZERO)


@inlined
def _place(patterns: _Patterns, mask: Any, n_players: int) -> Any:  # numba's own numbers
    """Return the place of a pattern, or a free one where it is not among them."""
    last = len(patterns.places) - 1
    index = np.int64(mask) if n_players <= _DIRECT_BITS else np.int64((mask * _MULTIPLIER) >> np.uint64(32)) & last
    while patterns.places[index] >= 0 and patterns.masks[patterns.places[index]] != mask:
        index = (index + 1) & last
    return index


@compiled_for_loops
def _count(patterns: _Patterns, masks: Masks, weights: Floats, n_players: int) -> int:
    """Enter the distinct patterns of all rows with their weights; return how many there are."""
    n_distinct = 0
    for row in range(len(masks)):
        position = _place(patterns, masks[row], n_players)
        index = patterns.places[position]
        if index < 0:
            index = n_distinct
            patterns.places[position], patterns.masks[index], patterns.taken[index] = index, masks[row], position
            patterns.weights[index] = 0.0
            n_distinct += 1
        patterns.weights[index] += weights[row]
    if n_distinct < len(masks):
        patterns.taken[n_distinct] = -1  # the end
    return n_distinct


@compiled_for_loops
def _clear(patterns: _Patterns) -> None:
    for index in range(len(patterns.taken)):
        if patterns.taken[index] < 0:
            break
        patterns.places[patterns.taken[index]] = -1


@compiled_for_loops
def _n_bits(mask: Any) -> int:  # numba's own number
    n_bits = 0
    while mask:
        mask &= mask - _ONE
        n_bits += 1
    return n_bits


@compiled_for_loops
def _add_leaf(
    trees: PairedTrees,
    patterns: tuple[_Patterns, _Patterns, Floats],
    unfit: Masks,
    path: Ints,
    value: float,
    effects: Floats,
) -> None:
    """Add what one leaf adds to the effects of all rows."""
    own, others, added = patterns
    n_distinct = 0
    for row in range(len(unfit)):
        mask = unfit[row]
        position = _place(own, mask, len(path))
        index = own.places[position]
        if index < 0:
            index = n_distinct
            n_distinct += 1
            own.places[position], own.masks[index], own.taken[index] = index, mask, position
            own.weights[index] = _fill_added(trees, others, mask, len(path), value, added[index])
        if own.weights[index] > 0:
            for local in range(len(path)):
                effects[row, path[local]] += added[index, local]
    if n_distinct < len(unfit):
        own.taken[n_distinct] = -1
    _clear(own)


@compiled_for_loops
def _fill_added(
    trees: PairedTrees, others: _Patterns, mask: Any, n_players: int, value: float, added: Floats
) -> float:  # numba's own number
    """Write what the leaf adds to the effect of each player on its path for rows of one pattern.

    Return the weight of the reference cases with which a mixture reaches the leaf.
    """
    added[:n_players] = 0.0
    n_own, reached, lost = _n_bits(mask), 0.0, 0.0
    rest = ((_ONE << np.uint64(n_players)) - _ONE) & ~mask
    n_subsets = np.int64(1) << min(n_players - n_own, 40)
    index, other, is_last = np.int64(0), rest, False
    while not is_last:
        weight = 0.0
        if n_subsets <= len(others.taken):  # all subsets of what the row fits; the reference cases do not fit these
            found = others.places[_place(others, other, n_players)]
            weight = others.weights[found] if found >= 0 else 0.0
            part, is_last = other, other == _ZERO
            other = (other - _ONE) & rest
        else:
            if index == len(others.taken) or others.taken[index] < 0:
                break
            part = others.masks[index]
            weight = others.weights[index] if part & mask == _ZERO else 0.0
            index += 1
        if weight > 0:
            n_other = _n_bits(part)
            reached += weight
            lost += weight * trees.losses[n_other, n_own]
            gain = value * weight * trees.gains[n_other, n_own]
            for local in range(n_players):
                if part >> np.uint64(local) & _ONE:
                    added[local] += gain
    for local in range(n_players):
        if mask >> np.uint64(local) & _ONE:
            added[local] = -value * lost
    return reached
