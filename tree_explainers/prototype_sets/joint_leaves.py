"""Upper bounds of gains without comparing pairs of rows: from the rows that share leaves in several trees.

The proximity of s and m is a sum over blocks of a few trees, and what is promised to s can be shared out among the
blocks. A positive part is convex, so (Jensen)

    max(0, P(s, m) - λ_s)  <=  sum over blocks b of max(0, P_b(s, m) - λ_sb)   if the λ_sb add up to no more than λ_s.

P_b depends only on the trees of the block in which s and m share a leaf. Summed over s it is known from what the rows
have together that share m's leaf in all trees of a choice, for each choice of trees of the block (inclusion and
exclusion). Blocks of one tree give the bound by the sizes of leaves; larger ones are tighter, and dearer.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_for_loops
from ..compute.partitions import check_cancelled
from ..compute.progress import ReportProgress, ignore_progress
from ..compute.threads import in_order
from ..leaf_space.leaves import LeafTable
from ..leaf_space.partitioned_table import PartitionedTable

_MOST_WORK = 500_000_000  # joint leaves that rows are looked up in
_MOST_TREES = 5
_HEAVY_SHARE = 0.95  # of the weight, in which blocks are as large as the work allows
_UNITS = 2**20
_ROWS_AT_ONCE = 512  # whose amounts stay in the first cache


class _Block(NamedTuple):
    """A few trees, as the rows of one class see them."""

    codes: NDArray[np.int32]  # (n_trees in block, n_rows)
    choices: NDArray[np.int64]  # (2^n_trees,) weight of the trees of each choice, in binary; fine units
    promised: NDArray[np.int64]  # (n_lines, n_rows) in the block; fine units


def gains_at_most(
    table: LeafTable,
    weights: NDArray[np.int64],
    rows: NDArray[np.int64],
    promised: NDArray[np.int64],
    report: ReportProgress = ignore_progress,
) -> NDArray[np.int64]:
    """Return what each of some rows can gain at most as a prototype of all of them.

    Parameters
    ----------
    table, weights
        Among others these rows, and what each tree counts.
    rows : (n_rows,) int64
        As a rule those of one class.
    promised : (n_lines, n_rows) int64
        What rows are promised, in units of weight, for each line of the answer.
    report
        Progress callback; may raise to stop.

    Returns
    -------
    (n_lines, n_rows) int64
        At least the sum over the other rows, and itself, of max(0, proximity - promised), in units of weight.
    """
    precision = max(1, _UNITS // int(weights.sum()))
    gains = np.zeros(promised.shape, dtype=np.int64)
    blocks = list(_blocks_of_trees(weights, len(rows)))
    what = rows, blocks, weights * precision, promised * precision
    some = _in_partitions(table, *what) if isinstance(table, PartitionedTable) else _in_threads(table, *what)
    n_done = 0
    with closing(some) as done:
        for n_blocks, in_some in done:
            gains += in_some
            n_done += n_blocks
            report(n_done / len(blocks), "bounding what all rows might reach")
    return -(-gains // precision)


def _in_threads(
    table: LeafTable,
    rows: NDArray[np.int64],
    blocks: Sequence[NDArray[np.int64]],
    weights: NDArray[np.int64],
    promised: NDArray[np.int64],
) -> Generator[tuple[int, NDArray[np.int64]], None, None]:
    """Yield how many blocks are done, and the gains from these, (n_lines, n_rows)."""

    def gains_in(trees: NDArray[np.int64]) -> NDArray[np.int64]:
        return _gains_in_blocks([trees], [np.stack([table.codes[tree][rows] for tree in trees])], weights, promised)

    with closing(in_order(gains_in, blocks)) as done:
        for _, in_block in done:
            yield 1, in_block


def _in_partitions(
    table: PartitionedTable,
    rows: NDArray[np.int64],
    blocks: Sequence[NDArray[np.int64]],
    weights: NDArray[np.int64],
    promised: NDArray[np.int64],
) -> Generator[tuple[int, NDArray[np.int64]], None, None]:
    """Yield the same where rows lie in partitions: trees that are alone are summed by leaf, and no row travels."""
    alone = [trees for trees in blocks if len(trees) == 1]
    if alone:
        yield len(alone), _gains_by_leaf(table, rows, np.concatenate(alone), weights, promised)
    several = [trees for trees in blocks if len(trees) > 1]
    if not several:
        return
    n_threads = table.parts.n_threads
    # No group has more codes than a part has, as a rule, and all threads work on as many groups.
    n_groups = min(len(several), -(-len(table.parts) // n_threads) * n_threads)
    dealt = [several[first::n_groups] for first in range(n_groups)]
    parts = table.by_trees(rows, [np.concatenate(group) for group in dealt])
    lengths = [np.array([len(trees) for trees in group]) for group in dealt]
    for group, gains in zip(dealt, parts.beside_values(lengths).map(_gains_of_group, weights, promised), strict=True):
        yield len(group), gains


def _gains_of_group(
    trees: NDArray[np.int64],
    codes: Sequence[NDArray[Any]],
    lengths: NDArray[np.int64],
    weights: NDArray[np.int64],
    promised: NDArray[np.int64],
) -> NDArray[np.int64]:
    cuts = np.cumsum(lengths)[:-1]
    return _gains_in_blocks(np.split(trees, cuts), np.split(np.concatenate(codes, axis=1), cuts), weights, promised)


def _gains_in_blocks(
    blocks: Sequence[NDArray[np.int64]],
    codes: Sequence[NDArray[Any]],
    weights: NDArray[np.int64],
    promised: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the gains of all rows from some blocks of trees, with the rows' codes in these."""
    gains = np.zeros(promised.shape, dtype=np.int64)
    for trees, codes_in_block in zip(blocks, codes, strict=True):
        _add_gains(_block(codes_in_block, weights, promised, trees), gains)
        check_cancelled()
    return gains


