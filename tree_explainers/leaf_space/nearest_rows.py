"""The nearest rows of a table for some of its rows, or for others: exact, both cores, O(n_rows x n_trees) memory."""

from collections.abc import Iterator
from contextlib import closing
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from ..compute.threads import in_order
from ..errors import InvalidInput
from .euclidean_table import EuclideanTable
from .leaf_masks import BLOCK
from .leaves import LeafTable
from .nearest_between_groups import NearestBetweenGroups
from .nearest_by_blocks import NearestToBlocks
from .nearest_by_codes import ranked, search_codes, search_for
from .nearest_by_distance import nearest_by_distance
from .nearest_by_lists import (
    BLOCK_QUERIES,
    MAX_PIVOTS,
    LeavesOf,
    Pivots,
    RankedLists,
    choose_pivots,
    list_ranks,
    search_lists,
)
from .nearest_by_masks import NearestOfAll, NearestWithin
from .partitioned_table import PartitionedTable

Nearest = tuple[NDArray[np.int64], NDArray[np.int64]]  # rows and proximities, (n_queries, n_neighbors) each

# Measured on one busy core of a 2025 server.
_NANOSECONDS_PER_LISTED = 10.0  # row and tree
_NANOSECONDS_PER_LIST = 100.0  # for each query and tree: finding a list misses the caches
_NANOSECONDS_PER_VISIT = 0.7  # of a row in a query's leaf; most are visited for several queries at once
_NANOSECONDS_PER_COMPARED_BYTE = 0.015  # of the sums
_NANOSECONDS_AT_ONCE = 100e6
_MAX_BLOCKS_AT_ONCE = 64
_STAGE = "finding nearest rows"


def nearest_rows(table: LeafTable, weights: NDArray[np.int64]) -> "NearestRows":
    """Return what finds the nearest rows of a table, wherever these lie; see ``NearestRows``."""
    if isinstance(table, EuclideanTable):
        return EuclideanNearestRows(table, weights)
    return (
        PartitionedNearestRows(table, weights) if isinstance(table, PartitionedTable) else NearestRows(table, weights)
    )


