"""The leaf of each row in each tree: compact codes, an index from leaf to rows, and what each tree weighs."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .compiled import compiled
from .errors import InvalidInput

ProximityKind = Literal["random_forest", "boosting"]

BOOSTING_TOTAL_WEIGHT = 2**31


@dataclass(frozen=True, slots=True)
class LeafTable:
    """Which leaf each row reaches in each tree, readable both ways; O(n_rows x n_trees) memory.

    ``codes`` has one line per tree, so that one tree's leaves of neighbouring rows lie side by side. The rows of the
    leaf ``code`` of tree ``t`` are ``members[starts[offsets[t] + code] : starts[offsets[t] + code + 1]]``, ascending.
    """

    codes: NDArray[Any]  # (n_trees, n_rows) uint8, uint16 or int32: the smallest that holds all codes
    offsets: NDArray[np.int64]  # (n_trees + 1,) where each tree's leaves begin among all leaves
    starts: NDArray[np.int64]  # (n_leaves + 1,) where each leaf's rows begin in members
    members: NDArray[np.int32]  # (n_trees * n_rows,) rows, leaf by leaf

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
        _check_leaves(leaves, n_leaves)
        codes = np.ascontiguousarray(leaves.T, dtype=_smallest_dtype(int(n_leaves.max())))
        return _index(codes, np.asarray(n_leaves, dtype=np.int64))

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

    def leaves_of(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """Return the leaf of each of these rows in each tree, shape (len(rows), n_trees)."""
        return np.ascontiguousarray(self.codes[:, rows].T, dtype=np.int32)

    def among(self, rows: NDArray[np.integer[Any]]) -> "LeafTable":
        """Return the table of these rows alone, numbered in the order given.

        Leaves are numbered anew, so that leaves without any of the rows take no room: over a partition of all rows
        the tables together are no larger than this one. Codes of the two tables cannot be compared.
        """
        codes, n_leaves = _renumber(self.codes[:, rows], np.diff(self.offsets))
        return _index(np.ascontiguousarray(codes, dtype=_smallest_dtype(int(n_leaves.max()))), n_leaves)


def sum_over_leaves(table: LeafTable, weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return each row's proximities summed over all rows, without looking at any pair.

    Summed over rows, the trees in which they share a leaf with a row are the sizes of its leaves.

    Parameters
    ----------
    table
        The rows.
    weights : (n_trees,) int64
        What each tree counts.

    Returns
    -------
    (n_rows,) int64
        Sum over trees of weight x size of the row's leaf, the row itself included.
    """
    return _sum_over_leaves(table.codes, table.offsets, table.leaf_sizes, weights)


