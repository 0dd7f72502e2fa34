"""The compiled searches of ``reference_rows``: rows in the leaves of a new row, or rows with its codes, by proximity.

Codes are compared in steps of some trees, the heaviest first. What these add to a row fits into one byte, as their
weights are rounded up to multiples of a unit: 32 rows are compared at once, and no sum is too small. After the first
step, the rows with the largest sums are compared as a whole: now it is known how near the nearest are at least. Of each
tile of rows, steps follow until few rows can still be as near; these are compared as a whole, too, in whole weights.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled_ahead, compiled_for_loops

ROW_BITS = 31
LAST_ROW = 2**ROW_BITS - 1  # the 32 bits above are a proximity: a larger key is a nearer row, or a lower one
_TILE_ROWS = 4096  # their sums stay in the caches, and a page of codes is read at once
_STRIP_ROWS, _WORD_ROWS = 256, 8
_FIRST_TREES, _STEP_TREES = 32, 16  # after which rows are dropped for the first time, and again
_LARGEST_BYTE, _LARGEST_SUM = 2**8 - 1, 2**32 - 1
_PROMISING = 32  # rows whose sums are completed first, to know how near a row must be
_SURVIVORS = 64  # a tile's rows are compared as a whole once no more than one in this many is left
_MANY = 8  # with more than one row in this many left at the end, a tile's sums are made again, in whole weights


class Wanted(NamedTuple):
    """The rows that are wanted, and room for them."""

    allowed: NDArray[np.bool_]  # (n_rows,) or empty: all
    groups: NDArray[np.int32]  # (n_rows,) or empty
    max_per_group: int  # 0: any number
    keys: NDArray[np.int64]  # (n_wanted,)
    key_groups: NDArray[np.int32]  # (n_wanted,)


@compiled_for_loops
def _full_group(group: np.int32, wanted: Wanted, n_kept: int) -> int:
    """Return the index of the farthest row of a group that is full, or -1 where it is not."""
    n_own, farthest = 0, -1
    for index in range(n_kept):
        if wanted.key_groups[index] == group:
            n_own += 1
            if farthest < 0 or wanted.keys[index] < wanted.keys[farthest]:
                farthest = index
    return farthest if n_own == wanted.max_per_group else -1


@compiled_for_loops
def _keep(row: int, proximity: np.int64, wanted: Wanted, n_kept: int) -> int:
    """Keep an allowed row if it is among the nearest so far; return how many are kept.

    Where its group is full, it can only replace the group's farthest; where there is no room, the farthest of
    all. In any order of rows, this ends with those that are found going from near to far.
    """
    if len(wanted.allowed) > 0 and not wanted.allowed[row]:
        return n_kept
    keys, key = wanted.keys, (proximity << ROW_BITS) | (LAST_ROW - row)
    index, group = n_kept, wanted.groups[row] if len(wanted.groups) > 0 else np.int32(0)
    if wanted.max_per_group > 0:
        farthest = _full_group(group, wanted, n_kept)
        if farthest >= 0:
            keys[farthest] = max(key, keys[farthest])
            return n_kept
    if n_kept == len(keys):
        index = int(keys.argmin())
        if key < keys[index]:
            return n_kept
    keys[index], wanted.key_groups[index] = key, group
    return min(n_kept + 1, len(keys))


@compiled_for_loops
def _to_reach(wanted: Wanted, n_kept: int) -> int:
    """Return the proximity of the farthest row kept, or 0 while there is room."""
    return wanted.keys.min() >> ROW_BITS if n_kept == len(wanted.keys) else 0


@compiled_for_loops
def _keep_nearest(sums: NDArray[Any], wanted: Wanted) -> int:
    """Keep the rows of the largest sums; return how many there are.

    Rows come in ascending order: one that is as near as the farthest kept comes too late.
    """
    n_kept, to_reach = 0, 1
    for first in range(0, len(sums), _STRIP_ROWS):
        strip = sums[first : first + _STRIP_ROWS]
        largest = strip[0]
        for at in range(len(strip)):
            largest = max(largest, strip[at])
        if largest < to_reach:
            continue
        for at in range(len(strip)):
            if strip[at] >= to_reach:
                n_kept = _keep(first + at, np.int64(strip[at]), wanted, n_kept)
                to_reach = max(1, _to_reach(wanted, n_kept) + 1)
    return n_kept


def _wanted(n: Any) -> Any:  # numba's types
    return n.NamedTuple((n.boolean[::1], n.int32[::1], n.int64, n.int64[::1], n.int32[::1]), Wanted)


def _types_of_lists(n: Any) -> list[Any]:  # numba's types
    starts, members = n.Array(n.int64, 1, "C", readonly=True), n.Array(n.int32, 1, "C", readonly=True)
    return [
        n.int64(starts, members, n.int64[::1], n.Array(of, 1, "C", readonly=True), of[::1], _wanted(n))
        for of in (n.uint16, n.uint32)
    ]


@compiled_ahead(_types_of_lists)
def nearest_in_lists(
    starts: NDArray[np.int64],
    members: NDArray[np.int32],
    leaves: NDArray[np.int64],
    weights: NDArray[Any],
    sums: NDArray[Any],
    wanted: Wanted,
) -> int:
    """Write the keys of the nearest rows into ``wanted``, from the rows listed in its leaves; return their number."""
    for tree in range(len(leaves)):
        weight = weights[tree]
        if weight > 0:
            for index in range(starts[leaves[tree]], starts[leaves[tree] + 1]):
                sums[members[index]] += weight
    return _keep_nearest(sums, wanted)


def _types_of_search(n: Any) -> list[Any]:  # numba's types
    starts, members = n.Array(n.int64, 1, "C", readonly=True), n.Array(n.int32, 1, "C", readonly=True)
    return [n.void(starts, members, n.int64[::1], n.int64[::1], n.boolean[:, ::1])]


@compiled_ahead(_types_of_search)
def find_in_lists(
    starts: NDArray[np.int64],
    members: NDArray[np.int32],
    leaves: NDArray[np.int64],
    rows: NDArray[np.int64],
    shared: NDArray[np.bool_],
) -> None:
    """Write in which trees, (n_rows, n_trees), rows are listed in the new row's leaf."""
    for tree in range(len(leaves)):
        listed = members[starts[leaves[tree]] : starts[leaves[tree] + 1]]
        for at in range(len(rows)):
            index = np.searchsorted(listed, rows[at])
            shared[at, tree] = index < len(listed) and listed[index] == rows[at]


