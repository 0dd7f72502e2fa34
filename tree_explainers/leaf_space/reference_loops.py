"""The compiled searches of ``reference_rows``: rows in the leaves of a new row, or rows with its codes, by proximity.

Codes are compared tree by tree, the heaviest first. After some of them, the rows with the largest sums are compared as
a whole: now it is known how near the nearest are at least, a row whose sum is too small to catch up is out, and the few
others are compared as a whole, too.
"""

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_ahead

ROW_BITS = 31
LAST_ROW = 2**ROW_BITS - 1  # the 32 bits above are a proximity: a larger key is a nearer row, or a lower one
_TILE_ROWS = 2048  # their sums stay in the first cache
_STRIP_ROWS, _SHORT_STRIP_ROWS = 256, 16
_FIRST_TREES = 16  # after which rows are dropped for the first time; then after twice as many, and so on
_PROMISING = 32  # rows whose sums are completed first, to know how near a row must be
_SURVIVORS = 64  # sums are completed row by row once no more than one row in this many is left


class Wanted(NamedTuple):
    """The rows that are wanted, and room for them."""

    allowed: NDArray[np.bool_]  # (n_rows,) or empty: all
    groups: NDArray[np.int32]  # (n_rows,) or empty
    max_per_group: int  # 0: any number
    keys: NDArray[np.int64]  # (n_wanted,)
    key_groups: NDArray[np.int32]  # (n_wanted,)


@compiled
def _full_group(group: np.int32, wanted: Wanted, n_kept: int) -> int:
    """Return the index of the farthest row of a group that is full, or -1 where it is not."""
    n_own, farthest = 0, -1
    for index in range(n_kept):
        if wanted.key_groups[index] == group:
            n_own += 1
            if farthest < 0 or wanted.keys[index] < wanted.keys[farthest]:
                farthest = index
    return farthest if n_own == wanted.max_per_group else -1


@compiled
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


@compiled
def _to_reach(wanted: Wanted, n_kept: int) -> int:
    """Return the proximity of the farthest row kept, or 0 while there is room."""
    return wanted.keys.min() >> ROW_BITS if n_kept == len(wanted.keys) else 0


@compiled
def _keep_nearest(sums: NDArray[Any], wanted: Wanted) -> int:
    """Keep the rows of the largest sums; return how many there are."""
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
                to_reach = max(1, _to_reach(wanted, n_kept))
    return n_kept


def _read_only(dtype: Any, n_dimensions: int) -> Any:  # noqa: ANN401  # numba's types
    return numba.types.Array(dtype, n_dimensions, "C", readonly=True)


_N = numba.types
_SUMS = (_N.uint16, _N.uint32)
_CODES = (_N.uint8, _N.uint16)
_WANTED = _N.NamedTuple((_N.boolean[::1], _N.int32[::1], _N.int64, _N.int64[::1], _N.int32[::1]), Wanted)


@compiled_ahead(
    *(
        _N.int64(_read_only(_N.int64, 1), _read_only(_N.int32, 1), _N.int64[::1], _read_only(of, 1), of[::1], _WANTED)
        for of in _SUMS
    )
)
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


@compiled_ahead(
    _N.void(_read_only(_N.int64, 1), _read_only(_N.int32, 1), _N.int64[::1], _N.int64[::1], _N.boolean[:, ::1])
)
def find_in_lists(
    starts: NDArray[np.int64],
    members: NDArray[np.int32],
    leaves: NDArray[np.int64],
    rows: NDArray[np.int64],
    shared: NDArray[np.bool_],
) -> None:
    """Write in which trees, (n_rows, n_trees), rows are listed in the new row's leaf."""
    for tree in range(len(leaves)):
        own = members[starts[leaves[tree]] : starts[leaves[tree] + 1]]
        for at in range(len(rows)):
            index = np.searchsorted(own, rows[at])
            shared[at, tree] = index < len(own) and own[index] == rows[at]


class _Comparison(NamedTuple):
    """The codes of all rows beside those of the new row."""

    codes: NDArray[Any]  # (n_trees, n_rows)
    codes_by_row: NDArray[Any]  # (n_rows, n_trees)
    own: NDArray[Any]  # (n_trees,)
    weights: NDArray[Any]  # (n_trees,) in falling order
    n_counting: int  # trees that weigh more than nothing