class NearestRows:
    """Finds the rows of a table that are nearest, by the quickest of four searches.

    Where leaves are small, the rows listed in them are visited, for blocks of queries that share leaves; the lists,
    4 bytes for each row and tree, are made when they are first needed. Where leaves are large, codes are compared.
    Where one neighbour is wanted, of many queries or of every row, masks may be quicker still. All give the same
    integers.

    Parameters
    ----------
    table
        The rows to choose from.
    weights : (n_trees,) int64
        What each tree counts; not negative, summing to less than 2^32.

    Raises
    ------
    InvalidInput
        If the number of trees differs.
    """

    def __init__(self, table: LeafTable, weights: NDArray[np.int64]) -> None:
        if weights.shape != (table.n_trees,):
            msg = f"the table has {table.n_trees} trees, but weights have shape {weights.shape}"
            raise InvalidInput(msg)
        self._table = table
        self._lists: RankedLists | None = None
        self._weights = weights.astype(np.uint16 if int(weights.sum()) <= np.iinfo(np.uint16).max else np.uint32)

    def of_rows(self, rows: NDArray[np.int64], n_neighbors: int, report: ReportProgress = ignore_progress) -> Nearest:
        """Return the nearest other rows for some rows of the table.

        Parameters
        ----------
        rows : (n_queries,) int64
            Rows of the table.
        n_neighbors
            In 1 to ``n_rows - 1``.
        report
            Progress callback, called some ten times a second. Whatever it raises leaves nothing running.

        Returns
        -------
        (n_queries, n_neighbors) int64, twice
            Neighbours, nearest first (ties: lowest row), and their integer proximities, which can be 0.

        Raises
        ------
        InvalidInput
            If there are not as many other rows.
        """
        self._check(n_neighbors, self._table.n_rows - 1)
        rows = np.asarray(rows, dtype=np.int64)
        return self._find(lambda queries: self._table.leaves_of(rows[queries]), rows, n_neighbors, report)

    def of_all(self, within: NearestWithin, report: ReportProgress = ignore_progress) -> Nearest:
        """Return the nearest other row of every row, as ``of_rows`` does, given what is known of it within groups.

        Where that saves time, only rows of different groups are compared, and rows of which nothing is known with all.
        """
        self._check(1, self._table.n_rows - 1)
        unknown = np.flatnonzero(~within.is_known)
        between = self._between_groups(within)
        if between.nanoseconds + self._nanoseconds_of(len(unknown)) >= self._nanoseconds_of_all():
            return self.of_rows(np.arange(self._table.n_rows), 1, report)
        nearest = np.stack(between.find(lambda share: report(share, _STAGE)))[:, :, None]
        if len(unknown):
            nearest[:, unknown] = self.of_rows(unknown, 1, report)
        return nearest[0], nearest[1]

    def _between_groups(self, within: NearestWithin) -> NearestOfAll | NearestBetweenGroups:
        """Return the quicker search for rows of other groups: lists are, where few leaves hold rows of several."""
        weights = self._weights.astype(np.int64)
        by_masks = NearestOfAll(self._table, weights, within)
        by_lists = NearestBetweenGroups(self._table, weights, within)
        return by_lists if by_lists.nanoseconds < by_masks.nanoseconds else by_masks

    def of_leaves(
        self, leaves: NDArray[np.int32], n_neighbors: int, report: ReportProgress = ignore_progress
    ) -> Nearest:
        """Return the nearest rows for rows that are not in the table, as ``of_rows`` does.

        Parameters
        ----------
        leaves : (n_queries, n_trees) int32
            Their leaves, numbered as in the table.
        n_neighbors
            In 1 to ``n_rows``.
        report
            As in ``of_rows``.
        """
        if leaves.ndim != 2 or leaves.shape[1] != self._table.n_trees:  # a matrix
            msg = f"the table has {self._table.n_trees} trees, but leaves have shape {leaves.shape}"
            raise InvalidInput(msg)
        self._check(n_neighbors, self._table.n_rows)
        no_rows = np.full(len(leaves), -1, dtype=np.int64)
        return self._find(lambda queries: leaves[queries], no_rows, n_neighbors, report)

    def of_leaves_but(self, leaves: NDArray[np.int32], left_out: NDArray[np.int64], n_neighbors: int) -> Nearest:
        """Return the same with a row of the table that is left out for each, (n_queries,); others than its: none."""
        inside = np.where((left_out >= 0) & (left_out < self._table.n_rows), left_out, -1)
        return self._find(lambda queries: leaves[queries], inside, n_neighbors, ignore_progress)

    def _check(self, n_neighbors: int, most: int) -> None:
        if not 1 <= n_neighbors <= most:
            msg = f"n_neighbors must be 1 to {most} for {self._table.n_rows} rows, got {n_neighbors}"
            raise InvalidInput(msg)

    def _find(
        self, leaves_of: LeavesOf, own_rows: NDArray[np.int64], n_neighbors: int, report: ReportProgress
    ) -> Nearest:
        n_queries = len(own_rows)
        if n_neighbors == 1 and np.array_equal(own_rows, np.arange(self._table.n_rows)) and self._masks_are_cheapest():
            of_all = NearestOfAll(self._table, self._weights.astype(np.int64))
            neighbors, proximities = of_all.find(lambda share: report(share, _STAGE))
            return neighbors[:, None], proximities[:, None]
        if n_neighbors == 1 and self._blocks_are_cheapest(n_queries):
            return self._find_by_blocks(leaves_of, own_rows, report)
        by_lists = self._lists_are_cheaper(n_queries)
        lists = self._make_lists(report) if by_lists else None
        order = np.arange(n_queries) if lists is None else self._order(lists, leaves_of, own_rows, report)

        def find(queries: NDArray[np.int64]) -> Nearest:
            search = search_for(leaves_of(queries), own_rows[queries], n_neighbors)
            if lists is None:
                search_codes(self._table.codes, self._weights, search)
            else:
                search_lists(lists, self._weights, search)
            return ranked(search)

        results = np.empty((2, n_queries, n_neighbors), dtype=np.int64)
        n_done = 0
        n_blocks = int(_NANOSECONDS_AT_ONCE / self._nanoseconds(by_lists=by_lists)) // BLOCK_QUERIES
        pieces = _pieces(order, min(max(1, n_blocks), _MAX_BLOCKS_AT_ONCE) * BLOCK_QUERIES)
        with closing(in_order(find, pieces)) as nearest:
            for queries, rows_and_proximities in nearest:
                results[:, queries] = rows_and_proximities
                n_done += len(queries)
                report(n_done / n_queries, _STAGE)
        return results[0], results[1]

    @cached_property
    def _pivots(self) -> Pivots:
        return choose_pivots(self._table, self._weights)

    def _make_lists(self, report: ReportProgress) -> RankedLists:
        def tick() -> None:
            report(0.0, _STAGE)

        if self._lists is None:
            order = self._pivots.order(self._table.leaves_of, self._table.n_rows, tick)
            self._lists = list_ranks(self._table, order, tick)
        return self._lists

    def _order(
        self, lists: RankedLists, leaves_of: LeavesOf, own_rows: NDArray[np.int64], report: ReportProgress
    ) -> NDArray[np.int64]:
        """Return an order of the queries in which those that share leaves follow each other."""
        if (own_rows < 0).any():
            return self._pivots.order(leaves_of, len(own_rows), lambda: report(0.0, _STAGE))
        ranks = np.empty(self._table.n_rows, dtype=np.int64)
        ranks[lists.order] = np.arange(self._table.n_rows)
        return np.argsort(ranks[own_rows], kind="stable")

    def _find_by_blocks(self, leaves_of: LeavesOf, own_rows: NDArray[np.int64], report: ReportProgress) -> Nearest:
        n_queries = len(own_rows)
        results = np.empty((2, n_queries, 1), dtype=np.int64)
        for start in range(0, n_queries, BLOCK):
            queries = np.arange(start, min(start + BLOCK, n_queries))

            def report_share(share: float, start: int = start, n_some: int = len(queries)) -> None:
                report((start + share * n_some) / n_queries, _STAGE)

            results[:, queries, 0] = self._blocks.find(leaves_of(queries), own_rows[queries], report_share)
        return results[0], results[1]

    @cached_property
    def _blocks(self) -> NearestToBlocks:
        return NearestToBlocks(self._table, self._weights.astype(np.int64))

    def _masks_are_cheapest(self) -> bool:
        return self._nanoseconds_by_masks < self._nanoseconds_of(self._table.n_rows)

    def _blocks_are_cheapest(self, n_queries: int) -> bool:
        return self._blocks.nanoseconds(n_queries) < self._nanoseconds_one_by_one(n_queries)

    def _lists_are_cheaper(self, n_queries: int) -> bool:
        lists, codes = self._nanoseconds(by_lists=True), self._nanoseconds(by_lists=False)
        return n_queries * lists + self._nanoseconds_to_prepare() < n_queries * codes

    def _nanoseconds_of_all(self) -> float:
        """Return how long finding the nearest of all rows takes."""
        return min(self._nanoseconds_by_masks, self._nanoseconds_of(self._table.n_rows))

    @cached_property
    def _nanoseconds_by_masks(self) -> float:
        return NearestOfAll(self._table, self._weights.astype(np.int64)).nanoseconds

    def _nanoseconds_of(self, n_queries: int) -> float:
        """Return how long finding the nearest row of some queries takes."""
        return min(self._blocks.nanoseconds(n_queries), self._nanoseconds_one_by_one(n_queries))

    def _nanoseconds_one_by_one(self, n_queries: int) -> float:
        """Return how long some queries take, by lists or codes."""
        lists, codes = (n_queries * self._nanoseconds(by_lists=by_lists) for by_lists in (True, False))
        return min(lists + self._nanoseconds_to_prepare(), codes)

    def _nanoseconds(self, *, by_lists: bool) -> float:
        """Return how long one query takes."""
        n_cells = self._table.codes.size
        if not by_lists:
            return n_cells * self._weights.itemsize * _NANOSECONDS_PER_COMPARED_BYTE
        n_visits = float((self._table.leaf_sizes.astype(np.float64) ** 2).sum()) / self._table.n_rows
        return n_visits * _NANOSECONDS_PER_VISIT + self._table.n_trees * _NANOSECONDS_PER_LIST

    def _nanoseconds_to_prepare(self) -> float:
        if self._lists is not None:
            return 0.0
        return self._table.codes.size * _NANOSECONDS_PER_LISTED + MAX_PIVOTS * self._nanoseconds(by_lists=False)