class _Comparison(NamedTuple):
    """The codes of all rows beside those of the new row."""

    codes: NDArray[Any]  # (n_trees, n_rows)
    codes_by_row: NDArray[Any]  # (n_rows, n_trees)
    own: NDArray[Any]  # (n_trees,)
    weights: NDArray[np.uint32]  # (n_counting,) in falling order, of the trees that weigh more than nothing


class _Steps(NamedTuple):
    """Trees whose weights are added in one byte, step by step, and what bounds of sums are made of these."""

    ends: NDArray[np.int64]  # (n_steps,) the tree after each step's last
    multiples: NDArray[np.uint8]  # (n_counting,) of the step's unit, each tree's weight rounded up
    units: NDArray[np.uint32]  # (n_steps,) in scales
    remaining: NDArray[np.int64]  # (n_steps,) what the trees after each step weigh
    scale: int  # 1, or more where bounds would not fit into 32 bits
    are_exact: bool  # whether nothing was rounded


class _Tile(NamedTuple):
    """Consecutive rows."""

    first_row: int
    sums: NDArray[np.uint32]  # (n_rows,) in scales: no row's sum of the trees compared so far is larger
    step_sums: NDArray[np.uint8]  # (n_rows,)
    marks: NDArray[np.uint8]  # (_TILE_ROWS,) 1: the row can be near enough


def _types_of_codes(n: Any) -> list[Any]:  # numba's types
    return [
        n.int64(codes, codes, codes.dtype[::1], n.uint32[::1], _wanted(n))
        for codes in (n.Array(code, 2, "C", readonly=True) for code in (n.uint8, n.uint16))
    ]


@compiled_ahead(_types_of_codes)
def nearest_by_codes(
    codes: NDArray[Any], codes_by_row: NDArray[Any], new_row: NDArray[Any], weights: NDArray[np.uint32], wanted: Wanted
) -> int:
    """Write the keys of the nearest rows into ``wanted``, by comparing codes; return their number."""
    n_counting = 0
    for weight in weights:
        n_counting += 1 if weight > 0 else 0
    compared = _Comparison(codes, codes_by_row, new_row, weights[:n_counting])
    steps = _steps_of(compared.weights)
    n_promising = max(_PROMISING, 2 * len(wanted.keys))
    promising = Wanted(
        wanted.allowed, wanted.groups, wanted.max_per_group,
        np.empty(n_promising, np.int64), np.empty(n_promising, np.int32),
    )  # fmt: skip
    sums = np.zeros(codes.shape[1], np.uint8)
    for first_row in range(0, len(sums), _TILE_ROWS):
        _add_step(compared, steps, 0, first_row, sums[first_row : first_row + _TILE_ROWS])
    n_kept = _keep_promising(compared, promising, _keep_nearest(sums, promising), wanted)
    # As many rows are this near at least: one that cannot be, whatever follows, is not among the nearest.
    return _keep_reaching(compared, steps, sums, max(1, _to_reach(wanted, n_kept)), wanted)