def tree_weights(
    kind: ProximityKind, table: LeafTable, leaf_values: NDArray[np.float64] | None = None
) -> NDArray[np.int64]:
    """Return what each tree counts in a proximity, as integers: sums are exact in any order and ties are real ties.

    Parameters
    ----------
    kind
        ``random_forest``: each tree counts 1. ``boosting``: a tree counts by the variance, over the rows of the
        table, of the values in its leaves (summed over outputs where leaves hold vectors). The step size of boosting
        is already in the stored values, so this is the paper's w = γ² Var.
    table
        Leaves of the dataset's rows, numbered as in the ensemble.
    leaf_values : (n_leaves, n_outputs) float64
        Value of each leaf, tree by tree, as in ``TreeEnsemble.leaf_values``; needed for ``boosting``.

    Returns
    -------
    (n_trees,) int64
        Not negative. For ``boosting`` they sum to exactly 2^31: shares are rounded down and what is left goes to the
        largest remainders, ties to the lower tree, so each is within 2^-31 of its share. An ensemble whose values do
        not vary over the rows weighs its trees equally.

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
    if kind != "boosting":
        msg = f"kind must be random_forest or boosting, got {kind!r}"
        raise InvalidInput(msg)
    n_leaves = len(table.starts) - 1
    if leaf_values is None or leaf_values.ndim != 2 or len(leaf_values) != n_leaves:  # noqa: PLR2004  # a matrix
        msg = f"boosting weights need one line of values for each of the {n_leaves} leaves"
        raise InvalidInput(msg)
    if not np.isfinite(leaf_values).all():
        msg = "a leaf value is not finite, so boosting weights are undefined"
        raise InvalidInput(msg)
    return _round_to_total(_value_variances(table, leaf_values), BOOSTING_TOTAL_WEIGHT)


def _check_leaves(leaves: NDArray[np.int32], n_leaves: NDArray[np.integer[Any]]) -> None:
    if leaves.ndim != 2 or leaves.dtype != np.int32:  # noqa: PLR2004  # a matrix
        msg = f"leaves must be 2-d int32, got {leaves.ndim}-d {leaves.dtype}"
        raise InvalidInput(msg)
    n_rows, n_trees = leaves.shape
    if n_rows == 0 or n_trees == 0:
        msg = f"leaves of {n_rows} rows in {n_trees} trees: at least one row and one tree are needed"
        raise InvalidInput(msg)
    if n_leaves.shape != (n_trees,):
        msg = f"n_leaves has shape {n_leaves.shape}, but leaves has {n_trees} trees"
        raise InvalidInput(msg)
    outside = (leaves.min(axis=0) < 0) | (leaves.max(axis=0) >= n_leaves)
    if outside.any():
        tree = int(outside.argmax())
        msg = f"tree {tree} has leaves 0 to {n_leaves[tree] - 1}, but a row is said to reach another"
        raise InvalidInput(msg)


def _smallest_dtype(n_codes: int) -> type[np.uint8 | np.uint16 | np.int32]:
    if n_codes <= np.iinfo(np.uint8).max + 1:
        return np.uint8
    return np.uint16 if n_codes <= np.iinfo(np.uint16).max + 1 else np.int32


def _index(codes: NDArray[Any], n_leaves: NDArray[np.int64]) -> LeafTable:
    offsets = np.concatenate([[0], np.cumsum(n_leaves)]).astype(np.int64)
    starts, members = _rows_by_leaf(codes, offsets)
    return LeafTable(codes, offsets, starts, members)


def _value_variances(table: LeafTable, leaf_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Variance over rows of each tree's leaf values, summed over outputs, in a unit of its own."""
    # Measured from a value that some row has: a tree that is constant over the rows gives exactly 0, not rounding.
    origins = leaf_values[table.offsets[:-1] + table.codes[:, 0]]
    deviations = leaf_values - np.repeat(origins, np.diff(table.offsets), axis=0)
    deviations[table.leaf_sizes == 0] = 0
    largest = np.abs(deviations).max()
    if largest > 0:
        deviations /= largest  # only ratios of variances matter, and squares shall not overflow
    shares = (table.leaf_sizes / table.n_rows)[:, None]
    first_leaves = table.offsets[:-1]
    means = np.add.reduceat(shares * deviations, first_leaves)
    centred = deviations - np.repeat(means, np.diff(table.offsets), axis=0)
    variances: NDArray[np.float64] = np.add.reduceat(shares * centred**2, first_leaves).sum(axis=1)
    return variances


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


@compiled
def _rows_by_leaf(codes: NDArray[Any], offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Sort the rows of each tree by leaf, by counting."""
    n_trees, n_rows = codes.shape
    starts = np.zeros(offsets[n_trees] + 1, dtype=np.int64)
    members = np.empty(n_trees * n_rows, dtype=np.int32)
    for tree in range(n_trees):
        for row in range(n_rows):
            starts[offsets[tree] + codes[tree, row] + 1] += 1
    for leaf in range(offsets[n_trees]):
        starts[leaf + 1] += starts[leaf]
    following = starts[:-1].copy()
    for tree in range(n_trees):
        for row in range(n_rows):
            leaf = offsets[tree] + codes[tree, row]
            members[following[leaf]] = row
            following[leaf] += 1
    return starts, members


@compiled
def _renumber(codes: NDArray[Any], n_leaves: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Give numbers to the leaves that occur, tree by tree, in the order in which rows reach them."""
    n_trees, n_rows = codes.shape
    renumbered = np.empty((n_trees, n_rows), dtype=np.int32)
    n_used = np.zeros(n_trees, dtype=np.int64)
    for tree in range(n_trees):
        number = np.full(n_leaves[tree], -1, dtype=np.int32)
        for row in range(n_rows):
            leaf = codes[tree, row]
            if number[leaf] < 0:
                number[leaf] = n_used[tree]
                n_used[tree] += 1
            renumbered[tree, row] = number[leaf]
    return renumbered, n_used


@compiled
def _sum_over_leaves(
    codes: NDArray[Any], offsets: NDArray[np.int64], leaf_sizes: NDArray[np.int64], weights: NDArray[np.int64]
) -> NDArray[np.int64]:
    n_trees, n_rows = codes.shape
    sums = np.zeros(n_rows, dtype=np.int64)
    for tree in range(n_trees):
        for row in range(n_rows):
            sums[row] += weights[tree] * leaf_sizes[offsets[tree] + codes[tree, row]]
    return sums