def _gains_by_leaf(
    table: PartitionedTable,
    rows: NDArray[np.int64],
    trees: NDArray[np.int64],
    weights: NDArray[np.int64],
    promised: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the gains from trees that are blocks of their own: from what the rows of each leaf have together."""
    parts = table.with_rows(rows, promised.astype(np.uint32))
    totals = sum(parts.map(_totals_by_leaf, trees, weights), np.zeros((len(promised), int(table.offsets[-1]))))
    return np.concatenate(list(parts.map(_gains_from_totals, trees, totals.astype(np.int64))), axis=1)


def _totals_by_leaf(
    table: LeafTable,
    rows_and_promises: tuple[NDArray[Any], NDArray[np.uint32]],
    trees: NDArray[np.int64],
    weights: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return what the rows in each leaf have together, (n_lines, n_leaves of all trees): exact, far below 2^53."""
    own_rows, promised = rows_and_promises
    totals = np.zeros((len(promised), int(table.offsets[-1])))
    for tree in trees:
        codes, leaves = table.codes[tree][own_rows], slice(*table.offsets[tree : tree + 2])
        block = _block(codes[None], weights, promised.astype(np.int64), np.array([tree]))
        for line, parts in zip(totals, block.promised, strict=True):
            amounts = np.maximum(weights[tree] - parts, 0)
            line[leaves] = np.bincount(codes, amounts, minlength=leaves.stop - leaves.start)
        check_cancelled()
    return totals


def _gains_from_totals(
    table: LeafTable,
    rows_and_promises: tuple[NDArray[Any], NDArray[np.uint32]],
    trees: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> NDArray[np.int64]:
    gains = np.zeros(rows_and_promises[1].shape, dtype=np.int64)
    for tree in trees:
        gains += totals[:, table.offsets[tree] + table.codes[tree][rows_and_promises[0]].astype(np.int64)]
    return gains


def _blocks_of_trees(weights: NDArray[np.int64], n_rows: int) -> Iterator[NDArray[np.int64]]:
    """Yield trees, the heaviest first: a few at a time, while they matter, and the others one by one."""
    order = np.argsort(-weights, kind="stable")
    order = order[weights[order] > 0]
    cumulated = np.cumsum(weights[order])
    n_heavy = int(np.searchsorted(cumulated, _HEAVY_SHARE * cumulated[-1])) + 1
    n_trees = max(n for n in range(1, _MOST_TREES + 1) if n == 1 or n_heavy * n_rows * (2**n - 1) <= n * _MOST_WORK)
    for start in range(0, n_heavy, n_trees):
        yield order[start : min(start + n_trees, n_heavy)]
    yield from order[n_heavy:, None]


def _block(
    codes: NDArray[Any], weights: NDArray[np.int64], promised: NDArray[np.int64], trees: NDArray[np.int64]
) -> _Block:
    """Return the trees of a block, with the codes of its rows in these, and its part of the promises, rounded down."""
    block_weights = weights[trees]
    chosen = (np.arange(2 ** len(block_weights))[:, None] >> np.arange(len(block_weights))) & 1
    # In whole numbers, so that no rounding makes the parts larger than the whole; both factors are below 2^32.
    parts = promised.astype(np.uint64) * np.uint64(block_weights.sum()) // np.uint64(weights.sum())
    return _Block(codes.astype(np.int32), chosen @ block_weights, parts.astype(np.int64))


@compiled
def _add_gains(block: _Block, gains: NDArray[np.int64]) -> None:
    """Go through all choices of trees, each one made of the one before, or one before that, and a further tree."""
    n_trees, n_rows = block.codes.shape
    hash_table = _room_for_keys(n_rows if n_trees > 1 else 1)
    numbers, totals = np.empty((n_trees, n_rows), dtype=np.int32), np.empty((0, len(gains)), dtype=np.int64)
    chosen = np.zeros(n_trees, dtype=np.int64)
    least, amounts = block.promised.min(), np.empty((len(gains), _ROWS_AT_ONCE), dtype=np.int64)
    depth, tree, choice = 0, 0, 0
    while depth >= 0:
        chosen[depth], choice = tree, choice | (1 << tree)
        if depth == 0:
            numbers[0], n_numbers = block.codes[tree], block.codes[tree].max() + 1
        else:
            n_numbers = _number_pairs(numbers[depth - 1], block.codes[tree], hash_table, numbers[depth])
        if n_numbers > len(totals):
            totals = np.empty((n_numbers, len(gains)), dtype=np.int64)
        if block.choices[choice] > least:
            _add_shared(block, numbers[depth], choice, totals[:n_numbers], amounts, gains)
        if tree + 1 < n_trees:
            depth, tree = depth + 1, tree + 1
        else:
            choice, depth = choice & ~(1 << tree), depth - 1
            if depth >= 0:
                tree = chosen[depth] + 1
                choice &= ~(1 << chosen[depth])


@compiled_for_loops
def _add_shared(  # a loop over arrays
    block: _Block,
    numbers: NDArray[np.int32],
    choice: int,
    totals: NDArray[np.int64],
    amounts: NDArray[np.int64],
    gains: NDArray[np.int64],
) -> None:
    """Add what the rows in the same joint leaf have together for sharing the leaves of all trees of a choice."""
    n_lines, n_rows = gains.shape
    totals[:] = 0
    for start in range(0, n_rows, _ROWS_AT_ONCE):
        end = min(start + _ROWS_AT_ONCE, n_rows)
        for line in range(n_lines):
            _find_amounts(block.promised[line, start:end], block.choices, choice, amounts[line])
        for row in range(start, end):
            of_leaf = totals[numbers[row]]
            for line in range(n_lines):
                of_leaf[line] += amounts[line, row - start]
    for row in range(n_rows):
        of_leaf = totals[numbers[row]]
        for line in range(n_lines):
            gains[line, row] += of_leaf[line]


@compiled_for_loops
def _find_amounts(
    promised: NDArray[np.int64], choices: NDArray[np.int64], choice: int, amounts: NDArray[np.int64]
) -> None:
    """Write what each of some rows has for sharing just the trees of a choice.

    It is what their weight exceeds the row's promise by; smaller choices have contributed a part of that already.
    """
    amounts[:] = 0
    least, smaller = promised.min(), choice
    while smaller > 0:
        weight = choices[smaller]
        if weight > least:
            sign = _parity(choice) * _parity(smaller)
            for row in range(len(promised)):
                amounts[row] += sign * max(weight - promised[row], 0)
        smaller = (smaller - 1) & choice


@compiled_for_loops
def _parity(choice: int) -> int:
    """Return 1 for an even number of trees, -1 for an odd one."""
    parity = 1
    while choice > 0:
        parity = -parity
        choice &= choice - 1
    return parity


@compiled_for_loops
def _room_for_keys(n_keys: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return an open table of keys and their numbers, whose length is a power of two, at most half full."""
    length = 2
    while length < 2 * n_keys:
        length *= 2
    return np.empty(length, dtype=np.int64), np.empty(length, dtype=np.int32)


@compiled_for_loops
def _number_pairs(
    numbers: NDArray[np.int32],
    codes: NDArray[np.int32],
    hash_table: tuple[NDArray[np.int64], NDArray[np.int32]],
    joint: NDArray[np.int32],
) -> int:
    """Give numbers to the pairs of a number and a code, in the order in which they occur; return how many occur."""
    keys, numbers_of_keys = hash_table
    keys[:] = -1
    n_joint, last = 0, len(keys) - 1
    for row in range(len(numbers)):
        key = (np.int64(numbers[row]) << 31) | np.int64(codes[row])
        slot = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & last
        while keys[slot] not in (-1, key):
            slot = (slot + 1) & last
        if keys[slot] == -1:
            keys[slot], numbers_of_keys[slot] = key, n_joint
            n_joint += 1
        joint[row] = numbers_of_keys[slot]
    return n_joint