@compiled_for_loops
def _steps_of(weights: NDArray[np.uint32]) -> _Steps:
    """Return the steps in which trees are compared; the multiples of a step sum to 255 at most."""
    n_steps = 1 + max(0, len(weights) - _FIRST_TREES + _STEP_TREES - 1) // _STEP_TREES
    ends, units, remaining = np.empty(n_steps, np.int64), np.empty(n_steps, np.int64), np.zeros(n_steps, np.int64)
    multiples = np.empty(len(weights), np.uint8)
    first, largest_sum, are_exact = 0, np.int64(0), True
    for step in range(n_steps):
        end = min(_FIRST_TREES + step * _STEP_TREES, len(weights))
        total, rest = np.int64(0), _LARGEST_BYTE - (end - first)
        for tree in range(first, end):
            total += np.int64(weights[tree])
        unit = max(np.int64(1), -(-total // rest))
        for tree in range(first, end):
            multiple = -(-np.int64(weights[tree]) // unit)
            multiples[tree] = multiple
            largest_sum += multiple * unit
            are_exact &= multiple * unit == np.int64(weights[tree])
        remaining[:step] += total
        ends[step], units[step], first = end, unit, end
    scale = 1 if largest_sum <= _LARGEST_SUM else 2
    return _Steps(ends, multiples, (-(-units // scale)).astype(np.uint32), remaining, scale, are_exact and scale == 1)


@compiled_for_loops
def _add_step(compared: _Comparison, steps: _Steps, step: int, first_row: int, into: NDArray[np.uint8]) -> None:
    """Add the multiples of a step's trees to the sums of consecutive rows that share their leaf."""
    tree, end = 0 if step == 0 else steps.ends[step - 1], steps.ends[step]
    while tree + 4 <= end:
        _add_four(compared, steps.multiples, tree, first_row, into)
        tree += 4
    while tree < end:
        codes = compared.codes[tree, first_row : first_row + len(into)]
        code, multiple, nothing = compared.own[tree], steps.multiples[tree], np.uint8(0)
        for row in range(len(into)):
            into[row] += multiple if codes[row] == code else nothing
        tree += 1


@compiled_for_loops
def _add_four(
    compared: _Comparison, multiples: NDArray[np.uint8], tree: int, first_row: int, into: NDArray[np.uint8]
) -> None:
    """Add the multiples of four trees: sums are read and written a quarter as often."""
    codes, end_row, nothing = compared.codes, first_row + len(into), np.uint8(0)
    own_0, own_1, own_2, own_3 = compared.own[tree : tree + 4]
    multiple_0, multiple_1, multiple_2, multiple_3 = multiples[tree : tree + 4]
    codes_0, codes_1 = codes[tree, first_row:end_row], codes[tree + 1, first_row:end_row]
    codes_2, codes_3 = codes[tree + 2, first_row:end_row], codes[tree + 3, first_row:end_row]
    for row in range(len(into)):
        into[row] += np.uint8(
            (multiple_0 if codes_0[row] == own_0 else nothing)
            + (multiple_1 if codes_1[row] == own_1 else nothing)
            + (multiple_2 if codes_2[row] == own_2 else nothing)
            + (multiple_3 if codes_3[row] == own_3 else nothing)
        )


@compiled_for_loops
def _proximity(compared: _Comparison, row: int) -> np.int64:
    """Return the proximity of a row."""
    codes, new_row, weights = compared.codes_by_row[row], compared.own, compared.weights
    total = np.uint32(0)
    for tree in range(len(weights)):
        weight = weights[tree] if codes[tree] == new_row[tree] else np.uint32(0)
        total = np.uint32(total + weight)  # in 32 bits: 8 trees at once
    return np.int64(total)


@compiled_for_loops
def _keep_promising(compared: _Comparison, promising: Wanted, n_promising: int, wanted: Wanted) -> int:
    """Keep the nearest of the rows with the largest sums so far; return how many there are."""
    n_kept = 0
    for key in promising.keys[:n_promising]:
        row = LAST_ROW - (key & LAST_ROW)
        n_kept = _keep(row, _proximity(compared, row), wanted, n_kept)
    return n_kept


@compiled_for_loops
def _keep_reaching(
    compared: _Comparison, steps: _Steps, first_sums: NDArray[np.uint8], to_reach: int, wanted: Wanted
) -> int:
    """Keep the nearest of the rows that can reach a proximity; return how many there are."""
    n_kept, n_steps = 0, len(steps.ends)
    sums, step_sums = np.empty(_TILE_ROWS, np.uint32), np.empty(_TILE_ROWS, np.uint8)
    marks = np.empty(_TILE_ROWS, np.uint8)
    for first_row in range(0, len(first_sums), _TILE_ROWS):
        first = first_sums[first_row : first_row + _TILE_ROWS]
        tile = _Tile(first_row, sums[: len(first)], step_sums[: len(first)], marks)
        for row in range(len(first)):
            tile.sums[row] = np.uint32(first[row]) * steps.units[0]
        n_done, n_left = _drop_rows(compared, steps, tile, to_reach, wanted.allowed)
        if n_left == 0:
            continue
        are_exact = n_done == n_steps and steps.are_exact
        if n_done == n_steps and not are_exact and n_left * _MANY > len(first):
            are_exact = True
            _sum_exactly(compared, tile)
        n_kept = _keep_marked(compared, tile, are_exact, to_reach, wanted, n_kept)
        if n_kept == len(wanted.keys):  # rows come in ascending order: one that is as near comes too late
            to_reach = max(to_reach, _to_reach(wanted, n_kept) + 1)
    return n_kept


@compiled_for_loops
def _drop_rows(
    compared: _Comparison, steps: _Steps, tile: _Tile, to_reach: int, allowed: NDArray[np.bool_]
) -> tuple[int, int]:
    """Compare trees until few rows can reach a proximity; return how many steps it took and how many rows can."""
    n_done, n_steps = 1, len(steps.ends)
    while True:
        missing = to_reach - steps.remaining[n_done - 1]
        if missing > 0:
            n_left = _mark_reaching(tile, np.uint32(-(-missing // steps.scale)), allowed)
            if n_done == n_steps or n_left * _SURVIVORS <= len(tile.sums):
                return n_done, n_left
        tile.step_sums[:] = 0
        _add_step(compared, steps, n_done, tile.first_row, tile.step_sums)
        unit = steps.units[n_done]
        for row in range(len(tile.sums)):
            tile.sums[row] += np.uint32(tile.step_sums[row]) * unit
        n_done += 1


@compiled_for_loops
def _mark_reaching(tile: _Tile, least: np.uint32, allowed: NDArray[np.bool_]) -> int:
    """Mark the allowed rows with large enough sums; return how many there are."""
    sums, marks, n_left = tile.sums, tile.marks, np.uint32(0)
    marks[len(sums) :] = 0
    if len(allowed) == 0:
        for row in range(len(sums)):
            marks[row] = np.uint8(sums[row] >= least)
    else:
        is_allowed = allowed[tile.first_row : tile.first_row + len(sums)]
        for row in range(len(sums)):
            marks[row] = np.uint8(sums[row] >= least) & np.uint8(is_allowed[row])
    for row in range(len(marks)):
        n_left = np.uint32(n_left + np.uint32(marks[row]))  # in 32 bits: 8 rows at once
    return int(n_left)


@compiled_for_loops
def _sum_exactly(compared: _Comparison, tile: _Tile) -> None:
    """Write the proximities of the rows in place of their bounds."""
    sums, nothing = tile.sums, np.uint32(0)
    sums[:] = 0
    for tree in range(len(compared.weights)):
        codes = compared.codes[tree, tile.first_row : tile.first_row + len(sums)]
        code, weight = compared.own[tree], compared.weights[tree]
        for row in range(len(sums)):
            sums[row] += weight if codes[row] == code else nothing


@compiled_for_loops
def _keep_marked(
    compared: _Comparison,
    tile: _Tile,
    are_exact: bool,  # compiled code takes no keywords
    to_reach: int,
    wanted: Wanted,
    n_kept: int,
) -> int:
    """Keep the nearest of the rows that are marked; return how many there are."""
    words = tile.marks.view(np.uint64)
    for word in range(len(words)):
        if words[word] == 0:
            continue
        for at in range(word * _WORD_ROWS, (word + 1) * _WORD_ROWS):
            if tile.marks[at]:
                row = tile.first_row + at
                proximity = np.int64(tile.sums[at]) if are_exact else _proximity(compared, row)
                if proximity >= to_reach:
                    n_kept = _keep(row, proximity, wanted, n_kept)
    return n_kept
