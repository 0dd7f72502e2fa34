"""The nearest of all reference rows to a new row, found while a request waits: exact, on one thread, in mapped arrays.

Where leaves are small, the rows listed in the leaves of the new row are visited. Where they are large, codes are
compared, the heaviest trees first. After some of them, the rows with the largest sums are compared as a whole: now it
is known how near the nearest are at least, a row whose sum is too small to catch up is out, and the few others are
compared as a whole, too. Both ways give the same integers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numba
import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_ahead
from ..errors import InvalidInput
from .leaves import LeafTable

_ROW_BITS = 31
_LAST_ROW = 2**_ROW_BITS - 1  # the 32 bits above are a proximity: a larger key is a nearer row, or a lower one
_TILE_ROWS = 2048  # their sums stay in the first cache
_STRIP_ROWS, _SHORT_STRIP_ROWS = 256, 16
_FIRST_TREES = 16  # after which rows are dropped for the first time; then after twice as many, and so on
_PROMISING = 32  # rows whose sums are completed first, to know how near a row must be
_SURVIVORS = 64  # sums are completed row by row once no more than one row in this many is left
_MOST_CODES = 2**16  # of a tree whose codes are compared: a type for more would have to be compiled, too

# Measured on one core of a 2025 server.
_NANOSECONDS_PER_VISIT = 1.0  # of a row in a leaf of the new row
_NANOSECONDS_PER_LIST = 100.0  # of each tree: finding a list misses the caches
_NANOSECONDS_PER_COMPARED_BYTE = 0.02  # of the sums


class Restriction(NamedTuple):
    """Which rows may be found."""

    allowed: NDArray[np.bool_] | None = None  # (n_rows,) None: all
    groups: NDArray[np.int32] | None = None  # (n_rows,) of which group each row is
    max_per_group: int = 0  # how many rows of a group may be found; 0: any number


EVERY_ROW = Restriction()


class Nearest(NamedTuple):
    """The rows found, nearest first (ties: the lower row)."""

    rows: NDArray[np.int64]  # (n_found,)
    proximities: NDArray[np.int64]  # (n_found,) at least 1
    shared: NDArray[np.bool_]  # (n_found, n_trees) in which trees each shares a leaf with the new row


class ReferenceRows:
    """Finds the nearest rows of a table that was kept as plain arrays.

    Parameters
    ----------
    arrays
        From ``reference_arrays``; read-only, as arrays mapped from a file are.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        kind = _Lists if "members" in arrays else _Codes
        self._search: _Search = kind(**{name: arrays[name] for name in kind.__dataclass_fields__})
        self.n_rows = self._search.n_rows
        self.n_trees = len(arrays["weights"])
        self.total_weight = int(arrays["weights"].sum(dtype=np.int64))
        self.nanoseconds = float(arrays["nanoseconds"][0])  # that a search is expected to take, at most

    def nearest(self, leaves: NDArray[np.int32], n_rows: int, restriction: Restriction = EVERY_ROW) -> Nearest:
        """Return the nearest rows of a new row.

        Parameters
        ----------
        leaves : (n_trees,) int32
            Its leaves, numbered as in the table.
        n_rows
            Maximum number; fewer are returned where fewer share a leaf with it, in a tree that counts, or are allowed.
        restriction
            With a maximum for each group: going from near to far, a row is passed over when its group has that many.

        Raises
        ------
        InvalidInput
            If the number of trees differs.
        """
        if leaves.shape != (self.n_trees,):
            msg = f"leaves must have shape ({self.n_trees},), got {leaves.shape}"
            raise InvalidInput(msg)
        keys = np.empty(min(n_rows, self.n_rows), dtype=np.int64)
        wanted = _Wanted(
            np.empty(0, np.bool_) if restriction.allowed is None else np.require(restriction.allowed, requirements="W"),
            np.empty(0, np.int32) if restriction.groups is None else np.require(restriction.groups, requirements="W"),
            restriction.max_per_group if restriction.groups is not None else 0,
            keys,
            np.empty(len(keys), np.int32),
        )
        own = np.array(leaves, dtype=np.int32)
        n_kept = self._search.keep_nearest(own, wanted) if len(keys) else 0
        nearest_first = -np.sort(-keys[:n_kept])
        rows = _LAST_ROW - (nearest_first & _LAST_ROW)
        return Nearest(rows, nearest_first >> _ROW_BITS, self._search.shared(own, rows))


