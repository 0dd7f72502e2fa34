"""The leaf of each row in each tree: compact codes, an index from leaf to rows, and what each tree weighs."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from threading import Lock
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..compute.threads import in_threads
from ..errors import InvalidInput
from .kept_columns import KeptColumns
from .leaf_masks import BLOCK
from .rows_by_leaf import count_rows, list_members, renumber

ProximityKind = Literal["random_forest", "boosting", "boosting_sd", "boosting_l1"]

BOOSTING_TOTAL_WEIGHT = 2**31


@dataclass(frozen=True, eq=False)
class LeafTable:
    """Which leaf each row reaches in each tree; one to four bytes for each.

    ``codes`` has one line per tree, so that one tree's leaves of neighbouring rows lie side by side. Conversely,
    the rows of the leaf ``code`` of tree ``t`` are
    ``members[starts[offsets[t] + code] : starts[offsets[t] + code + 1]]``, ascending.
    """

    codes: NDArray[Any]  # (n_trees, n_rows) uint8, uint16 or int32: the smallest that holds all codes; read-only
    offsets: NDArray[np.int64]  # (n_trees + 1,) where each tree's leaves begin among all leaves
    starts: NDArray[np.int64]  # (n_leaves + 1,) where each leaf's rows begin in members
    kept_columns: KeptColumns = field(default_factory=KeptColumns, repr=False)  # by ``each_column``
    _listing: Lock = field(default_factory=Lock, repr=False)

    @staticmethod
    def from_leaves(leaves: NDArray[np.int32], n_leaves: NDArray[np.integer[Any]]) -> "LeafTable":
        """Build the table.

        Parameters
        ----------
        leaves : (n_rows, n_trees) int32
            Index, within its tree, of the leaf that each row reaches.
        n_leaves : (n_trees,)
            How many leaves each tree has.

        Raises
        ------
        InvalidInput
            If there are no rows or no trees, the shapes disagree, or a leaf is outside its tree.
        """
        if leaves.ndim != 2 or leaves.dtype != np.int32:  # a matrix
            msg = f"leaves must be 2-d int32, got {leaves.ndim}-d {leaves.dtype}"
            raise InvalidInput(msg)
        _check_leaves(leaves.T, n_leaves)
        return _count(np.ascontiguousarray(leaves.T, dtype=smallest_dtype(int(n_leaves.max()))), n_leaves)

    @staticmethod
    def without_trees(n_rows: int) -> "LeafTable":
        """Return the table of a model that has no trees: it says how many rows there are, and nothing else."""
        return LeafTable(np.empty((0, n_rows), np.uint8), np.zeros(1, np.int64), np.zeros(1, np.int64))

    @staticmethod
    def from_codes(codes: NDArray[Any], n_leaves: NDArray[np.integer[Any]]) -> "LeafTable":
        """Build the table from codes as it keeps them, which are not copied: for many rows.

        Parameters
        ----------
        codes : (n_trees, n_rows), of ``smallest_dtype(n_leaves.max())``
            Index, within its tree, of the leaf that each row reaches; may be a read-only memory map.
        n_leaves : (n_trees,)
            How many leaves each tree has.

        Raises
        ------
        InvalidInput
            As ``from_leaves`` does, and for codes of another type or not in the order of C.
        """
        if codes.ndim != 2 or not codes.flags.c_contiguous:  # a matrix
            msg = f"codes must be a matrix in the order of C, got {codes.ndim}-d with strides {codes.strides}"
            raise InvalidInput(msg)
        _check_leaves(codes, n_leaves)
        if codes.dtype != smallest_dtype(int(n_leaves.max())):
            msg = f"codes of {n_leaves.max()} leaves must be {smallest_dtype(int(n_leaves.max()))}, got {codes.dtype}"
            raise InvalidInput(msg)
        return _count(codes, n_leaves)

    @staticmethod
    def from_sizes(codes: NDArray[Any], sizes: NDArray[np.int64], n_leaves: NDArray[np.integer[Any]]) -> "LeafTable":
        """Build the table from codes as ``from_codes`` takes them, which are known to be right and to be counted.

        ``sizes``, (n_leaves of all trees,), are the rows in each leaf, tree by tree.
        """
        offsets, starts = (np.concatenate([[0], np.cumsum(each)]).astype(np.int64) for each in (n_leaves, sizes))
        return LeafTable(read_only(codes), offsets, starts)

    def __reduce__(self) -> tuple[Any, ...]:
        """Send codes and the beginnings of lists to another process; lists are made there, if they are needed."""
        return _received, (self.codes, self.offsets, self.starts)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[1])

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return int(self.codes.shape[0])

    @property
    def leaf_sizes(self) -> NDArray[np.int64]:
        """Rows in each leaf, over all trees, shape (n_leaves,)."""
        return np.diff(self.starts)

    def sizes_of(self, leaves: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """Return the rows in some leaves, which are numbered over all trees, in the shape of ``leaves``."""
        return np.asarray(self.starts[leaves + 1] - self.starts[leaves])

    @cached_property
    def n_leaves_of_block(self) -> float:
        """How many leaves of a tree hold some of a block of rows that are drawn from all, on average."""
        n_of_size = np.bincount(self.leaf_sizes)
        shares = np.arange(len(n_of_size)) / self.n_rows
        return float((n_of_size * (1 - (1 - shares) ** BLOCK)).sum() / self.n_trees)

    @property
    def members(self) -> NDArray[np.int32]:
        """Rows, leaf by leaf, shape (n_trees * n_rows,).

        The largest thing there is, so it is made at the first access, by both cores; threads that access it at the
        same time get the same array.
        """
        with self._listing:
            return self._members

    @cached_property
    def _members(self) -> NDArray[np.int32]:
        members = np.empty(self.codes.shape, dtype=np.int32)

        def write_lists(trees: slice) -> None:
            list_members(self.codes[trees], self.offsets[trees], self.starts, members[trees])

        in_threads(write_lists, self.n_trees)
        return members.reshape(-1)

    def leaves_of(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """Return the leaf of each of these rows in each tree, shape (len(rows), n_trees)."""
        return np.ascontiguousarray(self.codes[:, rows].T, dtype=np.int32)

    def codes_of(self, rows: NDArray[np.integer[Any]]) -> NDArray[Any]:
        """Return the codes of these rows, shape (n_trees, len(rows))."""
        return np.ascontiguousarray(self.codes[:, rows])

    def among(self, rows: NDArray[np.integer[Any]]) -> "LeafTable":
        """Return the table of these rows alone, numbered in the order given.

        Leaves are numbered again, so that leaves without any of the rows take no room: over a partition of all rows
        the tables together are no larger than this one. Codes of the two tables cannot be compared.
        """
        codes = np.empty((self.n_trees, len(rows)), dtype=self.codes.dtype)
        n_leaves = np.empty(self.n_trees, dtype=np.int64)
        positions = np.arange(self.n_rows)[rows]

        def renumber_trees(trees: slice) -> None:
            n_leaves[trees] = renumber(self.codes[trees], np.diff(self.offsets)[trees], positions, codes[trees])

        in_threads(renumber_trees, self.n_trees)
        return _count(codes.astype(smallest_dtype(int(n_leaves.max())), copy=False), n_leaves)


def smallest_dtype(n_codes: int) -> np.dtype[Any]:
    """Return the type in which codes 0 to ``n_codes - 1`` are kept: uint8, uint16 or int32."""
    if n_codes <= np.iinfo(np.uint8).max + 1:
        return np.dtype(np.uint8)
    return np.dtype(np.uint16 if n_codes <= np.iinfo(np.uint16).max + 1 else np.int32)


def tree_weights(
    kind: ProximityKind, table: LeafTable, leaf_values: NDArray[np.float64] | None = None
) -> NDArray[np.int64]:
    """Return what each tree counts in a proximity, as integers: sums are exact in any order and ties are real ties.

    Parameters
    ----------
    kind
        ``random_forest``: each tree counts 1. ``boosting``: a tree counts by the variance, over the rows of the
        table, of the values in its leaves (summed over outputs where leaves hold vectors). The step size of boosting
        is already in the stored values, so this is the paper's w = γ² Var. ``boosting_sd``: by the standard deviation
        instead, the square root of that. ``boosting_l1``: by the mean absolute deviation of these values from their
        mean, which the paper names as another choice (the L1 norm).
    table
        Leaves of the dataset's rows, numbered as in the ensemble.
    leaf_values : (n_leaves, n_outputs) float64
        Value of each leaf, tree by tree, as in ``TreeEnsemble.leaf_values``; needed for all kinds of
        boosting.

    Returns
    -------
    (n_trees,) int64
        Not negative. But for ``random_forest`` they sum to exactly 2^31: shares are rounded down and what is left goes
        to the largest remainders, ties to the lower tree, so each is within 2^-31 of its share. An ensemble whose
        values do not vary over the rows weighs its trees equally.

    Raises
    ------
    InvalidInput
        If the kind is unknown or leaf values are missing, of another length than the leaves, or not finite.

    References
    ----------
    Tan, Soloviev, Hooker, Wells (2020), "Tree Space Prototypes", definitions 1 and 3. The authors' program looks at
    the first class of a multi-class model only; here each tree has its own variance.
    """
    if kind == "random_forest":
        return np.ones(table.n_trees, dtype=np.int64)
    if kind not in get_args(ProximityKind):
        msg = f"kind must be one of {', '.join(get_args(ProximityKind))}, got {kind!r}"
        raise InvalidInput(msg)
    n_leaves = len(table.starts) - 1
    if leaf_values is None or leaf_values.ndim != 2 or len(leaf_values) != n_leaves:  # a matrix
        msg = f"boosting weights need one line of values for each of the {n_leaves} leaves"
        raise InvalidInput(msg)
    if not np.isfinite(leaf_values).all():
        msg = "a leaf value is not finite, so boosting weights are undefined"
        raise InvalidInput(msg)
    deviations = _value_deviations(table, leaf_values, 1 if kind == "boosting_l1" else 2)
    return _round_to_total(np.sqrt(deviations) if kind == "boosting_sd" else deviations, BOOSTING_TOTAL_WEIGHT)


def _check_leaves(codes: NDArray[Any], n_leaves: NDArray[np.integer[Any]]) -> None:
    n_trees, n_rows = codes.shape
    if n_rows == 0 or n_trees == 0:
        msg = f"leaves of {n_rows} rows in {n_trees} trees: at least one row and one tree are needed"
        raise InvalidInput(msg)
    if n_leaves.shape != (n_trees,):
        msg = f"n_leaves has shape {n_leaves.shape}, but leaves has {n_trees} trees"
        raise InvalidInput(msg)
    outside = (codes.min(axis=1) < 0) | (codes.max(axis=1) >= n_leaves)
    if outside.any():
        tree = int(outside.argmax())
        msg = f"tree {tree} has leaves 0 to {n_leaves[tree] - 1}, but a row has another code"
        raise InvalidInput(msg)


def read_only(codes: NDArray[Any]) -> NDArray[Any]:
    """Return codes as tables keep them: loops are compiled for codes of one kind, wherever those come from."""
    view = np.asarray(codes).view()
    view.flags.writeable = False
    return view


def _received(codes: NDArray[Any], offsets: NDArray[np.int64], starts: NDArray[np.int64]) -> LeafTable:
    return LeafTable(read_only(codes), offsets, starts)


def _count(codes: NDArray[Any], n_leaves: NDArray[np.integer[Any]]) -> LeafTable:
    """Make a table of codes known to be right."""
    table_codes = read_only(codes)
    offsets = np.concatenate([[0], np.cumsum(n_leaves)]).astype(np.int64)
    starts = np.zeros(offsets[-1] + 1, dtype=np.int64)
    in_threads(lambda trees: count_rows(table_codes[trees], offsets[trees], starts[1:]), len(table_codes))
    np.cumsum(starts, out=starts)
    return LeafTable(table_codes, offsets, starts)


def _value_deviations(table: LeafTable, leaf_values: NDArray[np.float64], power: int) -> NDArray[np.float64]:
    """Mean power, over rows, of how far each tree's leaf values are from their mean, summed over outputs.

    In a unit of its own; with 2 it is the variance.
    """
    # Measured from a value that some row has: a tree that is constant over the rows gives exactly 0, not rounding.
    origins = leaf_values[table.offsets[:-1] + table.codes_of(np.zeros(1, dtype=np.int64))[:, 0]]
    deviations = leaf_values - np.repeat(origins, np.diff(table.offsets), axis=0)
    deviations[table.leaf_sizes == 0] = 0
    largest = np.abs(deviations).max()
    if largest > 0:
        deviations /= largest  # only ratios of variances matter, and squares shall not overflow
    shares = (table.leaf_sizes / table.n_rows)[:, None]
    first_leaves = table.offsets[:-1]
    means = np.add.reduceat(shares * deviations, first_leaves)
    centred = deviations - np.repeat(means, np.diff(table.offsets), axis=0)
    moments: NDArray[np.float64] = np.add.reduceat(shares * np.abs(centred) ** power, first_leaves).sum(axis=1)
    return moments


def _round_to_total(shares: NDArray[np.float64], total: int) -> NDArray[np.int64]:
    """Largest-remainder rounding, in rationals so that the sum is exact."""
    exact = [Fraction(float(share)) for share in shares]
    whole = sum(exact)
    if whole == 0:
        exact, whole = [Fraction(1)] * len(exact), Fraction(len(exact))
    quotas = [share * total / whole for share in exact]
    rounded = [int(quota) for quota in quotas]
    by_remainder = sorted(range(len(quotas)), key=lambda tree: rounded[tree] - quotas[tree])
    for tree in by_remainder[: total - sum(rounded)]:
        rounded[tree] += 1
    return np.array(rounded, dtype=np.int64)