@compiled_ahead(
    *(
        _N.int64(_read_only(code, 2), _read_only(code, 2), code[::1], _read_only(of, 1), of[::1], _WANTED)
        for code in _CODES
        for of in _SUMS
    )
)
def nearest_by_codes(
    codes: NDArray[Any],
    codes_by_row: NDArray[Any],
    own: NDArray[Any],
    weights: NDArray[Any],
    sums: NDArray[Any],
    wanted: Wanted,
) -> int:
    """Write the keys of the nearest rows into ``wanted``, by comparing codes; return their number."""
    n_counting = 0
    remaining = np.int64(0)
    for weight in weights:
        n_counting += 1 if weight > 0 else 0
        remaining += weight
    compared = _Comparison(codes, codes_by_row, own, weights, n_counting)
    n_promising = max(_PROMISING, 2 * len(wanted.keys))
    promising = Wanted(
        wanted.allowed, wanted.groups, wanted.max_per_group,
        np.empty(n_promising, np.int64), np.empty(n_promising, np.int32),
    )  # fmt: skip
    done, end = 0, min(_FIRST_TREES, n_counting)
    while True:
        _add_trees(compared, done, end, sums)
        for tree in range(done, end):
            remaining -= weights[tree]
        done, end = end, min(2 * end, n_counting)
        if done == n_counting:
            return _keep_nearest(sums, wanted)
        n_kept = _complete_promising(compared, done, promising, _keep_nearest(sums, promising), wanted)
        # As many rows are this near at least: one that cannot be, whatever follows, is not among the nearest.
        to_reach = sums.dtype.type(max(0, _to_reach(wanted, n_kept) - remaining))
        if _n_reaching(sums, to_reach) * _SURVIVORS <= len(sums):
            return _complete_reaching(compared, done, sums, to_reach, wanted)


@compiled
def _add_trees(compared: _Comparison, first: int, end: int, sums: NDArray[Any]) -> None:
    """Add the weights of some trees to the sums of the rows that share their leaf."""
    for first_row in range(0, len(sums), _TILE_ROWS):
        into = sums[first_row : first_row + _TILE_ROWS]
        for tree in range(first, end):
            line = compared.codes[tree, first_row : first_row + _TILE_ROWS]
            code, weight = compared.own[tree], compared.weights[tree]
            nothing = weight - weight  # a plain 0 would be added eight times slower
            for row in range(len(line)):
                into[row] += weight if line[row] == code else nothing


@compiled
def _rest(compared: _Comparison, row: int, first: int) -> np.int64:
    """Return what the trees from ``first`` on add to a row."""
    line, own = compared.codes_by_row[row, first : compared.n_counting], compared.own[first : compared.n_counting]
    weights = compared.weights[first : compared.n_counting]
    total = np.uint32(0)
    for tree in range(len(line)):
        total += weights[tree] if line[tree] == own[tree] else np.uint32(0)
    return np.int64(total)


@compiled
def _complete_promising(compared: _Comparison, first: int, promising: Wanted, n_promising: int, wanted: Wanted) -> int:
    """Keep the nearest of the rows with the largest sums so far; return how many there are."""
    n_kept = 0
    for key in promising.keys[:n_promising]:
        row = LAST_ROW - (key & LAST_ROW)
        n_kept = _keep(row, (key >> ROW_BITS) + _rest(compared, row, first), wanted, n_kept)
    return n_kept


@compiled
def _n_reaching(sums: NDArray[Any], to_reach: Any) -> int:  # noqa: ANN401  # of the sums' type
    n_reaching = np.uint32(0)  # twice as many as of int64 fit into a register
    for row in range(len(sums)):
        n_reaching += np.uint32(1) if sums[row] >= to_reach else np.uint32(0)
    return int(n_reaching)


@compiled
def _complete_reaching(
    compared: _Comparison,
    first_tree: int,
    sums: NDArray[Any],
    to_reach: Any,  # noqa: ANN401  # of the sums' type
    wanted: Wanted,
) -> int:
    """Keep the nearest of the rows whose sums so far are large enough; return how many there are."""
    n_kept = 0
    for first in range(0, len(sums), _SHORT_STRIP_ROWS):
        strip = sums[first : first + _SHORT_STRIP_ROWS]
        if strip.max() < to_reach:
            continue
        for at in range(len(strip)):
            if strip[at] >= to_reach:
                proximity = np.int64(strip[at]) + _rest(compared, first + at, first_tree)
                if proximity > 0:
                    n_kept = _keep(first + at, proximity, wanted, n_kept)
    return n_kept
