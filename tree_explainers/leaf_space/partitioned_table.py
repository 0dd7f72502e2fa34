"""A leaf table whose rows lie in partitions, in this process or on a cluster.

What a method does with all rows goes through a few primitives (columns of proximities, sums over leaves, sweeps over
candidates, nearest rows). Each of them knows what it maps over partitions, and how the results are put together.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..compute.partitions import LocalPartitions, Partitions, bounds_of_partitions
from .leaves import LeafTable, smallest_dtype

Result = TypeVar("Result")

MOST_REMEMBERED = 100_000_000
"""Codes of single rows that were requested: more are fetched each time."""


class PartitionedTable(LeafTable):
    """A leaf table of which this process knows the sizes of leaves, and requests all else from partitions.

    It is a ``LeafTable`` to all who use the primitives of this package; ``codes`` and ``members`` are in the
    partitions alone.

    Parameters
    ----------
    parts
        A ``LeafTable`` each, of the same trees.
    bounds : (n_parts + 1,) int64
        The first row of each, and the number of rows.
    n_leaves : (n_trees,)
        How many leaves each tree has.
    """

    def __init__(self, parts: Partitions, bounds: NDArray[np.int64], n_leaves: NDArray[np.integer[Any]]) -> None:
        set_field = object.__setattr__  # as the data class that it is does
        set_field(self, "parts", parts)
        set_field(self, "bounds", np.asarray(bounds, dtype=np.int64))
        set_field(self, "offsets", np.concatenate([[0], np.cumsum(n_leaves)]).astype(np.int64))
        sizes = sum(parts.map(_sizes), np.zeros(int(self.offsets[-1]), dtype=np.int64))
        set_field(self, "starts", np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))
        set_field(self, "_remembered", {})

    parts: Partitions
    bounds: NDArray[np.int64]
    _remembered: dict[int, NDArray[Any]]

    @staticmethod
    def split(table: LeafTable, most_rows: int, n_threads: int | None = None) -> "PartitionedTable":
        """Return the same table in partitions of this process."""
        bounds = bounds_of_partitions(table.n_rows, most_rows)
        return PartitionedTable.cut(table, bounds, n_threads)

    @staticmethod
    def cut(table: LeafTable, bounds: NDArray[np.int64], n_threads: int | None = None) -> "PartitionedTable":
        """Return the same table in partitions of this process that begin at the given rows."""
        n_leaves = np.diff(table.offsets)
        parts = [
            (LeafTable.from_codes(np.ascontiguousarray(table.codes[:, start:stop]), n_leaves),)
            for start, stop in pairwise(bounds.tolist())
        ]
        return PartitionedTable(LocalPartitions(parts, n_threads), bounds, n_leaves)

    @property
    def codes(self) -> NDArray[Any]:
        """Refuse: no process has them all."""
        message = "the codes of this table are in its partitions: use a primitive that maps over these"
        raise TypeError(message)

    @property
    def code_dtype(self) -> np.dtype[Any]:
        """The type of codes."""
        return smallest_dtype(int(np.diff(self.offsets).max()))

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.bounds[-1])

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.offsets) - 1

    @property
    def members(self) -> NDArray[np.int32]:
        """Refuse: no process has them all."""
        return np.asarray(self.codes, dtype=np.int32)

    def map(self, function: Callable[..., Result], *broadcast: Any) -> Iterator[Result]:
        """Yield what ``function(table, *broadcast)`` makes of each partition, in the order of rows."""
        return self.parts.map(function, *broadcast)

    def keep(
        self,
        function: Callable[..., LeafTable],
        n_leaves: NDArray[np.integer[Any]],
        *broadcast: Any,
    ) -> "PartitionedTable":
        """Return the table that ``function(table, *broadcast)`` makes of each partition: of as many rows."""
        return PartitionedTable(self.parts.keep(function, *broadcast), self.bounds, n_leaves)

    def followed_by(self, other: "PartitionedTable") -> "PartitionedTable":
        """Return the table of these rows, and then the other's, which are of the same trees."""
        bounds = np.concatenate([self.bounds, self.n_rows + other.bounds[1:]])
        return PartitionedTable(self.parts.followed_by(other.parts), bounds, np.diff(self.offsets))

    def slices_of(self, rows: NDArray[np.integer[Any]]) -> list[slice]:
        """Return for each partition where its rows are among ascending ones."""
        cuts = np.searchsorted(rows, self.bounds).tolist()
        return [slice(start, stop) for start, stop in pairwise(cuts)]

    def with_rows(
        self, rows: NDArray[np.int64], *by_row: NDArray[Any], which: Sequence[slice] | None = None
    ) -> "Partitions":
        """Return partitions with their part of ascending rows, numbered in the partition, and of arrays by these.

        The last axis of the arrays is that of the rows.
        """
        positions = self.slices_of(rows) if which is None else which
        values = [
            ((rows[index] - start).astype(np.int32), *(np.ascontiguousarray(each[..., index]) for each in by_row))
            for index, start in zip(positions, self.bounds[:-1].tolist(), strict=True)
        ]
        return self.parts.beside_values(values)

    def beside_rows(self, of_rows: NDArray[Any]) -> "Partitions":
        """Return partitions with what an array has of their rows, which are its last axis."""
        cuts = pairwise(self.bounds.tolist())
        return self.parts.beside_values([np.ascontiguousarray(of_rows[..., start:stop]) for start, stop in cuts])

    def leaves_of(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """Return the leaf of each of these rows in each tree, shape (len(rows), n_trees)."""
        return np.ascontiguousarray(self.codes_of(rows).T, dtype=np.int32)

    def codes_of(self, rows: NDArray[np.integer[Any]]) -> NDArray[Any]:
        """Return the codes of these rows, (n_trees, len(rows)); those of few rows are remembered."""
        if len(rows) * self.n_trees > MOST_REMEMBERED:
            return self._fetch(np.asarray(rows, dtype=np.int64))
        known = self._remembered
        missing = np.array([row for row in np.unique(rows).tolist() if row not in known], dtype=np.int64)
        if (len(known) + len(missing)) * self.n_trees > MOST_REMEMBERED:
            known, missing = {}, np.unique(rows).astype(np.int64)
            object.__setattr__(self, "_remembered", known)  # other threads may still read what was known
        if len(missing):
            fetched = np.ascontiguousarray(self._fetch(missing).T)
            known.update(zip(missing.tolist(), fetched, strict=True))
        codes = np.empty((len(rows), self.n_trees), dtype=self.code_dtype)
        for index, row in enumerate(np.asarray(rows).tolist()):
            codes[index] = known[row]
        return np.ascontiguousarray(codes.T)

    def by_trees(self, rows: NDArray[np.int64], groups: Sequence[NDArray[np.int64]]) -> Partitions:
        """Return partitions that are groups of trees, with the codes of ascending rows in these, piece by piece."""
        return self.with_rows(rows).regrouped(_codes_in, groups)

    def among(self, rows: NDArray[np.integer[Any]]) -> LeafTable:
        """Return the table of these rows alone, in this process."""
        return self.here(rows).among(np.arange(len(rows)))

    def here(self, rows: NDArray[np.integer[Any]] | None = None) -> LeafTable:
        """Return the table of these rows (default: of all) in this process, with the leaves' own numbers."""
        wanted = np.arange(self.n_rows) if rows is None else np.asarray(rows, dtype=np.int64)
        return LeafTable.from_codes(self._fetch(wanted), np.diff(self.offsets))

    def _fetch(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        order = np.argsort(rows, kind="stable")
        in_order = rows[order]
        positions = self.slices_of(in_order)
        which = [index for index, position in enumerate(positions) if position.stop > position.start]
        codes = np.empty((self.n_trees, len(rows)), dtype=self.code_dtype)
        fetched = self.with_rows(in_order, which=positions).some(which).map(_codes_in, None)
        for index, some in zip(which, fetched, strict=True):
            codes[:, order[positions[index]]] = some
        return codes


def _sizes(table: LeafTable) -> NDArray[np.int64]:
    return table.leaf_sizes


def _codes_in(
    table: LeafTable, rows_of_part: tuple[NDArray[np.int32], ...], trees: NDArray[np.int64] | None
) -> NDArray[Any]:
    codes = table.codes if trees is None else table.codes[trees]
    return np.ascontiguousarray(codes[:, rows_of_part[0]])
