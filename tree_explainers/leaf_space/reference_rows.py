"""The nearest of all reference rows to a new row, found while a request waits: exact, on one thread, in mapped arrays.

Where leaves are small, the rows listed in the leaves of the new row are visited. Where they are large, codes are
compared. Both ways give the same integers; ``reference_loops`` has them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from .leaves import LeafTable
from .reference_loops import LAST_ROW, ROW_BITS, Wanted, find_in_lists, nearest_by_codes, nearest_in_lists

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
    """The rows found, nearest first (ties: those that agree, then the lower row)."""

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
        self._order: NDArray[np.int32] | None = arrays.get("order")  # of the rows as they are searched
        self.n_rows = self._search.n_rows
        self.n_trees = len(arrays["weights"])
        self.tree_weights = np.empty(self.n_trees, np.uint32)  # in the order of the trees
        self.tree_weights[arrays.get("trees", slice(None))] = arrays["weights"]
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
        wanted = Wanted(
            np.empty(0, np.bool_) if restriction.allowed is None else self._in_order(restriction.allowed),
            np.empty(0, np.int32) if restriction.groups is None else self._in_order(restriction.groups),
            restriction.max_per_group if restriction.groups is not None else 0,
            keys,
            np.empty(len(keys), np.int32),
        )
        new_row = np.array(leaves, dtype=np.int32)
        n_kept = self._search.keep_nearest(new_row, wanted) if len(keys) else 0
        nearest_first = -np.sort(-keys[:n_kept])
        rows = LAST_ROW - (nearest_first & LAST_ROW)
        shared = self._search.shared(new_row, rows)
        in_table = rows if self._order is None else self._order[rows].astype(np.int64)
        return Nearest(in_table, nearest_first >> ROW_BITS, shared)

    def _in_order(self, of_rows: NDArray[Any]) -> NDArray[Any]:
        return np.require(of_rows, requirements="W") if self._order is None else of_rows[self._order]


def reference_arrays(
    table: LeafTable, weights: NDArray[np.int64], agrees: NDArray[np.bool_] | None = None
) -> dict[str, NDArray[Any]]:
    """Return what ``ReferenceRows`` needs of a table as plain arrays; most bytes of it are the table's own.

    Parameters
    ----------
    table
        Leaves of the reference rows.
    weights : (n_trees,) int64
        What each tree counts; not negative, summing to less than 2^32.
    agrees : (n_rows,) bool, optional
        Rows that are found before others that are as near: those whose own label is what the model predicts.
    """
    if agrees is not None and not agrees.all():
        # Searches keep the first of equally near rows.
        order = np.argsort(~agrees, kind="stable").astype(np.int32)
        in_order = LeafTable.from_codes(np.take(table.codes, order, axis=1), np.diff(table.offsets))
        return {**reference_arrays(in_order, weights), "order": order}
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


class _Search(Protocol):
    @property
    def n_rows(self) -> int: ...

    def keep_nearest(self, leaves: NDArray[np.int32], wanted: Wanted) -> int:
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

    def keep_nearest(self, leaves: NDArray[np.int32], wanted: Wanted) -> int:
        sums = np.zeros(self.n_rows, dtype=self.weights.dtype)
        return int(nearest_in_lists(self.starts, self.members, self.offsets[:-1] + leaves, self.weights, sums, wanted))

    def shared(self, leaves: NDArray[np.int32], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        shared = np.empty((len(rows), len(leaves)), dtype=np.bool_)
        find_in_lists(self.starts, self.members, self.offsets[:-1] + leaves, rows, shared)
        return shared


@dataclass(frozen=True, slots=True, eq=False)
class _Codes:
    """The leaves of each row, twice: by tree and by row; the trees in order of weight, the heaviest first."""

    weights: NDArray[Any]  # (n_trees,) uint16 or uint32
    trees: NDArray[np.int64]  # (n_trees,) number of each tree
    codes: NDArray[Any]  # (n_trees, n_rows) uint8 or uint16
    codes_by_row: NDArray[Any]  # (n_rows, n_trees)

    @property
    def n_rows(self) -> int:
        return int(self.codes.shape[1])

    def keep_nearest(self, leaves: NDArray[np.int32], wanted: Wanted) -> int:
        new_row, weights = leaves[self.trees].astype(self.codes.dtype), self.weights.astype(np.uint32)
        return int(nearest_by_codes(self.codes, self.codes_by_row, new_row, weights, wanted))

    def shared(self, leaves: NDArray[np.int32], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        shared = np.empty((len(rows), len(leaves)), dtype=np.bool_)
        shared[:, self.trees] = self.codes_by_row[rows] == leaves[self.trees]
        return shared