class PartitionedNearestRows(NearestRows):
    """The same where rows lie in partitions: the nearest of each partition are found there, and merged."""

    def __init__(self, table: PartitionedTable, weights: NDArray[np.int64]) -> None:
        super().__init__(table, weights)
        self._parts = table.parts.beside_values(table.bounds[:-1].tolist())

    def of_all(self, within: NearestWithin, report: ReportProgress = ignore_progress) -> Nearest:
        """Return the nearest other row of every row, wherever it lies; ``within`` saves nothing here."""
        return self.of_rows(np.arange(len(within.rows)), 1, report)

    def _find(
        self, leaves_of: LeavesOf, own_rows: NDArray[np.int64], n_neighbors: int, report: ReportProgress
    ) -> Nearest:
        leaves = leaves_of(np.arange(len(own_rows)))
        rows = np.empty((len(own_rows), 0), dtype=np.int64)
        proximities = rows
        for n_done, in_part in enumerate(
            self._parts.map(_nearest_in_part, self._weights, leaves, own_rows, n_neighbors)
        ):
            rows, proximities = _merged(
                np.concatenate([rows, in_part[0]], axis=1),
                np.concatenate([proximities, in_part[1]], axis=1),
                n_neighbors,
            )
            report((n_done + 1) / len(self._parts), _STAGE)
        return rows, proximities