def reference_arrays(table: LeafTable, weights: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """Return what ``ReferenceRows`` needs of a table as plain arrays; most bytes of it are the table's own.

    Parameters
    ----------
    table
        Leaves of the reference rows.
    weights : (n_trees,) int64
        What each tree counts; not negative, summing to less than 2^32.
    """
    counted = weights.astype(np.uint16 if int(weights.sum()) <= np.iinfo(np.uint16).max else np.uint32)
    counts = np.repeat(weights > 0, np.diff(table.offsets))
    n_visits = float((table.leaf_sizes[counts].astype(np.float64) ** 2).sum()) / table.n_rows
    by_lists = n_visits * _NANOSECONDS_PER_VISIT + table.n_trees * _NANOSECONDS_PER_LIST
    by_codes = table.codes.size * counted.itemsize * _NANOSECONDS_PER_COMPARED_BYTE
    if by_lists < by_codes or int(np.diff(table.offsets).max()) > _MOST_CODES:
        arrays = {"weights": counted, "nanoseconds": np.array([by_lists])}
        return arrays | {"offsets": table.offsets, "starts": table.starts, "members": table.members}
    trees = np.argsort(-weights, kind="stable")
    codes: NDArray[Any] = table.codes[trees]
    return {
        "weights": counted[trees],
        "nanoseconds": np.array([by_codes]),
        "trees": trees.astype(np.int64),
        "codes": codes,
        "codes_by_row": np.ascontiguousarray(codes.T),
    }


class _Wanted(NamedTuple):
    """The rows that are wanted, and room for them."""

    allowed: NDArray[np.bool_]  # (n_rows,) or empty: all
    groups: NDArray[np.int32]  # (n_rows,) or empty
    max_per_group: int  # 0: any number
    keys: NDArray[np.int64]  # (n_wanted,)
    key_groups: NDArray[np.int32]  # (n_wanted,)


class _Search(Protocol):
    @property
    def n_rows(self) -> int: ...

    def keep_nearest(self, leaves: NDArray[np.int32], wanted: _Wanted) -> int:
        """Write the keys of the nearest rows; return how many there are."""
        ...

    def shared(self, leaves: NDArray[np.int32], rows: NDArray[np.int64]) -> NDArray[np.bool_]: ...


@dataclass(frozen=True, slots=True, eq=False)
class _Lists:
    """The rows of each leaf; the parts of a ``LeafTable``."""

    weights: NDArray[Any]  # (n_trees,) uint16 or uint32, in a type that holds their sum
    offsets: NDArray[np.int64]
    starts: NDArray[np.int64]
    members: NDArray[np.int32]

    @property
    def n_rows(self) -> int:
        return len(self.members) // len(self.weights)

    def keep_nearest(self, leaves: NDArray[np.int32], wanted: _Wanted) -> int:
        sums = np.zeros(self.n_rows, dtype=self.weights.dtype)
        return int(_nearest_in_lists(self.starts, self.members, self.offsets[:-1] + leaves, self.weights, sums, wanted))

    def shared(self, leaves: NDArray[np.int32], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        shared = np.empty((len(rows), len(leaves)), dtype=np.bool_)
        _find_in_lists(self.starts, self.members, self.offsets[:-1] + leaves, rows, shared)
        return shared


@dataclass(frozen=True, slots=True, eq=False)
class _Codes:
    """The leaves of each row, twice: by tree and by row; the trees in order of weight, the heaviest first."""

    weights: NDArray[Any]  # (n_trees,) uint16 or uint32, in a type that holds their sum
    trees: NDArray[np.int64]  # (n_trees,) number of each tree
    codes: NDArray[Any]  # (n_trees, n_rows) uint8 or uint16
    codes_by_row: NDArray[Any]  # (n_rows, n_trees)

    @property
    def n_rows(self) -> int:
        return int(self.codes.shape[1])

    def keep_nearest(self, leaves: NDArray[np.int32], wanted: _Wanted) -> int:
        own = leaves[self.trees].astype(self.codes.dtype)
        sums = np.zeros(self.n_rows, dtype=self.weights.dtype)
        return int(_nearest_by_codes(self.codes, self.codes_by_row, own, self.weights, sums, wanted))

    def shared(self, leaves: NDArray[np.int32], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        shared = np.empty((len(rows), len(leaves)), dtype=np.bool_)
        shared[:, self.trees] = self.codes_by_row[rows] == leaves[self.trees]
        return shared


@compiled
def _full_group(group: np.int32, wanted: _Wanted, n_kept: int) -> int:
    """Return the place of the farthest row of a group that is full, or -1 where it is not."""
    n_own, farthest = 0, -1
    for place in range(n_kept):
        if wanted.key_groups[place] == group:
            n_own += 1
            if farthest < 0 or wanted.keys[place] < wanted.keys[farthest]:
                farthest = place
    return farthest if n_own == wanted.max_per_group else -1


@compiled
def _keep(row: int, proximity: np.int64, wanted: _Wanted, n_kept: int) -> int:
    """Keep an allowed row if it is among the nearest so far; return how many are kept.

    Where its group is full, it can only take the place of the group's farthest; where all places are taken, of the
    farthest of all. In any order of rows, this ends with those that are found going from near to far.
    """
    if len(wanted.allowed) > 0 and not wanted.allowed[row]:
        return n_kept
    keys, key = wanted.keys, (proximity << _ROW_BITS) | (_LAST_ROW - row)
    place, group = n_kept, wanted.groups[row] if len(wanted.groups) > 0 else np.int32(0)
    if wanted.max_per_group > 0:
        farthest = _full_group(group, wanted, n_kept)
        if farthest >= 0:
            keys[farthest] = max(key, keys[farthest])
            return n_kept
    if n_kept == len(keys):
        place = int(keys.argmin())
        if key < keys[place]:
            return n_kept
    keys[place], wanted.key_groups[place] = key, group
    return min(n_kept + 1, len(keys))


@compiled
def _to_reach(wanted: _Wanted, n_kept: int) -> int:
    """Return the proximity of the farthest row kept, or 0 while there is room."""
    return wanted.keys.min() >> _ROW_BITS if n_kept == len(wanted.keys) else 0


@compiled
def _keep_nearest(sums: NDArray[Any], wanted: _Wanted) -> int:
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
_WANTED = _N.NamedTuple((_N.boolean[::1], _N.int32[::1], _N.int64, _N.int64[::1], _N.int32[::1]), _Wanted)


@compiled_ahead(
    *(
        _N.int64(_read_only(_N.int64, 1), _read_only(_N.int32, 1), _N.int64[::1], _read_only(of, 1), of[::1], _WANTED)
        for of in _SUMS
    )
)
def _nearest_in_lists(
    starts: NDArray[np.int64],
    members: NDArray[np.int32],
    leaves: NDArray[np.int64],
    weights: NDArray[Any],
    sums: NDArray[Any],
    wanted: _Wanted,
) -> int:
    for tree in range(len(leaves)):
        weight = weights[tree]
        if weight > 0:
            for place in range(starts[leaves[tree]], starts[leaves[tree] + 1]):
                sums[members[place]] += weight
    return _keep_nearest(sums, wanted)


@compiled_ahead(
    _N.void(_read_only(_N.int64, 1), _read_only(_N.int32, 1), _N.int64[::1], _N.int64[::1], _N.boolean[:, ::1])
)
def _find_in_lists(
    starts: NDArray[np.int64],
    members: NDArray[np.int32],
    leaves: NDArray[np.int64],
    rows: NDArray[np.int64],
    shared: NDArray[np.bool_],
) -> None:
    for tree in range(len(leaves)):
        own = members[starts[leaves[tree]] : starts[leaves[tree] + 1]]
        for at in range(len(rows)):
            place = np.searchsorted(own, rows[at])
            shared[at, tree] = place < len(own) and own[place] == rows[at]


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
def _nearest_by_codes(
    codes: NDArray[Any],
    codes_by_row: NDArray[Any],
    own: NDArray[Any],
    weights: NDArray[Any],
    sums: NDArray[Any],
    wanted: _Wanted,
) -> int:
    n_counting = 0
    remaining = np.int64(0)
    for weight in weights:
        n_counting += 1 if weight > 0 else 0
        remaining += weight
    compared = _Comparison(codes, codes_by_row, own, weights, n_counting)
    n_promising = max(_PROMISING, 2 * len(wanted.keys))
    promising = _Wanted(
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
def _complete_promising(
    compared: _Comparison, first: int, promising: _Wanted, n_promising: int, wanted: _Wanted
) -> int:
    """Keep the nearest of the rows with the largest sums so far; return how many there are."""
    n_kept = 0
    for key in promising.keys[:n_promising]:
        row = _LAST_ROW - (key & _LAST_ROW)
        n_kept = _keep(row, (key >> _ROW_BITS) + _rest(compared, row, first), wanted, n_kept)
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
    wanted: _Wanted,
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