class EuclideanNearestRows(NearestRows):
    """The same by plain distance: positions stand where leaves do."""

    def __init__(self, table: EuclideanTable, weights: NDArray[np.int64]) -> None:
        super().__init__(table, weights)
        self._rows = table

    def of_all(self, within: NearestWithin, report: ReportProgress = ignore_progress) -> Nearest:
        """Return the nearest other row of every row; ``within`` saves nothing here."""
        return self.of_rows(np.arange(self._rows.n_rows), 1, report)

    def of_leaves(
        self, leaves: NDArray[np.int32], n_neighbors: int, report: ReportProgress = ignore_progress
    ) -> Nearest:
        """Return the nearest rows for rows of these positions, (n_queries, n_features)."""
        self._check(n_neighbors, self._rows.n_rows)
        return self._find(lambda queries: leaves[queries], np.full(len(leaves), -1), n_neighbors, report)

    def _find(
        self, leaves_of: LeavesOf, own_rows: NDArray[np.int64], n_neighbors: int, report: ReportProgress
    ) -> Nearest:
        positions = leaves_of(np.arange(len(own_rows)))
        return nearest_by_distance(self._rows, positions, own_rows, n_neighbors, lambda share: report(share, _STAGE))


def _nearest_in_part(
    table: LeafTable,
    first_row: int,
    weights: NDArray[np.integer],
    leaves: NDArray[np.int32],
    own_rows: NDArray[np.int64],
    n_neighbors: int,
) -> Nearest:
    """Return as many of a partition's rows as there may be among the nearest; -1, at proximity -1, for none."""
    nearest = NearestRows(table, weights.astype(np.int64))
    results = np.full((2, len(leaves), min(n_neighbors, table.n_rows)), -1, dtype=np.int64)
    inside = (own_rows >= first_row) & (own_rows < first_row + table.n_rows)
    for which, n_others in ((inside, table.n_rows - 1), (~inside, table.n_rows)):
        n_found = min(n_neighbors, n_others)
        if which.any() and n_found > 0:
            results[:, which, :n_found] = nearest.of_leaves_but(leaves[which], own_rows[which] - first_row, n_found)
    results[0] += np.where(results[0] >= 0, first_row, 0)
    return results[0], results[1]


def _merged(rows: NDArray[np.int64], proximities: NDArray[np.int64], n_neighbors: int) -> Nearest:
    """Return the nearest, ties to the lowest row."""
    order = np.lexsort((rows, -proximities))[:, :n_neighbors]
    return np.take_along_axis(rows, order, axis=1), np.take_along_axis(proximities, order, axis=1)


def _pieces(order: NDArray[np.int64], length: int) -> Iterator[NDArray[np.int64]]:
    return (order[start : start + length] for start in range(0, len(order), length))
